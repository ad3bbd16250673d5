"""Runs against published and predicted figures, and these against each other.

The marts match figures to the configurations of runs. A printed figure agrees with the runs or
differs from them; a prediction does by its band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import duckdb

from app.results.chosen_runs import factor_names, levels_of, roles_of
from app.results.compared import ComparedRuns, Pair
from app.results.sides import PREDICTED, PUBLISHED, Factors, SelectionError, Side
from expectations.verdicts.prints import against_cell, against_print
from expectations.verdicts.verdict import Verdict
from ingest.lake.sql import literal

__all__ = ["compare_with_figures"]

# The figures for the configurations of runs: one row per run, metric, part and figure. Changes are
# told as percent of what was before, as figures below zero have no ratio.
_FIGURES = {
    PUBLISHED: """
        SELECT origin, run_id, configuration_id, metric, coalesce(address_space, '') AS part,
            if(starts_with(metric, 'change_of_'), '% of before', unit) AS unit,
            if(starts_with(metric, 'change_of_'), 100, 0) AS whole,
            value + whole AS value, is_compared, document_id,
            document_id || ' ' || table_id AS told_by, published_value + whole AS figure,
            published_low + whole AS low, published_high + whole AS high, printed, assumed
        FROM marts.fct_run_against_published""",
    PREDICTED: """
        SELECT origin, run_id, configuration_id, metric, '' AS part, unit,
            value, is_compared, document_id, 'model of ' || document_id AS told_by,
            predicted AS figure, low, high, NULL AS printed, []::VARCHAR[] AS assumed
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
    wanted = "isfinite(figure)" + ("" if parts else " AND part = ''")
    if metrics:
        wanted += f" AND metric IN ({', '.join(map(literal, metrics))})"
    if len(figures) == 2:
        pairs = _figures_with_figures(db, sides, figures, wanted)
        if not pairs:
            raise SelectionError("no configuration of a run has both figures")
        return ComparedRuns(*sides, pairs, [], [], 0, [])
    ((figure_side, kind),) = figures
    wanted += _of_document(sides[figure_side].terms[kind])
    rows = db.execute(
        "SELECT configuration, metric, part, unit, more, figure, list(value ORDER BY run_id),"
        " told_by, any_value(low), any_value(high), any_value(printed), any_value(assumed)"
        f" FROM ({_FIGURES[kind]}) JOIN chosen USING (origin, run_id, configuration_id)"
        " JOIN marts.dim_configuration c USING (configuration_id)"
        f" LEFT JOIN {_DIRECTIONS} USING (metric) WHERE {wanted} AND is_compared"
        " AND isfinite(value) GROUP BY ALL ORDER BY configuration, metric, part, told_by"
    ).fetchall()
    if not rows:
        raise SelectionError(
            f"no run of the other side has {sides[figure_side].name} to compare with"
            + _instead(db, kind, sides[figure_side].terms[kind])
        )
    pairs, assumed = [], set()
    for name, metric, part, unit, more, figure, values, source, low, high, printed, taken in rows:
        assumed |= {*taken}
        judged = (
            against_print(values, figure, low, high)
            if kind == PREDICTED
            else against_cell(values, figure, low, high, printed)
        )
        sides_of = judged, (judged.baseline,), tuple(values)
        if figure_side == 1:
            sides_of = _turned(judged), tuple(values), (judged.baseline,)
        band = None if low is None else (low, high)
        pairs.append(Pair(name, metric, part, unit, more, *sides_of, source, band))
    only: list[list[str]] = [[], []]
    only[1 - figure_side] = _without_figure(db, kind, wanted)
    if kind == PUBLISHED:
        only[figure_side] = _without_run(db, sides[figure_side].terms[kind])
    left_out = db.execute(
        f"SELECT count(DISTINCT run_id) FROM ({_FIGURES[kind]})"
        f" JOIN chosen USING (origin, run_id) WHERE {wanted} AND NOT is_compared"
    ).fetchall()[0][0]
    levels = levels_of(db, factor_names(factors))
    varied = roles_of({name: (a or b, b or a) for name, (a, b) in levels.items()}, ignored)
    obstacles = _obstacles(db, sides[figure_side].terms[kind]) if kind == PUBLISHED else {}
    return ComparedRuns(
        *sides, pairs, only[0], only[1], left_out, varied, assumed=sorted(assumed),
        obstacles={name: obstacles[name] for name in only[1 - figure_side] if name in obstacles},
    )  # fmt: skip


def _obstacles(db: duckdb.DuckDBPyConnection, document: str | None) -> dict[str, str]:
    """Return what keeps the chosen configurations from the printed figures nearest to them."""
    return dict(
        db.execute(
            "SELECT configuration, arg_min(document_id || ' ' || table_id || ': '"
            " || array_to_string(obstacles, '; '), (len(obstacles), -factors_agreeing))"
            " FROM marts.fct_published_match JOIN marts.dim_configuration USING (configuration_id)"
            " WHERE NOT is_match AND configuration_id IN (SELECT configuration_id FROM chosen)"
            f"{_of_document(document)} GROUP BY 1"
        ).fetchall()
    )


def _instead(db: duckdb.DuckDBPyConnection, kind: str, document: str | None) -> str:
    """Return which campaigns have such figures, or else what a run states to be compared."""
    campaigns = db.execute(
        f"SELECT campaign, count(DISTINCT told_by || figure) FROM ({_FIGURES[kind]})"
        " JOIN marts.fct_run USING (origin, run_id)"
        f" WHERE fct_run.is_compared{_of_document(document)} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5"
    ).fetchall()
    if campaigns:
        named = ", ".join(f"{campaign} ({figures})" for campaign, figures in campaigns)
        return f"; campaigns that have some, and how many: {named}"
    if kind != PUBLISHED:
        return ""
    nearest = sorted({*_obstacles(db, document).values()}, key=lambda text: (text.count(";"), text))
    return f"; nearest, {'; or '.join(nearest[:2])}" if nearest else ""


def _of_document(document: str | None) -> str:
    return "" if document is None else f" AND document_id = {literal(document)}"


def _turned(judged: Verdict) -> Verdict:
    """Return a verdict with its sides exchanged."""
    ends = (100 * (100 / (100 + at) - 1) if at > -100 else float("inf")
            for at in (judged.estimate, judged.high, judged.low))  # fmt: skip
    estimate, low, high = ends
    return replace(
        judged, baseline_runs=judged.candidate_runs, candidate_runs=judged.baseline_runs,
        baseline=judged.candidate, candidate=judged.baseline,
        estimate=estimate, low=low, high=high,
    )  # fmt: skip


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
        " b.told_by || ', ' || d.told_by, b.low, b.high, d.low, d.high"
        f" FROM {selected[0]} b JOIN {selected[1]} d"
        " USING (configuration_id, metric, part, unit)"
        " JOIN marts.dim_configuration c USING (configuration_id)"
        f" LEFT JOIN {_DIRECTIONS} USING (metric) ORDER BY ALL"
    ).fetchall()
    pairs = []
    for name, metric, part, unit, more, before, after, told_by, *ends in rows:
        if ends[0] is not None or ends[2] is None:
            judged, band = against_print([after], before, *ends[:2]), ends[:2]
        else:  # the second one has a band
            judged, band = _turned(against_print([before], after, *ends[2:])), ends[2:]
        judged = replace(judged, baseline_runs=0, candidate_runs=0)
        pairs.append(Pair(
            name, metric, part, unit, more, judged, (before,), (after,), told_by,
            None if band[0] is None else tuple(band),
        ))  # fmt: skip
    return pairs


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
            " FROM marts.fct_published_measurement WHERE more_is_better IS NOT NULL"
            f" AND isfinite(value) AND configuration_label IS NOT NULL{_of_document(document)}"
            " AND configuration_id NOT IN (SELECT p.configuration_id"
            " FROM marts.fct_run_against_published a JOIN chosen USING (origin, run_id)"
            " JOIN marts.fct_published_measurement p USING (cell_id)"
            " WHERE p.configuration_id IS NOT NULL) ORDER BY 1"
        ).fetchall()
    ]
