"""Runs against published and predicted figures, and these against each other.

The marts match figures to the configurations of runs. There is one figure per configuration, so the
result is the place of the figure in the interval of the runs, and no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import duckdb

from app.results.chosen_runs import factor_names, levels_of, roles_of
from app.results.compared import FIGURE, ComparedRuns, Pair, interval
from app.results.sides import PREDICTED, PUBLISHED, Factors, SelectionError, Side
from expectations.detector import Comparison
from ingest.lake.sql import literal

__all__ = ["compare_with_figures"]

_BELOW, _ABOVE, _INSIDE, _NO_INTERVAL = FIGURE

# The figures for the configurations of runs: one row per run, metric, part and figure. Changes are
# told as percent of what was before, as figures below zero have no ratio.
_FIGURES = {
    PUBLISHED: """
        SELECT origin, run_id, configuration_id, metric, coalesce(address_space, '') AS part,
            if(starts_with(metric, 'change_of_'), '% of before', unit) AS unit,
            if(starts_with(metric, 'change_of_'), 100, 0) AS whole,
            value + whole AS value, is_compared, document_id,
            document_id || ' ' || table_id AS told_by, published_value + whole AS figure,
            published_low + whole AS low, published_high + whole AS high
        FROM marts.fct_run_against_published""",
    PREDICTED: """
        SELECT origin, run_id, configuration_id, metric, '' AS part, unit,
            value, is_compared, document_id, 'model of ' || document_id AS told_by,
            predicted AS figure, low, high
        FROM marts.fct_run_against_model""",
}
_DIRECTIONS = "(SELECT metric, any_value(more_is_better) AS more FROM marts.dim_metric GROUP BY 1)"


def compare_with_figures(
    db: duckdb.DuckDBPyConnection,
    sides: tuple[Side, Side],
    factors: Factors,
    ignored: set[str],
    metrics: Sequence[str],
    *,
    parts: bool,
) -> ComparedRuns:
    """Compare runs with figures, or figures with each other; `choose` has chosen the runs.

    metrics, parts: as for `compare_runs`. Raises SelectionError.
    """
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
        raise SelectionError(
            f"no run of the other side has {sides[place].name} to compare with"
            + _instead(db, kind, sides[place].terms[kind])
        )
    pairs = []
    for configuration, metric, part, unit, more, told, middle, values, source, low, high in rows:
        is_range = kind == PUBLISHED and low is not None
        figure = min(max(middle, low), high) if is_range else told  # the nearer end counts
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
    levels = levels_of(db, factor_names(factors))
    varied = roles_of({name: (a or b, b or a) for name, (a, b) in levels.items()}, ignored)
    return ComparedRuns(*sides, pairs, only[0], only[1], left_out, varied)


def _instead(db: duckdb.DuckDBPyConnection, kind: str, document: str | None) -> str:
    """Return which campaigns have such figures, or else what a run states to be compared."""
    found = db.execute(
        f"SELECT campaign, count(DISTINCT told_by || figure) FROM ({_FIGURES[kind]})"
        " JOIN marts.fct_run USING (origin, run_id)"
        f" WHERE fct_run.is_compared{_of_document(document)} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5"
    ).fetchall()
    if found:
        known = ", ".join(f"{campaign} ({figures})" for campaign, figures in found)
        return f"; campaigns that have some, and how many: {known}"
    if kind != PUBLISHED:
        return ""
    tables = db.execute(
        "SELECT table_id, array_to_string(run_factors, ', ') FROM marts.dim_published_table"
        f" WHERE len(run_factors) > 0{_of_document(document)} ORDER BY figures DESC, 1 LIMIT 3"
    ).fetchall()
    needs = "; ".join(f"of table {table}: {factors}" for table, factors in tables)
    return f"; a run must state the factors that the figures state, {needs}"


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
