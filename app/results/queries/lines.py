"""What the charts over time of a page show: one query for all panels on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

import polars as pl

from app.results.measures import Rules, measure, rules
from app.results.queries import scope as scoping
from app.results.queries.scope import Scope, utc
from app.results.queries.systems import Aggregate, Mart, Panel, Picked, of_picked
from app.results.reader import Reader

__all__ = ["have_rows", "lines", "width"]


_ALONE = "select '' as _series, 1 as known"  # without series


class _Rows(NamedTuple):
    """The rows of a panel: a mart, which of its rows, and the SQL that names their series."""

    mart: Mart
    where: str
    series: str
    picked: Picked


class _Columns:
    """Columns of a query, each expression once."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._names: dict[str, str] = {}

    def name(self, sql: str) -> str:
        """Return the column for an expression."""
        return self._names.setdefault(sql, f"{self._prefix}{len(self._names)}")

    @property
    def names(self) -> str:
        """SQL: their names, after a comma."""
        return "".join(f", {name}" for name in self._names.values())

    @property
    def listed(self) -> str:
        """SQL: all of them with their names, after a comma."""
        return "".join(f", {sql} as {name}" for sql, name in self._names.items())


class _Drawn(NamedTuple):
    """What the answer to a query has of a panel.

    values: columns, by the names of the panel's values. place: the column of a series' place, if
    there are several series. is_rate: whether values are amounts, to be divided by their time.
    """

    panel: Panel
    values: Mapping[str, str]
    place: str
    is_rate: bool


def have_rows(reader: Reader, scope: Scope, marts: Sequence[Mart]) -> bool:
    """Return whether any of these marts has rows."""
    return any(not scoping.steps(reader, scope, mart).is_empty() for mart in marts)


def width(reader: Reader, scope: Scope, marts: Sequence[Mart]) -> timedelta | None:
    """Return the width of the steps of charts on these marts; None if none are merged."""
    if any(scoping.steps(reader, scope, mart)["is_merged"].any() for mart in marts):
        return scope.bucket(scoping.MOST_POINTS + 1)
    return None


def lines(
    reader: Reader, scope: Scope, panels: Sequence[Panel], picked: Picked = ()
) -> list[tuple[pl.DataFrame, int]]:
    """Return the values of each chart, and how many series it has.

    queue_manager, start, end, series, value.
    """
    by_panel: dict[int, tuple[pl.DataFrame, int]] = {}
    groups: dict[_Rows, list[int]] = {}
    for index, panel in enumerate(panels):
        rows_of_panel = _Rows(panel.mart, panel.where, panel.series, picked)
        groups.setdefault(rows_of_panel, []).append(index)
    for rows, places in groups.items():
        answers = _of_rows(reader, scope, rows, [panels[index] for index in places])
        by_panel.update(zip(places, answers, strict=True))
    return [by_panel[index] for index in range(len(panels))]


def _of_rows(
    reader: Reader, scope: Scope, rows: _Rows, panels: Sequence[Panel]
) -> list[tuple[pl.DataFrame, int]]:
    steps = scoping.steps(reader, scope, rows.mart)
    is_merged = bool(steps["is_merged"].any())
    known_rules = rules(reader, rows.mart)
    sql, parameters, drawn = _query(scope, rows, panels, known_rules, is_merged=is_merged)
    frame = reader.frame(sql, parameters).join(
        steps.rename({"owner": "queue_manager", "step": "start"}),
        on=["queue_manager", "start"],
        maintain_order="left",
    )
    series_count = 0 if frame.is_empty() else int(frame["known"].item(0))
    return [(_of_panel(utc(frame), column), series_count) for column in drawn]


def _query(
    scope: Scope, rows: _Rows, panels: Sequence[Panel], known: Rules, *, is_merged: bool
) -> tuple[str, tuple[object, ...], list[_Drawn]]:
    """Return SQL for all of these panels, its parameters, and where it has each of them."""
    values, weights, merged = _Columns("v"), _Columns("w"), _Columns("m")
    totals, ranks, places = _Columns("total"), _Columns("rank"), _Columns("place")
    drawn, largest = [], []
    for panel in panels:
        named = panel.values if isinstance(panel.values, Mapping) else {"": panel.values}
        measures = {name: measure(text, known) for name, text in named.items()}
        columns = {name: values.name(value.value) for name, value in measures.items()}
        weighs = {name: weights.name(value.weight) for name, value in measures.items()}
        first, *_ = columns
        place = ""
        if rows.series:
            rank = (
                ranks.name(panel.rank)
                if panel.rank
                else totals.name(f"sum(abs({columns[first]} * {weighs[first]}))")
            )
            place = places.name(f"row_number() over (order by {rank} desc nulls last, _series)")
            largest.append(f"{place} <= {panel.most}")
        is_rate = bool(rows.series) and measures[first].merge == "rate"
        merge = _merged if is_merged else _alone
        shown = {
            name: merged.name(
                merge("mean" if value.merge == "rate" and not is_rate else value.merge,
                      columns[name], weighs[name])
            )
            for name, value in measures.items()
        }  # fmt: skip
        drawn.append(_Drawn(panel, shown, place, is_rate))
    step = "s"
    if is_merged and (wide := scope.bucket(scoping.MOST_POINTS + 1)):
        step = scoping.stepped(scope, wide, "s")
    condition, parameters = of_picked(rows.picked, scope)
    sql = f"""
        with kept as (
            select *, {scope.owner} as _owner, cast({rows.series or "''"} as varchar) as _series
            from {rows.mart}
            where {scope.where()} and {rows.where} and {condition}
        ),

        every as (
            select _owner, _series, interval_start_utc as s{values.listed}{weights.listed}
            from kept
            where _series is not null
            group by all
        ),

        ranked as ({_ranked(ranks, totals, places) if rows.series else _ALONE})

        select
            _owner as queue_manager, {step} as "start", _series as series,
            known{places.names}{merged.listed}
        from every
        inner join ranked using (_series)
        where {" or ".join(largest) or "true"}
        {"group by all" if is_merged else ""}
        order by 1, 2, 3
    """
    return sql, (*scope.parameters, *parameters), drawn


def _ranked(ranks: _Columns, totals: _Columns, places: _Columns) -> str:
    """SQL: the place of each series, by what its rows have and what its intervals have."""
    of_rows = (
        f"inner join (select _series{ranks.listed} from kept group by _series) using (_series)"
    )
    return f"""
        select _series, count(*) over () as known{places.listed}
        from (select _series{totals.listed} from every group by _series)
        {of_rows if ranks.listed else ""}
    """


def _alone(merge: str, value: str, weight: str) -> Aggregate:
    """SQL: the value of an interval; an amount where it has to be divided by time."""
    return f"{value} * {weight}" if merge == "rate" else value


def _merged(merge: str, value: str, weight: str) -> Aggregate:
    """SQL: the value of a step, from those of its intervals; an amount as above."""
    if merge == "rate":
        return f"sum({value} * {weight})"
    if merge == "mean":
        weight_known = f"sum({weight}) filter (where {value} is not null)"
        return f"coalesce(sum({value} * {weight}) / nullif({weight_known}, 0), avg({value}))"
    return f"{merge}({value})"


def _of_panel(frame: pl.DataFrame, drawn: _Drawn) -> pl.DataFrame:
    """Return the values of one panel: queue_manager, start, end, series, value."""
    panel = drawn.panel
    if drawn.place:
        frame = frame.filter(pl.col(drawn.place) <= panel.most)
    time = pl.col("seconds") if drawn.is_rate else pl.lit(1.0)
    several = isinstance(panel.values, Mapping)
    parts = []
    for name, column in drawn.values.items():
        series = (
            pl.lit(name) if several else pl.col("series") if panel.series else pl.lit(panel.title)
        )
        parts.append(
            frame.select(
                "queue_manager",
                "start",
                "end",
                series=series,
                value=pl.col(column).cast(pl.Float64) / time,
            ).drop_nulls("value")
        )
    turned = pl.concat(parts)
    if not several:
        return turned
    # no lines for what never happened
    moving = turned.filter((pl.col("value") != 0).any().over("series"))
    return turned if moving.is_empty() else moving
