"""A rule of the audit: a query that returns the rows that break it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ERROR", "WARNING", "Rule", "literal", "name", "verdict_query"]

ERROR = "error"
WARNING = "warning"
_SAMPLE = 5


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


def verdict_query(rule: Rule) -> str:
    """A SELECT of one row: rows_total, rows_failed, sample (the first by place, or NULL)."""
    return f"""
        WITH batch AS (SELECT * FROM {rule.table})
        SELECT
            (SELECT count(*) FROM batch) AS rows_total,
            count(*) AS rows_failed,
            min(coalesce(place, '?') || ': ' || coalesce(observed, 'NULL'), {_SAMPLE}) AS sample
        FROM ({rule.query})
    """


def literal(value: object) -> str:
    """`value` as an SQL literal."""
    if isinstance(value, bool | int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def name(*parts: str) -> str:
    """A qualified SQL name of quoted parts."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
