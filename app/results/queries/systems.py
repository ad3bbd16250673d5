"""Pages on systems as declarations, and the queries that any of them needs.

A page is a Page: sections of charts over time (Panel) and tables (Table), with key figures (Tile)
on top. What they show are measures of a mart (app.results.measures); lines.py brings them into few
enough steps and few queries: panels on the same rows (mart, series, where) share one. Files declare
them (app.results.pages). owners.py lists the kinds of owners that a page may be about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import polars as pl

from app.results.measures import Rules, measure, rules
from app.results.queries.scope import Scope, utc
from app.results.reader import Reader

__all__ = [
    "Bars",
    "Page",
    "Panel",
    "Pick",
    "Picked",
    "Section",
    "Table",
    "Tile",
    "elsewhere",
    "figures",
    "names",
    "of_picked",
    "picked_first",
    "rows",
    "runs",
    "whole",
]

_MOST_ELSEWHERE = 4  # owners
_MART = re.compile(r"\bmarts\.(\w+)")

#: A mart, or a query on marts in parentheses, with the columns origin, those of the owner,
#: interval_start_utc, interval_end_utc and interval_seconds.
Mart = str
#: SQL, an aggregate over rows.
Aggregate = str
#: The label of a column of a table, and, if its name does not say it, what it shows.
Shown = str | tuple[str, str]
#: SQL of names of a row, and the name that it must have for each.
Picked = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Panel:
    """A chart over time.

    title, unit: as the page shows them. values: a measure of the mart, or several and what the
    legend calls them. series: SQL that names the line of a row, if there is a line for each of
    something; an interval without a row of it then counts as nothing in a rate (work that was not
    there used nothing). where: which rows. rank: an aggregate; only the `most` series with the most
    of it are drawn (default: of the value). ranked: what it is, in words. order: series that come
    first. named: name the series even if there is only one. high: the end of the value axis.
    empty: what to say without any value.
    """

    title: str
    unit: str
    mart: Mart
    values: str | Mapping[str, str]
    series: str = ""
    where: str = "true"
    rank: Aggregate = ""
    ranked: str = ""
    most: int = 8  # as many colours as a chart can tell apart
    order: Sequence[str] = ()
    named: bool = False
    high: float | None = None
    help: str = ""
    empty: str = ""


@dataclass(frozen=True)
class Tile:
    """A key figure of an owner over the whole time: `value` in `unit`, a measure of the mart.

    unit: "µs" and "bytes" are shown in the size that suits the figure. remark: a line below, with
    {} for `more`, a column or an aggregate: a number in `unit` or a text. Without it, what follows
    a semicolon is left out.
    """

    label: str
    mart: Mart
    value: str
    unit: str = ""
    remark: str = ""
    more: Aggregate = "null"
    where: str = "true"


@dataclass(frozen=True)
class Bars:
    """Bars of the first rows of a table, one for each: columns of it by the legend's names."""

    title: str
    unit: str
    of: Mapping[str, str]
    stacked: bool = True
    empty: str = ""


@dataclass(frozen=True)
class Table:
    """A table over the whole time; a click on a row may choose, or lead to another page.

    name: of the file to download. by: columns or SQL that rows are grouped by, columns: measures;
    of each by its name the label ("": only drawn), or the label and what it is if the name does not
    say it. bars: what is drawn of the first rows. Without
    `by` every row of the mart is a row, and columns are SQL on it; no columns: all of them. order:
    SQL. leads: the page that a row leads to, and which of its columns are which parameters of the
    address there; for a page "" they are chosen on this one. says: what a click does. having: which
    groups, by aggregates. empty: what to say without rows.
    """

    name: str
    mart: Mart
    columns: Mapping[str, Shown]
    order: str
    title: str = ""
    by: Mapping[str, Shown] = field(default_factory=dict)
    caption: str = ""
    where: str = "true"
    having: str = "true"
    most: int = 5_000
    leads: tuple[str, Mapping[str, str]] | None = None
    says: str = ""
    empty: str = "Nothing in this time range."
    picked: bool = True
    bars: Sequence[Bars] = ()


@dataclass(frozen=True)
class Pick:
    """A choice of one name, or all, that limits what a section shows.

    key: its parameter in the address; name: SQL of a row's name, in every mart of the section;
    mart, rank: where the names are from, and the aggregate that puts the largest first. of_all:
    whether rows of all names may be shown at once.
    """

    label: str
    key: str
    name: str
    mart: Mart
    rank: Aggregate
    where: str = "true"
    of_all: bool = True


@dataclass(frozen=True)
class Section:
    """A part of a page: charts, then tables; `picks` limit them to one name each.

    of: what it is about if not the owner that is chosen: the whole sysplex or machine of a system.
    """

    title: str
    caption: str = ""
    panels: Sequence[Panel] = ()
    tables: Sequence[Table] = ()
    picks: Sequence[Pick] = ()
    of: Literal["", "sysplex", "machine"] = ""


@dataclass(frozen=True)
class Page:
    """A page on systems.

    about: what it shows, from which records. records: what is missing if it has nothing to show.
    links: pages to go on to with the same owner and time, and their words. owner: the kind of
    owner of its records; run or campaign; "": of all that is loaded. page, tab, place: in the menu
    (app.dashboard.navigation).
    """

    title: str
    about: str
    records: str
    sections: Sequence[Section]
    tiles: Sequence[Tile] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    owner: str = "system"
    page: str = ""
    tab: str = ""
    place: int = 99

    @property
    def charted(self) -> list[Mart]:
        """The marts that the charts show of the owner that is chosen."""
        sections = (section for section in self.sections if not section.of)
        return list(
            dict.fromkeys(
                panel.mart for shown_section in sections for panel in shown_section.panels
            )
        )

    @property
    def marts(self) -> list[Mart]:
        """The marts that the charts and tables show of the owner that is chosen."""
        sections = (section for section in self.sections if not section.of)
        tables = [table.mart for shown_section in sections for table in shown_section.tables]
        return list(dict.fromkeys([*self.charted, *tables]))

    @property
    def leads(self) -> set[str]:
        """The paths of the pages that it leads to."""
        tables = [table for section in self.sections for table in section.tables if table.leads]
        paths = {table.leads[0] for table in tables if table.leads}
        return (paths | {address.partition("?")[0] for address in self.links}) - {""}

    @property
    def reads(self) -> set[str]:
        """The names of all marts that it reads."""
        return {name for mart in self._rows for name in _MART.findall(mart)}

    @property
    def needs(self) -> set[str]:
        """The names of the marts whose rows it shows; others only say more of these."""
        return {match[1] for mart in self._rows if (match := _MART.search(mart))}

    @property
    def _rows(self) -> list[Mart]:
        parts: list[Tile | Panel | Table | Pick] = [*self.tiles]
        for section in self.sections:
            parts += [*section.panels, *section.tables, *section.picks]
        return [part.mart for part in parts]


def elsewhere(reader: Reader, scope: Scope, marts: Sequence[Mart]) -> pl.DataFrame:
    """Return the owners with rows in these marts: label, first, last moment; newest first."""
    rows = " union all ".join(
        f"select {scope.owner} as label, interval_start_utc as moment from {mart} where origin = $1"
        for mart in marts
        if "$" not in mart  # that has rows of the scope only
    )
    return reader.frame(
        f"""
        select label, min(moment) as first, max(moment) as last
        from ({rows})
        group by label
        order by last desc, label
        limit {_MOST_ELSEWHERE}
        """,
        (scope.origin,),
    )


def whole(reader: Reader, scope: Scope, of: str) -> Scope | None:
    """Return the scope of all systems of the sysplex or machine; None if it is not known."""
    owner = {"sysplex": "coalesce(sysplex, system_id)", "machine": "machine_serial"}[of]
    labels = reader.frame(
        f"""
        select distinct {owner} as label
        from marts.fct_processor_interval
        where {scope.where()} and {owner} is not null
        order by label
        """,
        scope.parameters,
    )
    return replace(scope, labels=tuple(labels["label"]), owner=owner) if labels.height else None


def of_picked(picked: Picked, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Return the condition that a row has the picked names, and parameters after the scope's."""
    first = len(scope.parameters) + 1
    terms = [f"cast({name} as varchar) = ${n}" for n, (name, _) in enumerate(picked, first)]
    return " and ".join(terms) or "true", tuple(chosen for _, chosen in picked)


def picked_first(reader: Reader, scope: Scope, picks: Sequence[Pick]) -> Picked:
    """Return the first name of each choice that has to be made."""
    chosen: Picked = ()
    for pick in picks:
        if not pick.of_all and (offered := names(reader, scope, pick, chosen)):
            chosen += ((pick.name, offered[0]),)
    return chosen


def names(reader: Reader, scope: Scope, pick: Pick, picked: Picked = ()) -> list[str]:
    """Return the names that can be picked where others are, the largest first."""
    condition, parameters = of_picked(picked, scope)
    pickable = reader.frame(
        f"""
        select cast({pick.name} as varchar) as name
        from {pick.mart}
        where {scope.where()} and {pick.where} and {condition} and {pick.name} is not null
        group by name
        order by {pick.rank} desc nulls last, name
        limit 5000
        """,
        (*scope.parameters, *parameters),
    )
    return pickable["name"].to_list()


def figures(reader: Reader, scope: Scope, tiles: Sequence[Tile]) -> pl.DataFrame:
    """Return one row per owner: the value and remark of each tile, as v0, m0, v1 and so on."""
    result = pl.DataFrame({"owner": list(scope.labels)})
    groups: dict[tuple[Mart, str], list[int]] = {}
    for index, tile in enumerate(tiles):
        groups.setdefault((tile.mart, tile.where), []).append(index)
    for (mart, where), places in groups.items():
        mart_rules = rules(reader, mart)
        columns = ", ".join(
            f"{measure(tiles[i].value, mart_rules).value} as v{i}, "
            f"{_more(tiles[i].more, mart_rules)} as m{i}"
            for i in places
        )
        rows = _frame_of(reader, mart)(
            f"select {scope.owner} as owner, {columns} from {mart}"
            f" where {scope.where()} and {where} group by owner",
            scope.parameters,
        )
        result = result.join(rows, on="owner", how="left", maintain_order="left")
    return result


def rows(reader: Reader, scope: Scope, table: Table, picked: Picked = ()) -> pl.DataFrame:
    """Return the rows of a table, each with its owner, at most `table.most`."""
    condition, parameters = of_picked(picked if table.picked else (), scope)
    mart_rules = rules(reader, table.mart)
    shown = [f"{_of(name, by)} as {name}" for name, by in table.by.items()]
    for name, column in table.columns.items():
        sql = _of(name, column)
        shown.append(f"{measure(sql, mart_rules).value if table.by else sql} as {name}")
    if not table.columns:
        shown.append("columns(lambda name: name <> 'source_records')")
    return _frame_of(reader, table.mart)(
        f"""
        select {scope.owner} as owner, {", ".join(shown)}
        from {table.mart}
        where {scope.where()} and {table.where} and {condition}
        {f"group by owner, {', '.join(table.by)} having {table.having}" if table.by else ""}
        order by {", ".join([table.order, *table.by])}
        limit {table.most}
        """,
        (*scope.parameters, *parameters),
    )


def _frame_of(reader: Reader, mart: Mart) -> Callable[..., pl.DataFrame]:
    """Return what queries a mart: views on the lake and the log are live, and never cached."""
    return reader.live_frame if re.search(r"\b(raw|meta)\.", mart) else reader.frame


def _more(text: str, known: Rules) -> str:
    return measure(text, known).value if text in known else text


def _of(name: str, shown: Shown) -> str:
    """Return what a column of a table shows."""
    return name if isinstance(shown, str) else shown[1]


def runs(reader: Reader, scope: Scope, systems: Sequence[str]) -> pl.DataFrame:
    """Return the benchmark runs on any of these systems in the time: run_id, campaign, start, end.

    A run that names no systems is one of all.
    """
    return utc(
        reader.frame(
            """
            select run_id, campaign, start_utc as "start", stop_utc as "end"
            from marts.fct_run
            where
                origin = $1 and start_utc < $4 and stop_utc > $3
                and (coalesce(len(lpars), 0) = 0 or list_has_any(lpars, $2))
            order by start_utc, run_id
            """,
            (scope.origin, tuple(systems), scope.start, scope.end),
        )
    )
