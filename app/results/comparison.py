"""Compare the runs of a candidate with those of a baseline, configuration by configuration.

app.results.sides says what a side is. Runs are matched on everything in a configuration except the
names that choose the two sides and those that the caller ignores. The noise between builds comes
from the other builds of each configuration up to the later side; where there are too few, from the
matched configuration that varies most; where none has enough, it is assumed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, TypeAlias

import duckdb

from app.results.against_figures import compare_with_figures
from app.results.chosen_runs import (
    choose,
    factor_names,
    factor_roles,
    held_condition,
    levels_of,
    require_apart,
    unshared_systems,
)
from app.results.compared import BUILDS, CHANGE, ComparedRuns, Pair
from app.results.labels import factor_label, level_label, small
from app.results.sides import LABELS, Factors, SelectionError, Side, Terms, factors_of, find_side
from app.results.suggest import did_you_mean
from expectations.metrics import dictionary, measure_of
from expectations.regressions.series import ALL_MEASUREMENTS, MEASUREMENTS, OF_WORK, SESSIONS, WORK
from expectations.regressions.units import factor
from expectations.verdicts.builds import Samples, compare_builds
from expectations.verdicts.pairs import LEAST_PAIRS, pool
from expectations.verdicts.samples import TOLERANCE
from expectations.verdicts.verdict import BUILD_NOISE, NOT_JUDGED
from ingest.lake.sql import literal

__all__ = ["compare_runs"]

#: A share, whose direction says nothing, though what shifts it matters. Other figures of the
#: dictionary without a direction, such as settings, are facts about a run and not its result.
_WITHOUT_DIRECTION = ("ziip_share",)
_OF_RUNS = f"(SELECT *, '' AS system_id, '' AS address_space FROM {MEASUREMENTS})"
_NEVER = "0001-01-01"
#: What keeps the CPU time of a run out of comparisons only because of its speed.
_OF_SPEED = ("capacity_changed", "machines_differ")
_BUILDS_OF_HISTORY = 60  # the latest ones tell the noise of today
#: Stretches of the figures of other builds by key, metric, part and unit.
Histories: TypeAlias = dict[tuple[object, ...], list[list[list[float]]]]


def compare_runs(
    db: duckdb.DuckDBPyConnection,
    baseline: Terms,
    candidate: Terms,
    *,
    metrics: Sequence[str] = (),
    parts: bool = False,
    ignore: Iterable[str] = (),
    held: Mapping[str, Sequence[str | None]] | None = None,
    across_systems: bool = False,
    one_speed: bool = False,
    tolerance: float = TOLERANCE,
    question: str = CHANGE,
    build_noise: float = BUILD_NOISE,
) -> ComparedRuns:
    """Compare two sides of a warehouse with marts.

    metrics: show only these; parts: also compare values of address spaces and systems;
    ignore: names of factors and labels in which matched runs may differ;
    held: the levels that runs of both sides must have, by factor or label;
    across_systems: also ignore the machine or the MQ level if the sides have none in common;
    one_speed: convert CPU time to one speed, by service units (SU_SEC), and ignore speed;
    tolerance: relative difference to ignore; question: BUILDS, with the noise of the runs alone, or
    CHANGE, with that between builds, which is the default; build_noise: relative standard deviation
    to assume between builds of which nothing is known. Raises SelectionError.
    """
    factors = factors_of(db)
    ignored = set(ignore) | ({"speed"} if one_speed else set())
    for name in sorted(ignored - {*factors, *LABELS}):
        near = did_you_mean(name, (*factors, *LABELS))
        raise SelectionError(f"no factor or label is named {name!r}{near}")
    kept = held_condition(held or {}, factors)
    first, second = (find_side(db, terms, factors, kept) for terms in (baseline, candidate))
    if first.terms == second.terms:
        raise SelectionError("baseline and candidate name the same runs")
    choose(db, (first, second), factors, kept)
    require_apart(db, first, second)
    if one_speed and (parts or first.is_reference or second.is_reference):
        raise SelectionError("service units are those of whole runs: neither of parts nor figures")
    if first.is_reference or second.is_reference:
        return compare_with_figures(db, (first, second), factors, ignored, metrics, parts=parts)
    if across_systems:
        ignored |= unshared_systems(db, factors)
    chosen = first.terms.keys() | second.terms.keys() | ignored
    measurements = ALL_MEASUREMENTS if parts else _OF_RUNS
    _require_metrics(db, metrics, measurements)
    measurements = _in_one_unit(db, measurements)
    _match(db, chosen, factors, _at_one_speed(db, measurements) if one_speed else measurements)
    pairs = _pairs(
        db, (first, second), measurements, tolerance, None if question == BUILDS else build_noise
    )
    pooled = _pooled(pairs, tolerance)
    if metrics:  # a choice of what is shown: verdicts are those of all that was judged together
        db.execute(f"DELETE FROM side WHERE metric NOT IN ({', '.join(map(literal, metrics))})")
        pairs, pooled = ([each for each in some if each.metric in metrics]
                         for some in (pairs, pooled))  # fmt: skip
    only = [[row[0] for row in db.execute(_ONLY.format(i)).fetchall()] for i in (0, 1)]
    if not pairs:
        raise _no_pairs(db, factors, chosen, only, metrics)
    return ComparedRuns(
        first, second, pairs, only[0], only[1], _incomplete(db), factor_roles(db, factors, ignored),
        build_noise, {metric: (b, c) for metric, b, c in db.execute(_SOURCES).fetchall()},
        question, pooled, [name for (name,) in db.execute(_MISSING).fetchall()],
    )  # fmt: skip


def _require_metrics(
    db: duckdb.DuckDBPyConnection, metrics: Sequence[str], measurements: str
) -> None:
    if not metrics:
        return
    rows = db.execute(f"SELECT DISTINCT metric FROM {measurements}").fetchall()
    known = [name for (name,) in rows]
    for name in metrics:
        if name not in known:
            raise SelectionError(f"no metric is named {name!r}{did_you_mean(name, known)}")


def _in_one_unit(db: duckdb.DuckDBPyConnection, measurements: str) -> str:
    """Return SQL of measurements, those of a metric in the unit of the first side if that can be.

    A unit that cannot be converted makes another figure.
    """
    units = db.execute(
        f"SELECT metric, list(DISTINCT unit), min_by(unit, side) FROM {measurements} AS m"
        " LEFT JOIN chosen USING (origin, run_id) WHERE unit IS NOT NULL"
        " GROUP BY metric HAVING count(DISTINCT unit) > 1 AND count(side) > 0"
    ).fetchall()
    factors = [
        f"({literal(metric)}, {literal(unit)}, {literal(of_first)}, {times!r})"
        for metric, units, of_first in units
        for unit in units
        if unit != of_first and (times := factor(unit, of_first))
    ]
    if not factors:
        return measurements
    values = ", ".join(
        f"{name} * coalesce(times, 1) AS {name}" for name in ("value", "value_low", "value_high")
    )
    return (
        f"(SELECT m.* REPLACE ({values}, coalesce(own, m.unit) AS unit) FROM {measurements} AS m"
        f" LEFT JOIN (VALUES {', '.join(factors)}) AS u(metric, unit, own, times)"
        " ON m.metric = u.metric AND m.unit = u.unit)"
    )


# Whether the run of a figure has a part of some intervals.
_APPORTIONED = "value_high - value_low > 1e-9 * abs(value_high)"


def _at_one_speed(db: duckdb.DuckDBPyConnection, measurements: str) -> str:
    """Return SQL of measurements of runs, with CPU time at the lowest speed of those chosen.

    Runs on two machines, or at two speeds, count where nothing else is wrong with them.
    """
    ((lowest,),) = db.execute(
        "SELECT min(service_units / cpu_seconds) FROM chosen"
        " JOIN marts.fct_run_total USING (origin, run_id)"
    ).fetchall()
    if lowest is None:
        raise SelectionError("no run has CPU time and service units per second (SU_SEC)")
    speed = f"if(unit LIKE 'CPU %', service_units / cpu_seconds / {lowest!r}, 1)"
    columns = ("value", "value_low", "value_high")
    values = ", ".join(f"{name} * {speed} AS {name}" for name in columns)
    kinds = ", ".join(map(literal, _OF_SPEED))
    return (
        f"(SELECT m.* REPLACE ({values}, m.is_compared OR NOT ({_APPORTIONED}) AND"
        f" list_has_all([{kinds}], total.issue_kinds) AS is_compared)"
        f" FROM {measurements} AS m JOIN (SELECT origin, run_id, issue_kinds, service_units,"
        " cpu_seconds FROM marts.fct_run_total) AS total USING (origin, run_id))"
    )


def _match(
    db: duckdb.DuckDBPyConnection,
    chosen: set[str],
    factors: Factors,
    measurements: str,
) -> None:
    """Create the temporary table `side`: one row per side, configuration key, metric and run."""
    keys = [
        f"({sql})::VARCHAR" for name, sql in factor_names(factors).items() if name not in chosen
    ]
    facts = ", ".join(literal(name) for name in dictionary() if name not in _WITHOUT_DIRECTION)
    db.execute(
        "CREATE OR REPLACE TEMP TABLE side AS WITH keyed AS ("
        f"SELECT chosen.*, c.configuration, hash({', '.join(keys) or 'NULL'}) AS key"
        " FROM chosen JOIN marts.dim_configuration c USING (configuration_id)) "
        "SELECT keyed.side, keyed.origin, keyed.run_id, keyed.build, keyed.configuration_id, key,"
        " configuration, m.metric, m.unit,"
        " m.value, m.value_low, m.value_high, m.is_compared AS complete, m.more_is_better AS more, "
        "m.address_space || m.system_id AS part "
        f"FROM keyed JOIN {measurements} m "
        "ON m.origin = keyed.origin AND m.run_id = keyed.run_id "
        f"WHERE (m.more_is_better IS NOT NULL OR m.metric NOT IN ({facts}))"
        " AND isfinite(m.value)"
    )


class _Row(NamedTuple):
    """One metric of one configuration on both sides: values of runs, builds."""

    configuration: str
    metric: str
    part: str
    unit: str
    more: bool | None
    baseline_values: list[float]
    candidate_values: list[float]
    key: object
    baseline_builds: int
    candidate_builds: int
    are_same_builds: bool
    bounds: list[float] | None = None

    def samples(self, histories: Histories) -> Samples:
        kind = (self.metric, self.part, self.unit)
        return Samples(
            self.baseline_values, self.candidate_values,
            measure_of(self.metric, self.unit, self.more), kind,
            (self.baseline_builds, self.candidate_builds), self.are_same_builds,
            histories.get((self.key, *kind)),
        )  # fmt: skip


_PAIRS = f"""
WITH grouped AS (
    SELECT side, key, metric, part, unit, more, min(configuration) AS configuration,
        list(value ORDER BY run_id) AS runs, bool_or({_APPORTIONED}) AS bounded,
        avg(value_low) AS low, avg(value_high) AS high, list_sort(list(DISTINCT build)) AS builds
    FROM side
    WHERE complete GROUP BY ALL
)
SELECT b.configuration, metric, part, unit, b.more, b.runs, c.runs,
    key, len(b.builds), len(c.builds), b.builds = c.builds,
    if((b.bounded OR c.bounded) AND b.high > 0,
        [c.low / b.high, if(b.low > 0, c.high / b.low, 'inf')], NULL)
FROM grouped b JOIN grouped c USING (key, metric, part, unit)
WHERE b.side = 0 AND c.side = 1 AND b.more IS NOT DISTINCT FROM c.more
ORDER BY b.configuration, metric, part
"""
_ONLY = """
SELECT DISTINCT configuration FROM side
WHERE side = {0} AND key NOT IN (SELECT key FROM side WHERE side = 1 - {0}) ORDER BY 1
"""
_MISSING = """
SELECT DISTINCT concat_ws(', ', metric || coalesce(' in ' || nullif(unit, ''), ''),
    nullif(part, ''), configuration) AS name
FROM side AS b
WHERE side = 0 AND complete AND key IN (SELECT key FROM side WHERE side = 1) AND NOT EXISTS (
    FROM side AS c WHERE c.side = 1 AND (b.key, b.metric, b.part) = (c.key, c.metric, c.part)
        AND b.unit IS NOT DISTINCT FROM c.unit
) ORDER BY 1
"""


# Where the values of the compared metrics come from, if that differs from side to side.
_SOURCES = f"""
WITH told AS (
    SELECT side, metric, string_agg(DISTINCT value_source, '; ' ORDER BY value_source) AS sources
    FROM side JOIN {MEASUREMENTS} USING (origin, run_id, metric)
    WHERE complete AND part = '' GROUP BY ALL
)
SELECT metric, b.sources, c.sources FROM told AS b JOIN told AS c USING (metric)
WHERE b.side = 0 AND c.side = 1 AND b.sources <> c.sources ORDER BY metric
"""


# The builds of the compared configurations: each stretch of builds with the figures of a metric.
# The later side stands apart: what may have changed there is no noise between builds.
_HISTORY = """
WITH matched AS (
    SELECT DISTINCT key, origin, configuration_id FROM side WHERE complete AND key IN
        (SELECT key FROM side WHERE complete GROUP BY key HAVING count(DISTINCT side) = 2)
), runs AS (
    SELECT key, origin, run_id, r.start_utc, build, hash(key, r.campaign, configuration_id,
        (origin, run_id) IN (SELECT (origin, run_id) FROM chosen WHERE side = {later})) AS stretch
    FROM marts.fct_run AS r JOIN matched USING (origin, configuration_id)
    JOIN {sessions} USING (origin, run_id)
    WHERE is_compared AND r.start_utc <= TIMESTAMP '{until}'
), dated AS (
    SELECT *, min(start_utc) OVER (PARTITION BY stretch, build) AS first_utc FROM runs
), recent AS (
    SELECT key, origin, run_id, stretch,
        dense_rank() OVER (PARTITION BY stretch ORDER BY first_utc DESC, build) AS age
    FROM dated QUALIFY age <= {builds}
), figures AS (
    SELECT key, stretch, age, metric, m.address_space || m.system_id AS part, unit,
        list(value ORDER BY run_id) AS runs
    FROM {measurements} AS m JOIN recent USING (origin, run_id)
    WHERE m.is_compared AND isfinite(value) AND metric IN (SELECT DISTINCT metric FROM side)
    GROUP BY ALL
)
SELECT key, metric, part, unit, list(runs ORDER BY age DESC)
FROM figures GROUP BY key, stretch, metric, part, unit HAVING count(*) > 1
"""


def _history(db: duckdb.DuckDBPyConnection, sides: Sequence[Side], measurements: str) -> Histories:
    last = [f"{side.last_utc or _NEVER}" for side in sides]
    stretches: Histories = {}
    for *key, builds in db.execute(
        _HISTORY.format(
            sessions=SESSIONS,
            later=int(last[0] <= last[1]),
            until=max(last),
            builds=_BUILDS_OF_HISTORY,
            measurements=measurements,
        )
    ).fetchall():
        stretches.setdefault(tuple(key), []).append(builds)
    return stretches


def _pairs(
    db: duckdb.DuckDBPyConnection,
    sides: Sequence[Side],
    measurements: str,
    tolerance: float,
    build_noise: float | None,
) -> list[Pair]:
    """Return the judged pairs; build_noise: None if only the runs of the two builds count."""
    rows = [_Row(*row) for row in db.execute(_PAIRS).fetchall()]
    histories = {}
    if build_noise is not None and rows:
        histories = _history(db, sides, measurements)
    work = _known_work(db)
    # Parts, and what is not judged, must not make judging of runs more cautious.
    families: dict[tuple[bool, bool], list[_Row]] = {}
    for row in rows:
        families.setdefault((_grows(row.metric, work.get(row.key, ())), row.part > ""), []).append(
            row
        )
    pairs = []
    for (is_total, _), family in sorted(families.items()):
        verdicts = compare_builds(
            [row.samples(histories) for row in family],
            tolerance=tolerance,
            build_noise=build_noise or 0.0,
        )
        pairs += [
            Pair(
                *row[:5], replace(verdict, verdict=NOT_JUDGED) if is_total else verdict,
                tuple(row.baseline_values), tuple(row.candidate_values),
                bounds=(row.bounds[0], row.bounds[1]) if row.bounds else None,
            )
            for row, verdict in zip(family, verdicts, strict=True)
        ]  # fmt: skip
    return pairs


def _pooled(pairs: Sequence[Pair], tolerance: float) -> list[Pair]:
    """Return the metrics over all of their configurations, where these are three or more."""
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        if pair.judged.verdict != NOT_JUDGED:
            groups.setdefault((pair.metric, pair.part, pair.unit, pair.judged.unit), []).append(
                pair
            )
    many = [group for group in groups.values() if len(group) >= LEAST_PAIRS]
    judged = pool(
        [[pair.judged for pair in group] for group in many], [group[0].measure for group in many],
        tolerance=tolerance,
    )  # fmt: skip
    return [
        replace(group[0], configuration="", judged=verdict, baseline_values=(), candidate_values=())
        for group, verdict in zip(many, judged, strict=True)
    ]


def _known_work(db: duckdb.DuckDBPyConnection) -> dict[object, set[str]]:
    """Return which measures of work, and figures per unit of it, the runs of each key have."""
    names = {*WORK, *chain.from_iterable(OF_WORK.values())}
    names_of_key: dict[object, set[str]] = {}
    for key, metric in db.execute(
        f"SELECT DISTINCT key, metric FROM (SELECT DISTINCT key, origin, run_id FROM side)"
        f" JOIN {MEASUREMENTS} USING (origin, run_id)"
        f" WHERE metric IN ({', '.join(map(literal, sorted(names)))}) AND value > 0"
    ).fetchall():
        names_of_key.setdefault(key, set()).add(metric)
    return names_of_key


def _grows(metric: str, known_work: Container[str]) -> bool:
    """Return whether a metric is a total of runs that say how much they did.

    Where they do not, totals are all there is, and runs are of the same work.
    """
    return metric in OF_WORK and any(name in known_work for name in (*WORK, *OF_WORK[metric]))


def _incomplete(db: duckdb.DuckDBPyConnection) -> int:
    counted = db.execute(
        "SELECT count(*) FROM (SELECT run_id FROM side GROUP BY origin, run_id "
        "HAVING NOT bool_or(complete))"
    ).fetchall()
    return int(counted[0][0])


def _no_pairs(
    db: duckdb.DuckDBPyConnection,
    factors: Factors,
    chosen: set[str],
    only: list[list[str]],
    metrics: Sequence[str],
) -> SelectionError:
    """Explain why no pair was found: the names whose levels the two sides never share."""
    if not all(only):
        measured = f"metric {' or '.join(metrics)}" if metrics else "complete measurements"
        return SelectionError(f"the two sides have no {measured} in common")
    key = {name: sql for name, sql in factor_names(factors).items() if name not in chosen}
    apart = {
        name: f"{small(factor_label(name))} ({_levels(name, a)} against {_levels(name, b)})"
        for name, (a, b) in levels_of(db, key).items()
        if (any(a) or any(b)) and not set(a) & set(b)
    }
    differ = f"; they differ in {', '.join(apart.values())}" if apart else ""
    return SelectionError(f"no configuration is on both sides{differ}", apart)


def _levels(name: str, levels: Sequence[str | None]) -> str:
    return ", ".join(level_label(name, level) if level else "not set" for level in levels[:3])
