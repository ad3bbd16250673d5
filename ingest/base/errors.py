"""Errors that a user can fix; each message is one line."""

__all__ = ["PerfhouseError", "RequestError", "SourceError", "WarehouseError"]


class PerfhouseError(Exception):
    """The root of the project's errors."""


class RequestError(PerfhouseError):
    """What somebody asked for is misspelt or impossible; nothing has failed."""


class SourceError(RequestError):
    """A path names nothing that can be read."""


class WarehouseError(PerfhouseError):
    """The warehouse is not in the state that the step needs."""
