"""Errors that a user can fix; each message is one line."""

__all__ = ["PerfhouseError", "RequestError", "SettingsError", "SourceError", "WarehouseError"]


class PerfhouseError(Exception):
    """The root of the project's errors."""


class RequestError(PerfhouseError):
    """What somebody asked for is misspelt or impossible; nothing has failed.

    option: what the command line offers instead, which nothing else has.
    """

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option


class SettingsError(RequestError):
    """A file or variable of settings is wrong, so that trying again will not help."""


class SourceError(RequestError):
    """A path names nothing that can be read."""


class WarehouseError(PerfhouseError):
    """The warehouse is not in the state that the step needs."""
