"""How columns of marts add up, as dbt notes it in meta.measure, and the SQL that follows from it.

A measure of a mart is written

    cpu_seconds                  a column, by its own rule
    cpu_seconds / s              the sum of an amount per second of time
    1e6 * cpu_seconds / calls    a quotient of two sums
    waits % of requests          the same in percent
    puts + put1s                 an amount that is the sum of several
    max(depth)                   SQL of its own, with aggregates
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal, NamedTuple

import polars as pl
from polars import selectors as cs

from app.results.reader import Reader

__all__ = ["Measure", "Rule", "Rules", "measure", "rules", "summarise"]

_AGGREGATE = re.compile(
    r"\b(any_value|arg_max|arg_max_null|arg_min|avg|bool_or|count|list|max|min|sum)\("
)
_PARTS = re.compile(r"(.+)( % of | / )(.+)")
_EXTREME = re.compile(r"(max|min)\([^()]*(?:\([^()]*\)[^()]*)*\)(?: / \d+)?")
_PER_SECOND = "max(interval_seconds)"
_MART = re.compile(r"\bmarts\.(\w+)")


class Rule(NamedTuple):
    """How a column adds up.

    adds: sum, mean, ratio, greatest, least, last, setting, key or no. by: what weighs a mean, or
    the denominator of a ratio, as SQL; the columns that a sum is over, if not over all.
    """

    adds: str
    by: str = ""


Rules = Mapping[str, Rule]  # of the columns of a mart


class Measure(NamedTuple):
    """SQL of a measure over rows, and how the values of several intervals become one.

    weight: of an interval in a mean, as SQL. "rate": a mean over all time, in which an interval
    without a row counts as nothing.
    """

    value: str
    merge: Literal["mean", "rate", "max", "min", "sum"] = "mean"
    weight: str = _PER_SECOND


def rules(reader: Reader, mart: str) -> Rules:
    """Return the rules of the columns of a mart, or of the first in a query."""
    named = _MART.search(mart)
    rows = reader.frame(
        "select name, adds, coalesce(\"by\", '') from meta.measure where mart = ?",
        (named[1] if named else mart,),
    )
    return {name: Rule(adds, by) for name, adds, by in rows.iter_rows()}


def measure(text: str, known: Rules) -> Measure:
    """Return the SQL of a measure that is written as this module says.

    >>> measure("depth", {"depth": Rule("greatest")}).value
    'max(depth)'
    >>> measure("waits % of calls", {}).value
    '100 * sum(waits) / nullif(sum(calls) filter (where (waits) is not null), 0)'
    """
    if rule := known.get(text):
        return _ruled(text, rule)
    if _AGGREGATE.search(text):
        extreme = _EXTREME.fullmatch(text)
        return Measure(text, extreme[1] if extreme else "mean")  # type: ignore[arg-type]
    match = _PARTS.fullmatch(text)
    part, per, whole = match.groups() if match else (text, "", "")
    if per == " / " and whole == "s":
        return Measure(f"sum({part}) / {_PER_SECOND}", "rate")
    if per:
        weight = f"sum({whole}) filter (where ({part}) is not null)"
        percent = "100 * " * (per == " % of ")
        return Measure(f"{percent}sum({part}) / nullif({weight}, 0)", "mean", weight)
    if any(known[name].adds != "sum" for name in re.findall(r"\w+", text) if name in known):
        raise ValueError(f"{text}: no rule says how it adds up")
    return Measure(f"sum({text})", "sum")


def _ruled(column: str, rule: Rule) -> Measure:
    if rule.adds in ("mean", "ratio"):
        weight = f"sum({rule.by}) filter (where {column} is not null)"
        return Measure(
            f"coalesce(sum({column} * ({rule.by})) / nullif({weight}, 0), avg({column}))",
            "mean",
            f"sum({rule.by})",
        )
    if rule.adds == "last":
        return Measure(f"arg_max({column}, interval_start_utc)")
    merge: Literal["max", "min", "sum"] | None = {
        "sum": "sum", "greatest": "max", "least": "min", "setting": "max",
    }.get(rule.adds)  # type: ignore[assignment]  # fmt: skip
    if merge:
        return Measure(f"{merge}({column})", merge)
    return Measure(f"if(count({column}) = 1, any_value({column}), null)")  # nothing says how


def summarise(
    reader: Reader,
    mart: str,
    measures: Sequence[str],
    by: Sequence[str] = (),
    where: str = "true",
    *,
    step: timedelta | None = None,
    parameters: Sequence[object] = (),
) -> pl.DataFrame:
    """Return measures of a mart, one row per group of `by` (and step of time), as they add up.

    `where`: SQL with `parameters` as $1 and so on. A measure that no rule adds up is null where a
    group has several values of it.
    """
    mart_rules = rules(reader, mart)
    groups = [f'"{name}"' for name in by]
    if step is not None:
        groups.insert(
            0, f"time_bucket(interval {int(step.total_seconds())} seconds, interval_start_utc)"
            " as interval_start_utc",
        )  # fmt: skip
    values = [f'{measure(name, mart_rules).value} as "{name}"' for name in measures]
    rows = reader.frame(
        f"select {', '.join([*groups, *values])} from marts.{mart} where {where} "
        "group by all order by all",
        tuple(parameters),
    )
    return rows.with_columns(cs.decimal().cast(pl.Int64))  # sums of counts
