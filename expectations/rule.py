"""A rule: a query that returns the rows that break it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ERROR", "FAULT", "WARNING", "Rule", "literal", "name", "verdict_query"]

#: perfhouse made a mistake, whatever the data are: rows lost or doubled. Stops publishing.
FAULT = "fault"
#: The data cannot be right, or a rate is too low: published, and somebody has to look at it.
ERROR = "error"
#: The data may be right: published and shown.
WARNING = "warning"
_SAMPLE = 5


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule on one table.

    query: a SELECT (or WITH ... SELECT) in DuckDB's SQL that can refer to the rule's table as
    `batch` and returns one row per failure with the text columns `place` (which row, in words)
    and `observed` (its value). expected: what holds if no row is returned; problem and advice: what
    is wrong otherwise, and what to do about it. severity: FAULT only if no data can break the rule.
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
    """Return a SELECT of one row: rows_total, rows_failed, sample (first by place, or NULL)."""
    return f"""
        WITH batch AS (SELECT * FROM {rule.table})
        SELECT
            (SELECT count(*) FROM batch) AS rows_total,
            count(*) AS rows_failed,
            min(coalesce(place, '?') || ': ' || coalesce(observed, 'NULL'), {_SAMPLE}) AS sample
        FROM ({rule.query})
    """


def literal(value: object) -> str:
    """Return `value` as an SQL literal."""
    if isinstance(value, bool | int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def name(*parts: str) -> str:
    """Return a qualified SQL name of quoted parts."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
