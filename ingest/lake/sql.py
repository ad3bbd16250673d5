"""Quoting for the SQL that is put together from parts."""

from __future__ import annotations

from glob import escape

__all__ = ["identifier", "literal", "pattern"]


def literal(text: str) -> str:
    """Return a text as an SQL string: it's becomes 'it''s'."""
    return "'" + text.replace("'", "''") + "'"


def pattern(path: str) -> str:
    """Return a path as the pattern that matches it alone: DuckDB reads files by patterns only."""
    return escape(path)


def identifier(name: str) -> str:
    """Return a name as an SQL identifier, in double quotes."""
    return '"' + name.replace('"', '""') + '"'
