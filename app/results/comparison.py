"""A candidate's runs against a baseline's, over the configurations that both have.

A side is named by what its runs have in common: a campaign, a build under test, an MQ level, a
machine or a run's name, told apart by where the name is found; or by terms `name=level` with
commas between, whose names are those or a factor's. Runs are matched on everything that a
configuration is made of but the names that the two sides are chosen by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import duckdb

from expectations.detector import Comparison, compare_matched

__all__ = ["ComparedRuns", "Pair", "SelectionError", "Side", "compare_runs"]

#: What a bare name may be, in the order in which it is looked for.
LABELS = ("campaign", "git_revision", "mq_level", "machine", "run_id")
_RUNS = "marts.fct_run r JOIN marts.dim_configuration c USING (configuration_id)"
_OF_CONFIGURATION = ("machine", "mq_level")
_NOT_FACTORS = frozenset((
    "configuration_id", "factors_id", "origin", "source_id", "record_no", "configuration",
    "x_factors", "runs", "origins",
))  # fmt: skip


class SelectionError(ValueError):
    """A side names no runs, or runs that must not stand side by side."""


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of one side: the terms that choose them, and how many there are."""

    name: str
    terms: dict[str, str]
    origin: str
    runs: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One metric of one configuration on both sides; medians are in `unit`."""

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
    """What a comparison found: the pairs, and the configurations that one side alone has.

    `incomplete` counts the runs left out because records or files of theirs are missing.
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
    """Compare two sides of a warehouse by its marts of runs.

    metrics: only these; parts: values of address spaces and systems too, not of whole runs only;
    ignore: names that need not be equal; tolerance: relative difference that does not matter.
    Raises SelectionError.
    """
    factors = _factors(db)
    first, second = (_side(db, text, factors) for text in (baseline, candidate))
    if first.terms == second.terms:
        raise SelectionError("baseline and candidate name the same runs")
    chosen = first.terms.keys() | second.terms.keys() | set(ignore)
    if unknown := set(ignore) - {*factors, *LABELS}:
        raise SelectionError(f"no factor or label is called {', '.join(sorted(unknown))}")
    key = [n for n in (*factors, *_OF_CONFIGURATION, "x_factors") if n not in chosen]
    sides = [first, second]
    _matched(db, sides, key, metrics, parts=parts)
    pairs = _pairs(db, tolerance)
    only = [
        [row[0] for row in db.execute(_ONLY.format(i)).fetchall()]  # what the other side has not
        for i in (0, 1)
    ]
    if not pairs:
        raise SelectionError(_why_none(db, sides, key, only, metrics))
    left_out = db.execute("SELECT count(DISTINCT run_id) FROM side WHERE NOT complete").fetchall()
    return ComparedRuns(first, second, pairs, only[0], only[1], left_out[0][0])


# --- the sides


def _factors(db: duckdb.DuckDBPyConnection) -> list[str]:
    columns = db.execute("SELECT column_name FROM (DESCRIBE marts.dim_configuration)").fetchall()
    return [c for (c,) in columns if c not in {*_NOT_FACTORS, *_OF_CONFIGURATION}]


def _side(db: duckdb.DuckDBPyConnection, text: str, factors: list[str]) -> Side:
    """The side that a text names, all of one origin."""
    terms = dict(_term(db, part.strip(), factors) for part in text.split(","))
    found = db.execute(
        f"SELECT r.origin, count(DISTINCT r.run_id) FROM {_RUNS} WHERE {_where(terms)} "
        "GROUP BY 1 ORDER BY 1"
    ).fetchall()
    if not found:
        raise SelectionError(f"no run has {_told(terms)}")
    if len(found) > 1:
        origins = " and ".join(f"{n:,} {origin}" for origin, n in found)
        raise SelectionError(f"{text!r} names {origins} runs: add one as ,origin={found[0][0]}")
    return Side(text, terms, *found[0])


def _term(db: duckdb.DuckDBPyConnection, text: str, factors: list[str]) -> tuple[str, str]:
    name, given, level = text.partition("=")
    if given:
        if name not in {*LABELS, "origin", *factors}:
            known = ", ".join((*LABELS, "origin", *factors))
            raise SelectionError(f"no factor or label is called {name!r}; there are {known}")
        return name, level
    for label in LABELS:
        found = f"SELECT 1 FROM marts.fct_run WHERE {label} = {_quoted(text)} LIMIT 1"
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
    hint = f"; there are {', '.join(near)}" if near else ": the warehouse holds no runs"
    raise SelectionError(f"no run's {', '.join(LABELS)} is {text!r}{hint}")


def _quoted(text: str) -> str:
    """An SQL literal. A parameter would make DuckDB import pandas, which takes longer than all."""
    return "'" + text.replace("'", "''") + "'"


def _where(terms: dict[str, str]) -> str:
    """The condition for runs `r` with configurations `c`."""
    of_run = {*LABELS, "origin"}
    tests = []
    for name, level in terms.items():
        value = _quoted(level)
        if name in of_run:
            tests.append(f"r.{name} = {value}")
        else:  # 10 is 10.0
            column = f"c.{name}::VARCHAR"
            as_number = f"try_cast({column} AS DOUBLE) = try_cast({value} AS DOUBLE)"
            tests.append(f"({column} = {value} OR {as_number})")
    return " AND ".join(tests)


def _told(terms: dict[str, str]) -> str:
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
    """Make the temporary table `side`: one row a side, configuration key, metric and run."""
    conditions = [_where({"origin": s.origin} | s.terms) for s in sides]
    keys = ", ".join(f"c.{name}" for name in key) or "NULL"
    of_side = " UNION ALL ".join(
        f"SELECT {i} AS side, r.origin, r.run_id, hash({keys}) AS key, c.configuration "
        f"FROM {_RUNS} WHERE {where}"
        for i, where in enumerate(conditions)
    )
    only = "" if parts else "AND m.address_space IS NULL AND m.system_id IS NULL"
    if metrics:
        only += f" AND m.metric IN ({', '.join(map(_quoted, metrics))})"
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE side AS WITH chosen AS ({of_side}) "
        "SELECT chosen.side, chosen.run_id, key, configuration, m.metric, m.unit, m.value, "
        "m.is_complete AS complete, m.more_is_better AS more, "
        "concat_ws(' on ', m.address_space, m.system_id) AS part "
        "FROM chosen JOIN marts.fct_measurement m "
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
    """What keeps the two sides apart: the names on whose levels they never agree."""
    if not all(only):
        what = f"metric {' or '.join(metrics)}" if metrics else "complete measurements"
        return f"the two sides share no {what}"
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
    differ = f" they never agree on {', '.join(apart)}: say --ignore NAME" if apart else ""
    return f"no configuration is on both sides;{differ}"
