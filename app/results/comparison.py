"""Compare the runs of a candidate with those of a baseline, configuration by configuration.

A side is the runs of one campaign, build, MQ level, machine or run name, looked up in that order;
or of comma-separated terms `name=level`, where a name is one of those or a factor. Runs are matched
on everything in a configuration except the names that choose the two sides.

Values are written into the SQL as literals: a bound parameter makes DuckDB import pandas, which
takes longer than the comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import duckdb

from expectations.detector import Comparison, compare_matched
from expectations.regressions.series import ALL_MEASUREMENTS
from ingest.errors import PerfhouseError
from ingest.sql import literal

__all__ = ["ComparedRuns", "Pair", "SelectionError", "Side", "compare_runs"]

#: Columns that a bare name is looked up in, in this order.
LABELS = ("campaign", "git_revision", "mq_level", "machine", "run_id")
_RUNS = "marts.fct_run r JOIN marts.dim_configuration c USING (configuration_id)"
_OF_CONFIGURATION = ("machine", "mq_level")
_NOT_FACTORS = frozenset((
    "configuration_id", "factors_id", "origin", "source_id", "record_no", "configuration",
    "x_factors", "runs", "origins",
))  # fmt: skip


class SelectionError(PerfhouseError):
    """A side names no runs, or the sides cannot be compared."""


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of one side: the terms that choose them, and their number."""

    name: str
    terms: dict[str, str]
    origin: str
    runs: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One metric of one configuration: the median of each side in `unit`, and the verdict."""

    configuration: str
    metric: str
    part: str
    unit: str
    more_is_better: bool
    baseline: float
    candidate: float
    judged: Comparison


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """The compared pairs, and the configurations that only one side has.

    `incomplete` counts the runs left out because of their issues.
    """

    baseline: Side
    candidate: Side
    pairs: list[Pair]
    only_baseline: list[str]
    only_candidate: list[str]
    incomplete: int


def compare_runs(
    db: duckdb.DuckDBPyConnection,
    baseline: str,
    candidate: str,
    *,
    metrics: Sequence[str] = (),
    parts: bool = False,
    ignore: Iterable[str] = (),
    tolerance: float = 0.02,
) -> ComparedRuns:
    """Compare two sides of a warehouse with marts.

    metrics: only these; parts: also compare values of address spaces and systems;
    ignore: names of factors and labels in which matched runs may differ;
    tolerance: relative difference to ignore. Raises SelectionError.
    """
    factors = _factors(db)
    first, second = (_side(db, text, factors) for text in (baseline, candidate))
    if first.terms == second.terms:
        raise SelectionError("baseline and candidate name the same runs")
    chosen = first.terms.keys() | second.terms.keys() | set(ignore)
    if unknown := set(ignore) - {*factors, *LABELS}:
        raise SelectionError(f"no factor or label is named {', '.join(sorted(unknown))}")
    key = [n for n in (*factors, *_OF_CONFIGURATION, "x_factors") if n not in chosen]
    sides = [first, second]
    _matched(db, sides, key, metrics, parts=parts)
    pairs = _pairs(db, tolerance)
    only = [[row[0] for row in db.execute(_ONLY.format(i)).fetchall()] for i in (0, 1)]
    if not pairs:
        raise SelectionError(_why_none(db, sides, key, only, metrics))
    left_out = db.execute("SELECT count(DISTINCT run_id) FROM side WHERE NOT complete").fetchall()
    return ComparedRuns(first, second, pairs, only[0], only[1], left_out[0][0])


# --- the sides


def _factors(db: duckdb.DuckDBPyConnection) -> list[str]:
    columns = db.execute("SELECT column_name FROM (DESCRIBE marts.dim_configuration)").fetchall()
    return [c for (c,) in columns if c not in {*_NOT_FACTORS, *_OF_CONFIGURATION}]


def _side(db: duckdb.DuckDBPyConnection, text: str, factors: list[str]) -> Side:
    """Return the side that a text names; all of its runs have one origin."""
    terms = dict(_term(db, part.strip(), factors) for part in text.split(","))
    found = db.execute(
        f"SELECT r.origin, count(DISTINCT r.run_id) FROM {_RUNS} WHERE {_where(terms)} "
        "GROUP BY 1 ORDER BY 1"
    ).fetchall()
    if not found:
        raise SelectionError(f"no run has {_joined(terms)}")
    if len(found) > 1:
        origins = " and ".join(f"{n:,} {origin}" for origin, n in found)
        raise SelectionError(f"{text!r} names {origins} runs: choose with ,origin={found[0][0]}")
    return Side(text, terms, *found[0])


def _term(db: duckdb.DuckDBPyConnection, text: str, factors: list[str]) -> tuple[str, str]:
    name, given, level = text.partition("=")
    if given:
        if name not in {*LABELS, "origin", *factors}:
            known = ", ".join((*LABELS, "origin", *factors))
            raise SelectionError(f"no factor or label is named {name!r}; known: {known}")
        return name, level
    for label in LABELS:
        found = f"SELECT 1 FROM marts.fct_run WHERE {label} = {literal(text)} LIMIT 1"
        if db.execute(found).fetchall():
            return label, text
    near = [
        f"{label}={row[0]}"
        for label in LABELS[:-1]
        for row in db.execute(
            f"SELECT {label} FROM marts.fct_run WHERE {label} IS NOT NULL "
            f"GROUP BY 1 ORDER BY max(start_utc) DESC, 1"
        ).fetchmany(3)
    ]
    hint = f"; there are {', '.join(near)}" if near else ": the warehouse has no runs"
    raise SelectionError(f"{text!r} is no {', '.join(LABELS[:-1])} or {LABELS[-1]}{hint}")


def _where(terms: dict[str, str]) -> str:
    """Return the SQL condition on runs `r` and configurations `c`."""
    of_run = {*LABELS, "origin"}
    tests = []
    for name, level in terms.items():
        value = literal(level)
        if name in of_run:
            tests.append(f"r.{name} = {value}")
        else:  # 10 equals 10.0
            column = f"c.{name}::VARCHAR"
            as_number = f"try_cast({column} AS DOUBLE) = try_cast({value} AS DOUBLE)"
            tests.append(f"({column} = {value} OR {as_number})")
    return " AND ".join(tests)


def _joined(terms: dict[str, str]) -> str:
    return " and ".join(f"{name}={level}" for name, level in terms.items())


# --- matching


def _matched(
    db: duckdb.DuckDBPyConnection,
    sides: list[Side],
    key: list[str],
    metrics: Sequence[str],
    *,
    parts: bool,
) -> None:
    """Create the temporary table `side`: one row per side, configuration key, metric and run."""
    conditions = [_where({"origin": s.origin} | s.terms) for s in sides]
    keys = ", ".join(f"c.{name}" for name in key) or "NULL"
    of_side = " UNION ALL ".join(
        f"SELECT {i} AS side, r.origin, r.run_id, hash({keys}) AS key, c.configuration "
        f"FROM {_RUNS} WHERE {where}"
        for i, where in enumerate(conditions)
    )
    only = "" if parts else "AND m.address_space = '' AND m.system_id = ''"
    if metrics:
        only += f" AND m.metric IN ({', '.join(map(literal, metrics))})"
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE side AS WITH chosen AS ({of_side}) "
        "SELECT chosen.side, chosen.run_id, key, configuration, m.metric, m.unit, m.value, "
        "m.is_compared AS complete, m.more_is_better AS more, "
        "m.address_space || m.system_id AS part "
        f"FROM chosen JOIN {ALL_MEASUREMENTS} m "
        "ON m.origin = chosen.origin AND m.run_id = chosen.run_id "
        f"WHERE m.more_is_better IS NOT NULL AND isfinite(m.value) {only}"
    )


_PAIRS = """
WITH grouped AS (
    SELECT side, key, metric, part, unit, more, min(configuration) AS configuration,
        list(value ORDER BY run_id) AS runs, median(value) AS middle
    FROM side WHERE complete AND value > 0 GROUP BY ALL
)
SELECT b.configuration, metric, part, unit, more, b.middle, c.middle, b.runs, c.runs
FROM grouped b JOIN grouped c USING (key, metric, part, unit, more)
WHERE b.side = 0 AND c.side = 1
ORDER BY b.configuration, metric, part
"""
_ONLY = """
SELECT DISTINCT configuration FROM side
WHERE side = {0} AND key NOT IN (SELECT key FROM side WHERE side = 1 - {0}) ORDER BY 1
"""


def _pairs(db: duckdb.DuckDBPyConnection, tolerance: float) -> list[Pair]:
    rows = db.execute(_PAIRS).fetchall()
    judged = compare_matched(
        [row[-2] for row in rows],
        [row[-1] for row in rows],
        [row[4] for row in rows],
        tolerance=tolerance,
    )
    return [Pair(*(*row[:7], result)) for row, result in zip(rows, judged, strict=True)]


def _why_none(
    db: duckdb.DuckDBPyConnection,
    sides: list[Side],
    key: list[str],
    only: list[list[str]],
    metrics: Sequence[str],
) -> str:
    """Explain why no pair was found: the names whose levels the two sides never share."""
    if not all(only):
        what = f"metric {' or '.join(metrics)}" if metrics else "complete measurements"
        return f"the two sides have no {what} in common"
    levels = []
    for side in sides:
        where = _where({"origin": side.origin} | side.terms)
        wanted = ", ".join(f"list_distinct(list(c.{n}::VARCHAR))" for n in key)
        levels.append(db.execute(f"SELECT {wanted} FROM {_RUNS} WHERE {where}").fetchall()[0])
    apart = [
        f"{name} ({' '.join(map(str, a[:3]))} against {' '.join(map(str, b[:3]))})"
        for name, a, b in zip(key, *levels, strict=True)
        if (a or b) and not set(a) & set(b)
    ]
    differ = f"; they differ in {', '.join(apart)}: try --ignore NAME" if apart else ""
    return f"no configuration is on both sides{differ}"
