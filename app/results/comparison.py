"""Compare the runs of a candidate with those of a baseline, configuration by configuration.

app.results.sides says what a side is. Runs are matched on everything in a configuration except the
names that choose the two sides and those that the caller ignores. The noise between builds comes
from the other builds of each configuration up to the later side. Published and predicted figures
are matched to the configurations of runs by the marts; there is one figure per configuration, so
the result is the place of the figure in the interval of the runs, and no verdict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import duckdb

from app.results.sides import (
    LABELS,
    PREDICTED,
    PUBLISHED,
    RUNS,
    Factors,
    SelectionError,
    Side,
    Terms,
    condition,
    factors_of,
    find_side,
    joined,
    parse_terms,
)
from app.results.suggest import did_you_mean
from expectations.detector import Comparison, Noise, compare_matched, noise_of_builds
from expectations.detector.permutation import LEAST_NOISE
from expectations.detector.student import quantile
from expectations.regressions.series import ALL_MEASUREMENTS, BUILD, MEASUREMENTS, OF_WORK, WORK
from ingest.lake.sql import literal

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CHANGED", "FIGURE", "NOT_JUDGED", "ComparedRuns", "Pair", "SelectionError", "Side",
           "Varied", "compare_runs", "interval", "parse_terms"]  # fmt: skip

#: The verdict on a metric that is neither good nor bad, if it differs.
CHANGED = "changed"
#: Of a total that grows with the work of a run: it is shown, not judged.
NOT_JUDGED = "not judged"
#: What is said of a single figure beside runs: its place in their 95 % interval.
FIGURE = ("figure below", "figure above", "figure inside", "no interval")
_BELOW, _ABOVE, _INSIDE, _NO_INTERVAL = FIGURE
_ALPHA = 0.05
_OF_CONFIGURATION = ("machine", "mq_level")
#: A share, whose direction says nothing, though what shifts it matters.
_WITHOUT_DIRECTION = ("ziip_share",)
_OF_RUNS = f"(SELECT *, '' AS system_id, '' AS address_space FROM {MEASUREMENTS})"
_NEVER = "0001-01-01"
_BUILDS_OF_HISTORY = 60  # the latest ones tell the noise of today


@dataclass(frozen=True, slots=True)
class Pair:
    """One metric of one configuration: the geometric mean of each side in `unit`, and the verdict.

    more_is_better: None if neither is; baseline_values, candidate_values: one number per run;
    figure: where a published or predicted figure comes from; band: the model's 10-90 % band in
    `unit`; history: the noise of the configuration in other builds, which is part of the verdict.
    """

    configuration: str
    metric: str
    part: str
    unit: str
    more_is_better: bool | None
    baseline: float
    candidate: float
    judged: Comparison
    baseline_values: tuple[float, ...]
    candidate_values: tuple[float, ...]
    figure: str = ""
    band: tuple[float, float] | None = None
    history: Noise | None = None


@dataclass(frozen=True, slots=True)
class Varied:
    """A factor or label of the compared runs: its levels on each side.

    role: held (the same levels on both sides), differs, or ignored.
    """

    name: str
    role: str
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ComparedRuns:
    """The compared pairs, their factors, and the configurations that only one side has.

    `incomplete` counts the runs left out because of their issues.
    """

    baseline: Side
    candidate: Side
    pairs: list[Pair]
    only_baseline: list[str]
    only_candidate: list[str]
    incomplete: int
    factors: list[Varied]

    def __repr__(self) -> str:
        counts = Counter(pair.judged.verdict for pair in self.pairs)
        found = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        return f"<{self.candidate.name} against {self.baseline.name}: {found}>"

    def frame(self) -> pl.DataFrame:
        """Return one row per pair: names, both sides' geometric means, change in percent, verdict.

        low, high: the 95 % interval of `change`, in percent; null where it is not known.
        """
        import polars as pl

        kinds = {
            **dict.fromkeys(("configuration", "metric", "part", "figure", "unit"), pl.String),
            **dict.fromkeys(("baseline", "candidate", "change", "low", "high"), pl.Float64),
            "verdict": pl.String,
            "baseline_runs": pl.Int64,
            "candidate_runs": pl.Int64,
        }
        rows = [
            (
                *(pair.configuration, pair.metric, pair.part, pair.figure, pair.unit),
                *(pair.baseline, pair.candidate),
                *(
                    100 * (ratio - 1) if 0 < ratio < math.inf else None
                    for ratio in (pair.judged.ratio, pair.judged.low, pair.judged.high)
                ),
                *(pair.judged.verdict, pair.judged.baseline_runs, pair.judged.candidate_runs),
            )
            for pair in self.pairs
        ]
        return pl.DataFrame(rows, kinds, orient="row")


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
    tolerance: float = 0.02,
) -> ComparedRuns:
    """Compare two sides of a warehouse with marts.

    metrics: only these; parts: also compare values of address spaces and systems;
    ignore: names of factors and labels in which matched runs may differ;
    held: the levels that runs of both sides must have, by factor or label;
    across_systems: also ignore the machine or the MQ level if the sides have none in common;
    tolerance: relative difference to ignore. Raises SelectionError.
    """
    factors = factors_of(db)
    ignored = set(ignore)
    for name in sorted(ignored - {*factors, *LABELS}):
        near = did_you_mean(name, (*factors, *LABELS))
        raise SelectionError(f"no factor or label is named {name!r}{near}")
    kept = _held(held or {}, factors)
    first, second = (find_side(db, terms, factors, kept) for terms in (baseline, candidate))
    if first.terms == second.terms:
        raise SelectionError("baseline and candidate name the same runs")
    _choose(db, (first, second), factors, kept)
    _require_apart(db, first, second)
    if first.is_reference or second.is_reference:
        return _with_figures(db, (first, second), factors, ignored, metrics, parts=parts)
    if across_systems:
        ignored |= _apart(db, factors)
    chosen = first.terms.keys() | second.terms.keys() | ignored
    measurements = ALL_MEASUREMENTS if parts else _OF_RUNS
    _require_metrics(db, metrics, measurements)
    _match(db, chosen, factors, metrics, measurements)
    pairs = _pairs(db, (first, second), measurements, tolerance)
    only = [[row[0] for row in db.execute(_ONLY.format(i)).fetchall()] for i in (0, 1)]
    if not pairs:
        raise SelectionError(_why_none(db, factors, chosen, only, metrics))
    return ComparedRuns(
        first, second, pairs, only[0], only[1], _incomplete(db), _varied(db, factors, ignored)
    )


def _require_metrics(
    db: duckdb.DuckDBPyConnection, metrics: Sequence[str], measurements: str
) -> None:
    if not metrics:
        return
    found = db.execute(f"SELECT DISTINCT metric FROM {measurements}").fetchall()
    known = [name for (name,) in found]
    for name in metrics:
        if name not in known:
            raise SelectionError(f"no metric is named {name!r}{did_you_mean(name, known)}")


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of logarithms of positive values; None of one value."""
    if len(values) < 2:
        return None
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((value - mean) ** 2 for value in logs) / (len(logs) - 1))
    reach = quantile(_ALPHA, len(logs) - 1) * max(spread, LEAST_NOISE) / math.sqrt(len(logs))
    return math.exp(mean - reach), math.exp(mean + reach)


# --- the runs of both sides


def _held(held: Mapping[str, Sequence[str | None]], factors: Factors) -> str:
    """Return the condition that runs have one of the given levels of each name."""
    of_names = (
        " OR ".join(condition({name: level}, factors) for level in levels)
        for name, levels in held.items()
        if levels
    )
    return " AND ".join(f"({levels})" for levels in of_names) or "true"


def _choose(
    db: duckdb.DuckDBPyConnection, sides: Sequence[Side], factors: Factors, held: str
) -> None:
    """Create the temporary table `chosen`: one row per side and run."""
    of_side = " UNION ALL ".join(
        f"SELECT {i} AS side, r.origin, r.run_id, configuration_id, {BUILD} AS build FROM {RUNS}"
        f" WHERE {condition({'origin': side.origin} | side.terms, factors)} AND {held}"
        for i, side in enumerate(sides)
        if not side.is_reference
    )
    nothing = (
        "SELECT 0 AS side, '' AS origin, '' AS run_id, '' AS configuration_id, '' AS build"
        " WHERE false"
    )
    db.execute(f"CREATE OR REPLACE TEMP TABLE chosen AS {of_side or nothing}")


def _require_apart(db: duckdb.DuckDBPyConnection, first: Side, second: Side) -> None:
    """Raise SelectionError if a run is on both sides: it would be compared with itself."""
    both = db.execute(
        "SELECT count(*) FROM (SELECT origin, run_id FROM chosen"
        " GROUP BY ALL HAVING count(DISTINCT side) = 2)"
    ).fetchall()[0][0]
    if both:
        own = first.terms if first.runs >= second.runs else second.terms
        other = second.terms if own is first.terms else first.terms
        raise SelectionError(
            f"{both:,} {'run is' if both == 1 else 'runs are'} on both sides: give "
            f"{joined(own)!r} a term that leaves out {joined(other)!r}, such as NAME=LEVEL of a "
            "factor or label"
        )


def _names(factors: Factors) -> dict[str, str]:
    """Return what tells configurations apart, and its SQL."""
    return dict(factors) | {name: f"c.{name}" for name in _OF_CONFIGURATION}


def _levels(
    db: duckdb.DuckDBPyConnection, names: Mapping[str, str], where: str = "true"
) -> dict[str, tuple[list[str | None], list[str | None]]]:
    """Return the levels of each name on both sides; None stands for what is not set."""
    wanted = ", ".join(f"list_distinct(list(coalesce({e}::VARCHAR, '')))" for e in names.values())
    found = {
        side: levels
        for side, *levels in db.execute(
            f"SELECT side, {wanted} FROM (SELECT DISTINCT side, configuration_id FROM chosen"
            f" WHERE {where}) JOIN marts.dim_configuration c USING (configuration_id) GROUP BY 1"
        ).fetchall()
    }
    none: list[list[str | None]] = [[] for _ in names]
    both = zip(names, found.get(0, none), found.get(1, none), strict=True)
    return {name: (sorted(a), sorted(b)) for name, a, b in both}


def _apart(db: duckdb.DuckDBPyConnection, factors: Factors) -> set[str]:
    """Return the names of the system, machine or MQ level, that the sides never share."""
    levels = _levels(db, {name: _names(factors)[name] for name in _OF_CONFIGURATION})
    return {name for name, (a, b) in levels.items() if not set(a) & set(b)}


def _varied(db: duckdb.DuckDBPyConnection, factors: Factors, ignored: set[str]) -> list[Varied]:
    """Return the factors of what is compared that are set at all."""
    matched = (
        "(origin, run_id) IN (SELECT (origin, run_id) FROM side WHERE complete AND key IN"
        " (SELECT key FROM side WHERE complete GROUP BY key HAVING count(DISTINCT side) = 2))"
    )
    return _roles(_levels(db, _names(factors), matched), ignored)


def _roles(
    levels: Mapping[str, tuple[list[str | None], list[str | None]]], ignored: set[str]
) -> list[Varied]:
    return [
        Varied(
            name,
            "ignored" if name in ignored and a != b else "held" if a == b else "differs",
            *(tuple(level or "not set" for level in side) for side in (a, b)),
        )
        for name, (a, b) in levels.items()
        if any(a) or any(b)
    ]


# --- runs against runs


def _match(
    db: duckdb.DuckDBPyConnection,
    chosen: set[str],
    factors: Factors,
    metrics: Sequence[str],
    measurements: str,
) -> None:
    """Create the temporary table `side`: one row per side, configuration key, metric and run."""
    keys = [f"({sql})::VARCHAR" for name, sql in _names(factors).items() if name not in chosen]
    only = ""
    if metrics:
        only = f"AND m.metric IN ({', '.join(map(literal, metrics))})"
    neutral = ", ".join(map(literal, _WITHOUT_DIRECTION))
    db.execute(
        "CREATE OR REPLACE TEMP TABLE side AS WITH keyed AS ("
        f"SELECT chosen.*, c.configuration, hash({', '.join(keys) or 'NULL'}) AS key"
        " FROM chosen JOIN marts.dim_configuration c USING (configuration_id)) "
        "SELECT keyed.side, keyed.origin, keyed.run_id, keyed.build, keyed.configuration_id, key,"
        " configuration, m.metric, m.unit,"
        " m.value, m.is_compared AS complete, m.more_is_better AS more, "
        "m.address_space || m.system_id AS part "
        f"FROM keyed JOIN {measurements} m "
        "ON m.origin = keyed.origin AND m.run_id = keyed.run_id "
        f"WHERE (m.more_is_better IS NOT NULL OR m.metric IN ({neutral}))"
        f" AND isfinite(m.value) {only}"
    )


_PAIRS = """
WITH grouped AS (
    SELECT side, key, metric, part, unit, more, min(configuration) AS configuration,
        list(value ORDER BY run_id) AS runs, geomean(value) AS middle,
        count(DISTINCT build) AS builds
    FROM side WHERE complete AND value > 0 GROUP BY ALL
)
SELECT b.configuration, metric, part, unit, b.more, b.middle, c.middle, b.runs, c.runs,
    key, b.builds, c.builds
FROM grouped b JOIN grouped c USING (key, metric, part, unit)
WHERE b.side = 0 AND c.side = 1 AND b.more IS NOT DISTINCT FROM c.more
ORDER BY b.configuration, metric, part
"""
_ONLY = """
SELECT DISTINCT configuration FROM side
WHERE side = {0} AND key NOT IN (SELECT key FROM side WHERE side = 1 - {0}) ORDER BY 1
"""


# The builds of the compared configurations: each stretch of builds with the figures of a metric.
# The later side stands apart: what may have changed there is no noise between builds.
_HISTORY = """
WITH matched AS (
    SELECT DISTINCT key, origin, configuration_id FROM side WHERE complete AND key IN
        (SELECT key FROM side WHERE complete GROUP BY key HAVING count(DISTINCT side) = 2)
), runs AS (
    SELECT key, origin, run_id, start_utc, {build} AS build, hash(key, campaign, configuration_id,
        (origin, run_id) IN (SELECT (origin, run_id) FROM chosen WHERE side = {later})) AS stretch
    FROM marts.fct_run JOIN matched USING (origin, configuration_id)
    WHERE is_compared AND start_utc <= TIMESTAMP '{until}'
), dated AS (
    SELECT *, min(start_utc) OVER (PARTITION BY stretch, build) AS first_utc FROM runs
), recent AS (
    SELECT key, origin, run_id, stretch,
        dense_rank() OVER (PARTITION BY stretch ORDER BY first_utc DESC, build) AS age
    FROM dated QUALIFY age <= {builds}
), figures AS (
    SELECT key, stretch, age, metric, m.address_space || m.system_id AS part, unit,
        avg(ln(value)) AS middle, count(*) AS runs, count(*) * var_pop(ln(value)) AS squares
    FROM recent JOIN {measurements} m USING (origin, run_id)
    WHERE m.is_compared AND isfinite(value) AND value > 0
        AND metric IN (SELECT DISTINCT metric FROM side)
    GROUP BY ALL
)
SELECT key, metric, part, unit,
    list(middle ORDER BY age DESC), list(runs ORDER BY age DESC), sum(squares)
FROM figures GROUP BY key, stretch, metric, part, unit HAVING count(*) > 1
"""


def _history(
    db: duckdb.DuckDBPyConnection, sides: Sequence[Side], measurements: str
) -> dict[tuple[object, ...], Noise | None]:
    """Return the noise of the other builds by key, metric, part and unit."""
    last = [f"{side.last_utc or _NEVER}" for side in sides]
    stretches: dict[tuple[object, ...], list[tuple[list[float], list[int], float]]] = {}
    for *what, middles, runs, squares in db.execute(
        _HISTORY.format(
            build=BUILD,
            later=int(last[0] <= last[1]),
            until=max(last),
            builds=_BUILDS_OF_HISTORY,
            measurements=measurements,
        )
    ).fetchall():
        stretches.setdefault(tuple(what), []).append((middles, runs, squares))
    return {what: noise_of_builds(of) for what, of in stretches.items()}


def _pairs(
    db: duckdb.DuckDBPyConnection, sides: Sequence[Side], measurements: str, tolerance: float
) -> list[Pair]:
    rows = db.execute(_PAIRS).fetchall()
    noises = _history(db, sides, measurements) if rows else {}
    known_work = _known_work(db)
    pairs = []
    for of_totals in (False, True):  # what is not judged must not make judging more cautious
        some = [row for row in rows if _grows(row[1], known_work.get(row[9], ())) is of_totals]
        histories = [noises.get((row[9], *row[1:4])) for row in some]
        judged = compare_matched(
            [row[7] for row in some],
            [row[8] for row in some],
            [row[4] is not False for row in some],
            tolerance=tolerance,
            history=histories,
            builds=[(row[10], row[11]) for row in some],
        )
        for (
            name,
            metric,
            part,
            unit,
            more,
            *middles,
            first,
            second,
            _,
            _,
            _,
        ), history, found in zip(some, histories, judged, strict=True):
            neutral = more is None and found.verdict in {"better", "worse"}
            verdict = NOT_JUDGED if of_totals else CHANGED if neutral else found.verdict
            pairs.append(Pair(
                name, metric, part, unit, more, middles[0], middles[1],
                replace(found, verdict=verdict), tuple(first), tuple(second), history=history,
            ))  # fmt: skip
    return pairs


def _known_work(db: duckdb.DuckDBPyConnection) -> dict[object, set[str]]:
    """Return which measures of work, and figures per unit of it, the runs of each key have."""
    names = {*WORK, *chain.from_iterable(OF_WORK.values())}
    found: dict[object, set[str]] = {}
    for key, metric in db.execute(
        f"SELECT DISTINCT key, metric FROM (SELECT DISTINCT key, origin, run_id FROM side)"
        f" JOIN {MEASUREMENTS} USING (origin, run_id)"
        f" WHERE metric IN ({', '.join(map(literal, sorted(names)))}) AND value > 0"
    ).fetchall():
        found.setdefault(key, set()).add(metric)
    return found


def _grows(metric: str, known_work: Container[str]) -> bool:
    """Return whether a metric is a total of runs that say how much they did.

    Where they do not, totals are all there is, and runs are of the same work.
    """
    return metric in OF_WORK and any(name in known_work for name in (*WORK, *OF_WORK[metric]))


def _incomplete(db: duckdb.DuckDBPyConnection) -> int:
    counted = db.execute("SELECT count(DISTINCT run_id) FROM side WHERE NOT complete").fetchall()
    return int(counted[0][0])


def _why_none(
    db: duckdb.DuckDBPyConnection,
    factors: Factors,
    chosen: set[str],
    only: list[list[str]],
    metrics: Sequence[str],
) -> str:
    """Explain why no pair was found: the names whose levels the two sides never share."""
    if not all(only):
        what = f"metric {' or '.join(metrics)}" if metrics else "complete measurements"
        return f"the two sides have no {what} in common"
    key = {name: sql for name, sql in _names(factors).items() if name not in chosen}
    apart = [
        f"{name} ({' '.join(map(_shown, a[:3]))} against {' '.join(map(_shown, b[:3]))})"
        for name, (a, b) in _levels(db, key).items()
        if (any(a) or any(b)) and not set(a) & set(b)
    ]
    differ = f"; they differ in {', '.join(apart)}: try --ignore NAME" if apart else ""
    return f"no configuration is on both sides{differ}"


def _shown(level: str | None) -> str:
    return level or "not set"


# --- runs against figures, and figures against each other

# The figures for the configurations of runs: one row per run, metric, part and figure.
_FIGURES = {
    PUBLISHED: """
        SELECT origin, run_id, configuration_id, metric, coalesce(address_space, '') AS part, unit,
            value, is_compared, document_id, document_id || ' ' || table_id AS told_by,
            published_value AS figure, NULL::DOUBLE AS low, NULL::DOUBLE AS high
        FROM marts.fct_run_against_published""",
    PREDICTED: """
        SELECT origin, run_id, configuration_id, metric, '' AS part, unit,
            value, is_compared, document_id, 'model of ' || document_id AS told_by,
            predicted AS figure, low, high
        FROM marts.fct_run_against_model""",
}
_DIRECTIONS = "(SELECT metric, any_value(more_is_better) AS more FROM marts.dim_metric GROUP BY 1)"


def _with_figures(
    db: duckdb.DuckDBPyConnection,
    sides: tuple[Side, Side],
    factors: Factors,
    ignored: set[str],
    metrics: Sequence[str],
    *,
    parts: bool,
) -> ComparedRuns:
    figures = [
        (i, next(kind for kind in _FIGURES if kind in side.terms))
        for i, side in enumerate(sides)
        if side.is_reference
    ]
    wanted = "figure > 0" + ("" if parts else " AND part = ''")
    if metrics:
        wanted += f" AND metric IN ({', '.join(map(literal, metrics))})"
    if len(figures) == 2:
        pairs = _figures_with_figures(db, sides, figures, wanted)
        if not pairs:
            raise SelectionError("no configuration of a run has both figures")
        return ComparedRuns(*sides, pairs, [], [], 0, [])
    ((place, kind),) = figures
    wanted += _of_document(sides[place].terms[kind])
    rows = db.execute(
        "SELECT configuration, metric, part, unit, more, figure, geomean(value),"
        " list(value ORDER BY run_id), told_by, any_value(low), any_value(high)"
        f" FROM ({_FIGURES[kind]}) JOIN chosen USING (origin, run_id, configuration_id)"
        " JOIN marts.dim_configuration c USING (configuration_id)"
        f" LEFT JOIN {_DIRECTIONS} USING (metric) WHERE {wanted} AND is_compared AND value > 0"
        " GROUP BY ALL ORDER BY configuration, metric, part, told_by"
    ).fetchall()
    if not rows:
        raise SelectionError(f"no run of the other side has {sides[place].name} to compare with")
    pairs = []
    for configuration, metric, part, unit, more, figure, middle, values, source, low, high in rows:
        runs, alone = tuple(values), (figure,)
        first, second = (alone, runs) if place == 0 else (runs, alone)
        middles = (figure, middle) if place == 0 else (middle, figure)
        pairs.append(Pair(
            configuration, metric, part, unit, more, *middles,
            _placed(runs, figure, is_baseline=place == 0), first, second,
            source, None if low is None else (low, high),
        ))  # fmt: skip
    only: list[list[str]] = [[], []]
    only[1 - place] = _without_figure(db, kind, wanted)
    if kind == PUBLISHED:
        only[place] = _without_run(db, sides[place].terms[kind])
    left_out = db.execute(
        f"SELECT count(DISTINCT run_id) FROM ({_FIGURES[kind]})"
        f" JOIN chosen USING (origin, run_id) WHERE {wanted} AND NOT is_compared"
    ).fetchall()[0][0]
    varied = _roles(
        {name: (a or b, b or a) for name, (a, b) in _levels(db, _names(factors)).items()}, ignored
    )
    return ComparedRuns(*sides, pairs, only[0], only[1], left_out, varied)


def _of_document(document: str | None) -> str:
    return "" if document is None else f" AND document_id = {literal(document)}"


def _placed(runs: Sequence[float], figure: float, *, is_baseline: bool) -> Comparison:
    """Return the ratio of runs and a figure, its interval, and the figure's place in it."""
    mean = math.exp(sum(map(math.log, runs)) / len(runs))
    low, high = interval(runs) or (0.0, math.inf)
    if high == math.inf:
        place = _NO_INTERVAL
    else:
        place = _BELOW if figure < low else _ABOVE if figure > high else _INSIDE
    ratios = (mean / figure, low / figure, high / figure)
    if not is_baseline:
        ratios = (figure / mean, figure / high, figure / low if low else math.inf)
    return _unjudged(place, *ratios, runs=(0, len(runs)) if is_baseline else (len(runs), 0))


def _unjudged(
    place: str, ratio: float, low: float, high: float, *, runs: tuple[int, int]
) -> Comparison:
    unknown = (math.nan,) * 5
    return Comparison(*runs, ratio, low, high, *unknown, verdict=place, more_runs=None)


def _figures_with_figures(
    db: duckdb.DuckDBPyConnection,
    sides: tuple[Side, Side],
    figures: Sequence[tuple[int, str]],
    wanted: str,
) -> list[Pair]:
    """Return a pair per configuration of a run that has both figures."""
    selected = [
        f"(SELECT DISTINCT configuration_id, metric, part, unit, told_by, figure, low, high"
        f" FROM ({_FIGURES[kind]}) WHERE {wanted}{_of_document(sides[i].terms[kind])})"
        for i, kind in figures
    ]
    rows = db.execute(
        "SELECT DISTINCT configuration, metric, part, unit, more, b.figure, d.figure,"
        " b.told_by || ', ' || d.told_by, coalesce(b.low, d.low), coalesce(b.high, d.high)"
        f" FROM {selected[0]} b JOIN {selected[1]} d"
        " USING (configuration_id, metric, part, unit)"
        " JOIN marts.dim_configuration c USING (configuration_id)"
        f" LEFT JOIN {_DIRECTIONS} USING (metric) ORDER BY ALL"
    ).fetchall()
    return [
        Pair(
            name, metric, part, unit, more, before, after,
            _unjudged(_NO_INTERVAL, after / before, 0.0, math.inf, runs=(0, 0)),
            (before,), (after,), told_by, None if low is None else (low, high),
        )
        for name, metric, part, unit, more, before, after, told_by, low, high in rows
    ]  # fmt: skip


def _without_figure(db: duckdb.DuckDBPyConnection, kind: str, wanted: str) -> list[str]:
    """Return the configurations of the chosen runs that have no figure."""
    return [
        row[0]
        for row in db.execute(
            "SELECT DISTINCT configuration FROM chosen JOIN marts.dim_configuration"
            " USING (configuration_id) WHERE configuration_id NOT IN"
            f" (SELECT configuration_id FROM ({_FIGURES[kind]}) WHERE {wanted}) ORDER BY 1"
        ).fetchall()
    ]


def _without_run(db: duckdb.DuckDBPyConnection, document: str | None) -> list[str]:
    """Return the published configurations that none of the chosen runs has."""
    return [
        row[0]
        for row in db.execute(
            "SELECT DISTINCT document_id || ' ' || table_id || ': ' || configuration_label"
            " FROM marts.fct_published_measurement WHERE more_is_better IS NOT NULL AND value > 0"
            f" AND configuration_label IS NOT NULL{_of_document(document)} AND configuration_id"
            " NOT IN (SELECT p.configuration_id FROM marts.fct_run_against_published a"
            " JOIN chosen USING (origin, run_id)"
            " JOIN marts.fct_published_measurement p USING (cell_id)"
            " WHERE p.configuration_id IS NOT NULL) ORDER BY 1"
        ).fetchall()
    ]
