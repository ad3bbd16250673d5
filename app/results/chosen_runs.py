"""The runs of both sides of a comparison, and the factors that tell them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb

from app.results.compared import Varied
from app.results.sides import RUNS, Factors, SelectionError, Side, condition, join_terms
from app.results.words import counted
from expectations.regressions.series import SESSIONS

__all__ = ["choose", "factor_names", "factor_roles", "held_condition", "levels_of",
           "require_apart", "roles_of", "unshared_systems"]  # fmt: skip

_OF_CONFIGURATION = ("machine", "mq_level")


def held_condition(held: Mapping[str, Sequence[str | None]], factors: Factors) -> str:
    """Return the condition that runs have one of the given levels of each name."""
    of_names = (
        " OR ".join(condition({name: level}, factors) for level in levels)
        for name, levels in held.items()
        if levels
    )
    return " AND ".join(f"({levels})" for levels in of_names) or "true"


def choose(
    db: duckdb.DuckDBPyConnection, sides: Sequence[Side], factors: Factors, held: str
) -> None:
    """Create the temporary table `chosen`: one row per side and run."""
    of_side = " UNION ALL ".join(
        f"SELECT {i} AS side, r.origin, r.run_id, configuration_id, s.build FROM {RUNS}"
        f" LEFT JOIN {SESSIONS} AS s ON (s.origin, s.run_id) = (r.origin, r.run_id)"
        f" WHERE {condition({'origin': side.origin} | side.terms, factors)} AND {held}"
        for i, side in enumerate(sides)
        if not side.is_reference
    )
    nothing = (
        "SELECT 0 AS side, '' AS origin, '' AS run_id, '' AS configuration_id, '' AS build"
        " WHERE false"
    )
    db.execute(f"CREATE OR REPLACE TEMP TABLE chosen AS {of_side or nothing}")


def require_apart(db: duckdb.DuckDBPyConnection, first: Side, second: Side) -> None:
    """Raise SelectionError if a run is on both sides: it would be compared with itself."""
    both = db.execute(
        "SELECT count(*) FROM (SELECT origin, run_id FROM chosen"
        " GROUP BY ALL HAVING count(DISTINCT side) = 2)"
    ).fetchall()[0][0]
    if both:
        larger = first.terms if first.runs >= second.runs else second.terms
        smaller = second.terms if larger is first.terms else first.terms
        raise SelectionError(
            f"{counted(both, 'run is', 'runs are')} on both sides: give "
            f"{join_terms(larger)!r} a term that leaves out {join_terms(smaller)!r}, such as "
            "NAME=LEVEL of a factor or label"
        )


def factor_names(factors: Factors) -> dict[str, str]:
    """Return what tells configurations apart, and its SQL."""
    return dict(factors) | {name: f"c.{name}" for name in _OF_CONFIGURATION}


def levels_of(
    db: duckdb.DuckDBPyConnection, names: Mapping[str, str], where: str = "true"
) -> dict[str, tuple[list[str | None], list[str | None]]]:
    """Return the levels of each name on both sides; None stands for what is not set."""
    wanted = ", ".join(f"list_distinct(list(coalesce({e}::VARCHAR, '')))" for e in names.values())
    of_sides = {
        side: levels
        for side, *levels in db.execute(
            f"SELECT side, {wanted} FROM (SELECT DISTINCT side, configuration_id FROM chosen"
            f" WHERE {where}) JOIN marts.dim_configuration c USING (configuration_id) GROUP BY 1"
        ).fetchall()
    }
    none: list[list[str | None]] = [[] for _ in names]
    both = zip(names, of_sides.get(0, none), of_sides.get(1, none), strict=True)
    return {name: (sorted(a), sorted(b)) for name, a, b in both}


def unshared_systems(db: duckdb.DuckDBPyConnection, factors: Factors) -> set[str]:
    """Return the names of the system, machine or MQ level, that the sides never share."""
    levels = levels_of(db, {name: factor_names(factors)[name] for name in _OF_CONFIGURATION})
    return {name for name, (a, b) in levels.items() if not set(a) & set(b)}


def factor_roles(
    db: duckdb.DuckDBPyConnection, factors: Factors, ignored: set[str]
) -> list[Varied]:
    """Return the factors of what is compared that are set at all."""
    matched = (
        "(origin, run_id) IN (SELECT (origin, run_id) FROM side WHERE complete AND key IN"
        " (SELECT key FROM side WHERE complete GROUP BY key HAVING count(DISTINCT side) = 2))"
    )
    return roles_of(levels_of(db, factor_names(factors), matched), ignored)


def roles_of(
    levels: Mapping[str, tuple[list[str | None], list[str | None]]], ignored: set[str]
) -> list[Varied]:
    """Return the names that have a level on a side, with their roles."""
    return [
        Varied(
            name,
            "ignored" if name in ignored and a != b else "held" if a == b else "differs",
            *(tuple(level or "not set" for level in side) for side in (a, b)),
        )
        for name, (a, b) in levels.items()
        if any(a) or any(b)
    ]
