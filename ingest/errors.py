"""The errors of ingest that a person can mend; messages are one line."""

__all__ = ["SourceError", "WarehouseError"]


class SourceError(ValueError):
    """A path that leads to nothing that can be read."""


class WarehouseError(RuntimeError):
    """The warehouse is not in the state that the step needs."""
