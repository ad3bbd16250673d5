"""Quoting for the SQL that is put together from parts."""

from __future__ import annotations

__all__ = ["identifier", "literal"]


def literal(text: str) -> str:
    """Return a text as an SQL string: it's becomes 'it''s'."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a name as an SQL identifier, in double quotes."""
    return '"' + name.replace('"', '""') + '"'
