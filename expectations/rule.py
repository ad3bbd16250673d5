"""A rule of the audit: a query that returns the rows that break it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ERROR", "WARNING", "Rule", "literal", "name"]

ERROR = "error"
WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """One expectation on one table.

    `query` is a SELECT (or WITH ... SELECT) in DuckDB's SQL that may read the rule's own table as
    `batch`, and returns one row for each failure with the text columns `place` (which row, in
    words that lead a person to it) and `observed` (what stands there). `expected` says what holds
    when nothing is returned, `problem` what is wrong otherwise, `advice` what to do about it.
    """

    suite: str
    table: str
    name: str
    severity: str
    expected: str
    problem: str
    advice: str
    query: str
    column: str = ""


def literal(value: object) -> str:
    """`value` as an SQL literal."""
    if isinstance(value, bool | int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def name(*parts: str) -> str:
    """A qualified SQL name of quoted parts."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
