"""Read a plain table of results: CSV, TSV, JSON or Parquet, with names of columns.

A row is a run, or one measurement of a run if there are columns metric, value and unit. Columns are
understood by their names, or as a mapping says (`About.columns`, `About.units`): start, stop, run,
campaign and build; figures have a unit in their name or cells (p95_ms, "latency [ms]", 12.5ms), a
name that says what they are (latency), or numbers that vary. All others are factors, or labels if
most runs have a value of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from ingest.formats.bench.cells import (
    CELL,
    MISSING,
    TextTable,
    moments_of,
    read_table,
    typed_figures,
    unique_names,
    without_remarks,
)
from ingest.formats.bench.factors import FACTORS
from ingest.formats.bench.results import About, Execution, Figure, direction
from ingest.formats.bench.units import BRACKETS, conversion, name_and_unit, unit_of
from ingest.formats.bench.values import FaultError
from ingest.formats.limits import limit, setting
from ingest.formats.text.lines import sample
from ingest.formats.text.parser import Rejected

__all__ = ["Understood", "executions", "recognise", "series_of", "understand"]

ROLES = {
    "start": ("start", "start_utc", "started", "started_at", "start_time", "timestamp", "time",
              "date", "datetime", "ts"),
    "stop": ("stop", "stop_utc", "stopped", "end", "ended", "end_time", "stop_time", "finished",
             "finished_at"),
    "run": ("run", "run_id"),
    "campaign": ("campaign",),
    "build": ("build", "git_revision", "commit", "sha", "revision"),
    "metric": ("metric",),
    "value": ("value",),
    "unit": ("unit",),
}  # fmt: skip
LABELS = ("machine", "mq_level")
_LONGEST_NAME = 64
_SAMPLES, _APART = 10, 60  # from so many rows on, less than so many seconds apart, say so
_FEW = 10  # rows from which on values of their own make a label
_NOT_FIGURES = re.compile(
    r"(?i)version|release|level|seed|port|number|build|(?:^|_)(?:id|no|nr|pid)$"
)
_A_FIGURE = re.compile(
    r"(?i)(?:^|[_ ])(?:p\d\d?(?:\.\d+)?|median|mean|avg)(?:$|[_ ])|latenc|throughput"
)


class Understood(NamedTuple):
    """How a table was read: the role of each column, with its unit and direction."""

    columns: list[tuple[str, str, str, str]]  # column, role, unit, direction
    notes: list[str]


class _Read(NamedTuple):
    """What the columns of a table are."""

    roles: dict[str, str]  # role -> column
    figures: dict[str, tuple[str, str]]  # column -> metric, unit
    others: dict[str, str]  # column -> factor or label
    understood: Understood


def recognise(head: bytes) -> bool:
    """Return whether a file begins like a table with a start and figures."""
    if head.startswith(b"PAR1"):
        return True
    text = without_remarks(sample(head).lstrip("\ufeff \t\r\n"))
    if match := _ARRAY.match(text):
        return _is_ours(set(re.findall(r'"([^"\\]{1,64})"\s*:', match[1])))
    first = text.split("\n", 1)[0]
    if first.startswith("{"):
        keys = set(re.findall(r'"([^"\\]{1,64})"\s*:', first))
        return first.rstrip().endswith("}") and _is_ours(keys)
    names = unique_names(first)
    return len(names) > 1 and _is_ours(set(names))


def _is_ours(names: set[str]) -> bool:
    has_figure = any(name_and_unit(name)[1] for name in names)
    has_figure |= {"metric", "value"} <= {name.lower() for name in names}
    if all(re.match(r"[^\W\d]", name) for name in names):  # a header: reading it says what is amiss
        has_figure |= any(_role_name(name) in ROLES["start"] for name in names)
    is_published = "cell_id" in names  # figures of a document, with a fault in the header
    return has_figure and not is_published and max(map(len, names)) <= _LONGEST_NAME


_ARRAY = re.compile(r"\[\s*\{([^{}\[\]]*)\}")
_DATE = re.compile(
    r"[-_. ]*(?:20\d\d[-_.]?(?:[01]\d[-_.]?[0-3]\d|W\d\d)|[0-3]\d[-_.][01]\d[-_.]20\d\d)"
    r"(?:[-_.T ]*[0-2]\d[-_:.h]?[0-5]\d(?:[-_:.m]?[0-5]\d)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)"
)
_COUNTER = re.compile(r"^\d+[-_. ]+|(?:[-_ ]+\(?|\(|(?<=[A-Za-z]{3}))\d+\)?$")


def series_of(name: str) -> str:
    """Return the series of a table: the name of its file without dates, times and counters.

    >>> [series_of(name) for name in ("result-2026-03-01.csv", "part3 (1).csv", "z16.csv", "7.csv")]
    ['result', 'part', 'z16', 'results']
    """
    text, before = _DATE.sub("", name).split(".")[0], ""
    while text != before:
        before, text = text, _COUNTER.sub("", text).strip("-_ ")
    return "results" if text.isdigit() or not text else text


def _role_name(column: str) -> str:
    """Return the name by which a column's role is known: without its unit, in lower case.

    >>> [_role_name(name) for name in ("Timestamp (UTC)", "Run ID", "build")]
    ['timestamp', 'run_id', 'build']
    """
    match = BRACKETS.fullmatch(column)
    return (match[1] if match else column).strip().lower().replace(" ", "_")


def executions(content: bytes, about: About) -> tuple[list[Execution], list[Rejected], Understood]:
    """Return the runs of a table, what was left out, and how it was read. Raises FaultError."""
    table = read_table(content, about)
    read = _columns(table, about)
    roles, frame, rejected = read.roles, table.frame, []
    most = limit("runs")
    if "metric" not in roles and frame.height > most:
        why = f"rows from {most + 1:,} on are left out: {setting('runs')} bounds the runs of a file"
        rejected.append(Rejected(table.first_line + most, why, most + 1))
        frame = frame.head(most)
    frame = frame.with_row_index("\0line", table.first_line)
    starts, late = moments_of(frame, roles.get("start"), about)
    stops, odd = moments_of(frame, roles.get("stop"), about, required=False)
    rejected += (late := late + odd)
    without = {part.line for part in late}
    units = {roles["value"]: ""} if "metric" in roles else {
        column: unit for column, (_, unit) in read.figures.items()
    }  # fmt: skip
    typed, faults = typed_figures(frame.filter(~pl.col("\0line").is_in(list(without))), units)
    rejected += faults
    times = [
        times for line, *times in zip(frame["\0line"], starts, stops, strict=True)
        if line not in without
    ]  # fmt: skip
    if "metric" in roles:
        return _long(typed, read, times, about), rejected, read.understood
    made: list[Execution] = []
    for (start, stop), row in zip(times, typed.iter_rows(named=True), strict=True):
        figures = [
            Figure(metric, row[c], unit)
            for c, (metric, unit) in read.figures.items()
            if row[c] is not None
        ]
        if figures:
            made.append(_execution(row, read, start, stop, figures))
        else:
            rejected.append(Rejected(row["\0line"], "the row has no figure"))
    return made, rejected, read.understood


def _execution(
    row: Mapping[str, object], read: _Read, start: datetime | None, stop: datetime | None,
    found: Sequence[Figure],
) -> Execution:  # fmt: skip
    ids = {
        role: str(row.get(read.roles.get(role, "")) or "") for role in ("run", "campaign", "build")
    }
    given = {
        role_kind: {
            name: row[name] for name, kind in read.others.items() if kind == role_kind and row[name]
        }
        for role_kind in ("factor", "label")
    }
    build = {"git_revision": ids["build"]} if ids["build"] else {}
    return Execution(
        found, start, stop, run_id=ids["run"], campaign=ids["campaign"], factors=given["factor"],
        labels=given["label"] | build, line=int(str(row["\0line"])),
    )  # fmt: skip


def _long(
    typed: pl.DataFrame, read: _Read, times: Sequence[Sequence[datetime | None]], about: About
) -> list[Execution]:
    """Return runs of rows that are one measurement each: another one where a metric comes again."""
    runs: dict[tuple[object, ...], list[Figure]] = {}
    made: list[Execution] = []
    roles, places = read.roles, dict[tuple[object, ...], int]()
    named = ("run", "start", "stop", "campaign", "build")
    keys = [*(roles[role] for role in named if role in roles), *read.others]
    for (start, stop), row in zip(times, typed.iter_rows(named=True), strict=True):
        value, metric = row[roles["value"]], row[roles["metric"]]
        given = str(row.get(roles.get("unit", "")) or row["\0" + roles["value"]] or "")
        unit = about.units.get(metric) or unit_of(given) or given or name_and_unit(metric or "")[1]
        key, figure = tuple(row[c] for c in keys), Figure(metric, value, unit)
        if value is None or not metric or (key, figure) in places:
            continue  # a row that stands twice is one
        occurrence = places[key, metric] = places[key, figure] = places.get((key, metric), 0) + 1
        if (key, occurrence) not in runs:
            runs[key, occurrence] = []
            made.append(_execution(row, read, start, stop, runs[key, occurrence]))
        runs[key, occurrence].append(figure)
    return made


def understand(content: bytes, about: About) -> Understood:
    """Return how a table is read. Raises FaultError."""
    table = read_table(content, about)
    roles, _, _, understood = _columns(table, about)
    if roles.keys().isdisjoint({"run", "stop", "metric"}) and table.frame.height >= _SAMPLES:
        numbered = table.frame.with_row_index("\0line", table.first_line)
        starts = [start for start in moments_of(numbered, roles.get("start"), about)[0] if start]
        apart = sorted((after - before).total_seconds() for before, after in pairwise(starts))
        if apart and 0 < apart[len(apart) // 2] < _APART:
            why = f"rows are {apart[len(apart) // 2]:g} s apart: each is read as a run"
            understood.notes.append(
                f"{why}; if they are samples of one run, load its result instead"
            )
    return understood


def _columns(table: TextTable, about: About) -> _Read:
    """Return what each column is. Raises FaultError if there is no start or no figure."""
    names = table.frame.columns
    roles = _roles(names, about)
    free = [name for name in names if name not in roles.values()]
    figures: dict[str, tuple[str, str]] = {}
    others, notes = {}, list(table.notes)
    for name in free:
        kind, unit, note = _kind(name, table.frame[name], about)
        notes += [note] if note else []
        if kind != "figure" or "metric" in roles:
            others[name] = "factor" if kind == "figure" else kind
        else:
            short = name_and_unit(name)[0] if name not in about.units else name
            figures[name] = (short, unit)
    if not figures and "metric" not in roles:
        raise FaultError("no column is a figure: let names end in a unit (p95_ms, rate_per_second, "
                         "cpu_percent), or use columns metric, value and unit")  # fmt: skip
    lower = [metric.lower() for metric, _ in figures.values()]
    figures = {  # the whole name where two would be the same
        name: (name if lower.count(metric.lower()) > 1 else metric, unit)
        for name, (metric, unit) in figures.items()
    }
    if "stop" not in roles:
        notes.append("no column says when a run stopped: each counts as one second")
    metrics = {metric for metric, _ in figures.values()}
    unused = [*({*about.better} - metrics), *({*about.units} - metrics - {*names})]
    if figures and unused:
        notes.append(f"settings name no figure of this file: {', '.join(sorted(unused))}")
    columns = []
    by_column = {column: role for role, column in roles.items()}
    for name in names:
        if name in figures:
            metric, unit = figures[name]
            given = {"more": True, "less": False}.get(about.better.get(metric, ""))
            better = direction(metric, unit) if given is None else given
            text = {True: "more is better", False: "less is better", None: "not known"}[better]
            columns.append((name, f"figure {metric}", unit, text))
        else:
            columns.append((name, by_column.get(name) or others[name], "", ""))
    return _Read(roles, figures, others, Understood(columns, notes))


def _roles(names: Sequence[str], about: About) -> dict[str, str]:
    """Return role -> column, as a mapping says or by their names. Raises FaultError."""
    roles: dict[str, str] = {}
    for role, column in about.columns.items():
        if role not in ROLES:
            raise FaultError(f"no role {role!r}: a column can be mapped to {', '.join(ROLES)}")
        if column not in names:
            raise FaultError(f"no column {column!r}, which {role} is mapped to: there are "
                             f"{', '.join(names)[:300]}")  # fmt: skip
        roles[role] = column
    taken = set(roles.values())
    for role, usual in ROLES.items():
        for name in names:
            if role not in roles and name not in taken and _role_name(name) in usual:
                roles[role] = name
                taken.add(name)
    if ("metric" in roles) != ("value" in roles):  # just columns of that name
        for role in ("metric", "value", "unit"):
            roles.pop(role, "")
    if "start" not in roles and not about.any_time:
        raise FaultError("no column says when a run started: name one start, or give "
                         "--map start=COLUMN")  # fmt: skip
    return roles


def _kind(name: str, cells: pl.Series, about: About) -> tuple[str, str, str]:
    """Return figure, factor or label, the unit, and what was assumed."""
    if name in about.units:
        return "figure", unit_of(about.units[name]) or about.units[name], ""
    if name in FACTORS or name.lower() in LABELS:
        return "label" if name.lower() in LABELS else "factor", "", ""
    if unit := name_and_unit(name)[1]:
        return "figure", unit, ""
    given = cells.filter(cells.str.to_lowercase().is_in(MISSING).not_()).drop_nulls()
    parts = given.str.extract_groups(CELL).struct.unnest()
    units = {unit_of(unit) for unit in parts["2"].drop_nulls().unique() if unit}
    varies = given.n_unique() > len(given) / 2
    is_numeric = (
        len(given) > 0
        and "" not in units
        and not (  # 1.2.3 is a version
            parts["1"].has_nulls() or parts["1"].str.contains(r"\..*\.").any()
        )
    )
    says_figure = direction(name, "") is not None or _A_FIGURE.search(name) is not None
    is_size = units and not says_figure and all(conversion(unit, "B") for unit in units)
    if is_numeric and not is_size and (says_figure or (units and (varies or len(given) < 3))):
        return "figure", min(units, default="1"), ""
    has_fractions = is_numeric and parts["1"].str.contains(r"[.,]\d*[1-9]").any()
    if is_numeric and varies and not units and not _NOT_FIGURES.search(name):
        counts_up = not has_fractions and parts["1"].str.to_integer(strict=False).is_sorted()
        if has_fractions or (len(given) >= _FEW and not counts_up):
            settings = f'units = {{ "{name}" = "ms" }}, better = {{ "{name}" = "less" }}'
            return "figure", "1", f"{name} varies: a figure; say what it is: {settings}"
    if len(cells) >= _FEW and cells.n_unique() > len(cells) / 2:
        return "label", "", f"{name} differs from run to run, so it is a label, not a factor"
    why = f'{name} has few levels: a factor, or a figure by units = {{ "{name}" = "1" }}'
    return "factor", "", why if is_numeric else ""
