"""Read a plain table of results: CSV, TSV, JSON or Parquet, with names of columns.

A row is a run, or one measurement of a run if there are columns metric, value and unit. Columns are
understood by their names, or as a mapping says (`About.columns`): start, stop, run, campaign and
build; figures end in a unit (p95_ms, rate_mb_per_s, "latency [ms]"); all others are factors, or
labels if most runs have a value of their own.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from ingest.formats.bench.factors import FACTORS
from ingest.formats.bench.results import About, Execution, Figure, direction
from ingest.formats.bench.values import FaultError
from ingest.formats.limits import limit, setting
from ingest.formats.text.lines import sample
from ingest.formats.text.parser import Rejected

__all__ = ["Understood", "executions", "recognise", "understand"]

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
#: Ends of names -> unit. A longer one is tried first.
UNITS = {
    "_ns": "ns", "_us": "us", "_ms": "ms", "_s": "s", "_seconds": "s", "_sec": "s", "_min": "min",
    "_percent": "%", "_pct": "%", "_mb_per_s": "MB/s", "_mb_per_second": "MB/s", "_mb_s": "MB/s",
    "_mbit_per_s": "Mb/s", "_mbps": "Mb/s", "_per_second": "1/s", "_per_sec": "1/s",
    "_per_s": "1/s", "_rps": "1/s", "_tps": "1/s", "_qps": "1/s", "_iops": "1/s", "_bytes": "B",
    "_kb": "KB", "_mb": "MB", "_gb": "GB", "_count": "count", "/s": "1/s", "/sec": "1/s",
    "/second": "1/s",
}  # fmt: skip
_RATE = re.compile(r"(?:1|req(?:uest)?s?|ops|msgs?|messages|records|tx|transactions)/s(?:ec)?")
_NAMED_BY_UNIT = ("1/s", "count")  # the end of the name says more than the unit
_BRACKETS = re.compile(r"(.+?)\s*[\[(]([^\])]{1,12})[\])]\s*")
_LONGEST_NAME = 64
_SAMPLES, _APART = 10, 60  # from so many rows on, less than so many seconds apart, say so
_NUMBER = r"^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?$"
_COMMA = r"^[-+]?\d+,\d+$"
_THOUSANDS = r"^[-+]?\d{1,3}(?:,\d{3})+$"
_BOTH = r"^[-+]?\d{1,3}(?:\.\d{3})+,\d+$"
_UTC = ("UTC", "GMT", "Z")
_DOTTED = re.compile(r"(\d\d)\.(\d\d)\.(\d{4})(?:[ T]+(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?")
_NOT_A_NUMBER = ("", "na", "n/a", "null", "none", "-")


class Understood(NamedTuple):
    """How a table was read: the role of each column, with its unit and direction."""

    columns: list[tuple[str, str, str, str]]  # column, role, unit, direction
    notes: list[str]


class _Table(NamedTuple):
    frame: pl.DataFrame  # text only
    first_line: int
    notes: list[str]


def recognise(head: bytes) -> bool:
    """Return whether a file begins like a table with a start and figures."""
    if head.startswith(b"PAR1"):
        return True
    text = _without_remarks(sample(head).lstrip("\ufeff \t\r\n"))
    if found := _ARRAY.match(text):
        return _is_ours(set(re.findall(r'"([^"\\]{1,64})"\s*:', found[1])))
    first = text.split("\n", 1)[0]
    if first.startswith("{"):
        keys = set(re.findall(r'"([^"\\]{1,64})"\s*:', first))
        return first.rstrip().endswith("}") and _is_ours(keys)
    names = _names(first)
    return len(names) > 1 and _is_ours(set(names))


def _is_ours(names: set[str]) -> bool:
    has_figure = any(_unit(name)[1] for name in names)
    has_figure |= {"metric", "value"} <= {name.lower() for name in names}
    if all(re.match(r"[^\W\d]", name) for name in names):  # a header: reading it says what is amiss
        has_figure |= any(_role_name(name) in ROLES["start"] for name in names)
    is_published = "cell_id" in names  # figures of a document, with a fault in the header
    return has_figure and not is_published and max(map(len, names)) <= _LONGEST_NAME


_ARRAY = re.compile(r"\[\s*\{([^{}\[\]]*)\}")


def _without_remarks(text: str) -> str:
    """Return a text from its first line on that is not a remark."""
    return re.sub(r"\A(?:#[^\n]*\n\s*)+", "", text)


def _role_name(column: str) -> str:
    """Return the name by which a column's role is known: without its unit, in lower case.

    >>> [_role_name(name) for name in ("Timestamp (UTC)", "Run ID", "build")]
    ['timestamp', 'run_id', 'build']
    """
    found = _BRACKETS.fullmatch(column)
    return (found[1] if found else column).strip().lower().replace(" ", "_")


def executions(content: bytes, about: About) -> tuple[list[Execution], list[Rejected], Understood]:
    """Return the runs of a table, what was left out, and how it was read. Raises FaultError."""
    table = _read(content)
    roles, figures, others, understood = _roles(table, about)
    frame, rejected = table.frame, []
    most = limit("runs")
    if "metric" not in roles and frame.height > most:
        why = f"rows from {most + 1:,} on are left out: {setting('runs')} bounds the runs of a file"
        rejected.append(Rejected(table.first_line + most, why, most + 1))
        frame = frame.head(most)
    frame = frame.with_row_index("\0line", table.first_line)
    typed, faults = _typed(frame, figures if "metric" not in roles else [roles["value"]])
    rejected += faults
    starts = _moments(typed, roles.get("start"), about)
    stops = _moments(typed, roles.get("stop"), about)
    made: list[Execution] = []
    if "metric" in roles:
        return _long(typed, roles, others, starts, stops), rejected, understood
    names = _metric_names(figures)
    build = roles.get("build")
    for at, row in enumerate(typed.iter_rows(named=True)):
        found = [Figure(names[c], row[c], _unit(c)[1]) for c in figures if row[c] is not None]
        if not found:
            rejected.append(Rejected(row["\0line"], "the row has no figure", at + 1))
            continue
        made.append(_execution(row, roles, others, build, starts[at], stops[at], found))
    return made, rejected, understood


def _execution(
    row: Mapping[str, object], roles: Mapping[str, str], others: Mapping[str, str],
    build: str | None, start: datetime | None, stop: datetime | None, found: Sequence[Figure],
) -> Execution:  # fmt: skip
    labels = {c: row[c] for c, kind in others.items() if kind == "label" and row[c]}
    if build and row[build]:
        labels["git_revision"] = row[build]
    return Execution(
        found,
        start,
        stop,
        run_id=str(row[roles["run"]] or "") if "run" in roles else "",
        campaign=str(row[roles["campaign"]] or "") if "campaign" in roles else "",
        factors={c: row[c] for c, kind in others.items() if kind == "factor" and row[c]},
        labels=labels,
        line=int(str(row["\0line"])),
    )


def _long(
    typed: pl.DataFrame, roles: Mapping[str, str], others: Mapping[str, str],
    starts: Sequence[datetime | None], stops: Sequence[datetime | None],
) -> list[Execution]:  # fmt: skip
    """Return runs of rows that are one measurement each."""
    runs: dict[tuple[object, ...], Execution] = {}
    keys = [
        *(roles[r] for r in ("run", "start", "stop", "campaign", "build") if r in roles),
        *others,
    ]
    for at, row in enumerate(typed.iter_rows(named=True)):
        value = row[roles["value"]]
        if value is None or not row[roles["metric"]]:
            continue
        unit = str(row.get(roles.get("unit", ""), "") or _unit(row[roles["metric"]])[1])
        key = tuple(row[c] for c in keys)
        if key not in runs:
            runs[key] = _execution(
                row, roles, others, roles.get("build"), starts[at], stops[at], []
            )._replace(figures=[])
        figures = runs[key].figures
        assert isinstance(figures, list)
        figures.append(Figure(row[roles["metric"]], value, unit))
    return list(runs.values())


def understand(content: bytes, about: About) -> Understood:
    """Return how a table is read. Raises FaultError."""
    table = _read(content)
    roles, _, _, understood = _roles(table, about)
    if roles.keys().isdisjoint({"run", "stop", "metric"}) and table.frame.height >= _SAMPLES:
        numbered = table.frame.with_row_index("\0line", table.first_line)
        starts = [start for start in _moments(numbered, roles.get("start"), about) if start]
        apart = sorted((after - before).total_seconds() for before, after in pairwise(starts))
        if apart and 0 < apart[len(apart) // 2] < _APART:
            why = f"rows are {apart[len(apart) // 2]:g} s apart: each is read as a run"
            understood.notes.append(
                f"{why}; if they are samples of one run, load its result instead"
            )
    return understood


def _roles(
    table: _Table, about: About
) -> tuple[dict[str, str], list[str], dict[str, str], Understood]:
    """Return role -> column, the columns of figures, and factor or label of all others."""
    names = table.frame.columns
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
            taken.discard(roles.pop(role, ""))
    if "start" not in roles and not about.any_time:
        raise FaultError("no column says when a run started: name one start, or give "
                         "--map start=COLUMN")  # fmt: skip
    free = [name for name in names if name not in taken]
    figures = [] if "metric" in roles else [
        n for n in free if n not in FACTORS and _unit(n)[1] and n.lower() not in LABELS
    ]  # fmt: skip
    if not figures and "metric" not in roles:
        raise FaultError("no column is a figure: let names end in a unit (p95_ms, rate_per_second, "
                         "cpu_percent), or use columns metric, value and unit")  # fmt: skip
    others, notes = {}, list(table.notes)
    for name in (n for n in free if n not in figures):
        distinct = table.frame[name].n_unique()
        own = table.frame.height >= 10 and distinct > table.frame.height / 2
        others[name] = "label" if name.lower() in LABELS or own else "factor"
        if own:
            notes.append(f"{name} differs from run to run, so it is a label, not a factor")
    if "stop" not in roles:
        notes.append("no column says when a run stopped: each counts as one second")
    columns = []
    by_column = {column: role for role, column in roles.items()}
    metrics = _metric_names(figures)
    for name in names:
        if name in figures:
            given = {"more": True, "less": False}.get(about.better.get(metrics[name], ""))
            unit = _unit(name)[1]
            better = direction(metrics[name], unit) if given is None else given
            said = {True: "more is better", False: "less is better", None: "not known"}[better]
            columns.append((name, f"figure {metrics[name]}", unit, said))
        else:
            columns.append((name, by_column.get(name) or others[name], "", ""))
    return roles, figures, others, Understood(columns, notes)


def _unit(name: str) -> tuple[str, str]:
    """Return the metric of a column's name and its unit, which is empty if it has none.

    >>> [_unit(name) for name in ("p95_ms", "orders_per_second", "Latency [us]", "avg wait ms")]
    [('p95', 'ms'), ('orders_per_second', '1/s'), ('Latency', 'us'), ('avg wait', 'ms')]
    """
    if found := _BRACKETS.fullmatch(name):
        return found[1], "1/s" if _RATE.fullmatch(found[2].lower()) else found[2]
    for end in sorted(UNITS, key=len, reverse=True):
        if name.lower().replace(" ", "_").endswith(end) and len(name) > len(end):
            unit = UNITS[end]
            return (name if unit in _NAMED_BY_UNIT else name[: -len(end)]), unit
    return name, ""


def _metric_names(figures: Sequence[str]) -> dict[str, str]:
    """Return the metric of each column: its whole name where two would be the same."""
    short = {name: _unit(name)[0] for name in figures}
    lower = [metric.lower() for metric in short.values()]
    return {
        name: name if lower.count(metric.lower()) > 1 else metric for name, metric in short.items()
    }


def _names(line: str) -> list[str]:
    """Return the names of a header line, or nothing if it is none."""
    try:
        names = next(csv.reader([line.strip("\r\n")], delimiter=_separator(line), strict=True), [])
    except csv.Error:
        return []
    return [name.strip() for name in names]


def _separator(line: str) -> str:
    return max(",;\t|", key=line.count)


def _read(content: bytes) -> _Table:
    """Return a table as text. Raises FaultError, with the line."""
    if content.startswith(b"PAR1"):
        try:
            frame = pl.read_parquet(io.BytesIO(content))
        except (pl.exceptions.PolarsError, OSError) as error:
            raise FaultError(f"not Parquet: {_first(error)}") from None
        return _Table(_as_text(frame), 1, [])
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FaultError(
            "not UTF-8: save the file as UTF-8", content.count(b"\n", 0, error.start) + 1
        ) from None
    whole, text = text, _without_remarks(text.lstrip())
    skipped = whole.count("\n", 0, len(whole) - len(text))
    if text.startswith(("{", "[")):
        read = pl.read_ndjson if text.startswith("{") else pl.read_json
        try:
            frame = read(io.BytesIO(text.encode()), infer_schema_length=None)
        except pl.exceptions.PolarsError as error:
            raise FaultError(f"not JSON Lines or an array: {_first(error)}") from None
        return _Table(_as_text(frame), skipped + 1, [])
    header = text.split("\n", 1)[0]
    names, separator = _names(header), _separator(header)
    for at, name in enumerate(names):
        if not name:
            raise FaultError(f"column {at + 1} has no name in the header", skipped + 1)
        if names.index(name) != at:
            raise FaultError(
                f"two columns are named {name!r}: rename one in the header", skipped + 1
            )
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        line = _ragged(text, separator, len(names))
        raise FaultError(
            f"the line has another number of fields than the header, which has {len(names)}"
            if line else f"not a table: {_first(error)}", skipped + (line or 1),
        ) from None  # fmt: skip
    frame.columns = names
    if not frame.height:
        raise FaultError("the table has a header and no rows", skipped + 1)
    frame = frame.with_columns(pl.all().str.strip_chars())
    return _decimal_points(_one_start(_Table(frame, skipped + 2, [])), separator)


def _one_start(table: _Table) -> _Table:
    """Return a table whose columns date and time, if it has both, are one."""
    names = {name.lower(): name for name in table.frame.columns}
    if not {"date", "time"} <= names.keys():
        return table
    date, clock = names["date"], names["time"]
    if not table.frame[clock].str.contains(r"^\d\d:\d\d").all():
        return table
    frame = table.frame.with_columns(pl.concat_str(date, clock, separator="T").alias(date))
    return table._replace(frame=frame.drop(clock), notes=[f"{date} and {clock} are one time"])


def _decimal_points(table: _Table, separator: str) -> _Table:
    """Return a table whose decimal commas are points; refuse what may be either."""
    notes, changed = list(table.notes), []
    for name in table.frame.columns if separator != "," else ():
        values = table.frame[name].drop_nulls()
        commas = values.filter(values.str.contains(_COMMA) | values.str.contains(_BOTH))
        if not commas.len() or (not _unit(name)[1] and name.lower() != "value"):
            continue
        if commas.str.contains(_THOUSANDS).all():
            line = table.first_line + int(table.frame[name].str.contains(_COMMA).arg_true()[0])
            raise FaultError(f"column {name}: {commas[0]!r} may be a decimal comma or thousands: "
                             "write decimal points", line)  # fmt: skip
        both = pl.col(name).str.contains(_BOTH)
        plain = (
            pl.when(both).then(pl.col(name).str.replace_all(".", "", literal=True)).otherwise(name)
        )
        changed.append(plain.str.replace(",", ".", literal=True).alias(name))
        notes.append(f"{name} has decimal commas")
    return table._replace(frame=table.frame.with_columns(changed), notes=notes)


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    nested = [n for n, dtype in frame.schema.items() if dtype.is_nested() or dtype == pl.Binary]
    if nested:
        raise FaultError(
            f"column {nested[0]} has tables or lists in it: write one value per column"
        )
    if not frame.height:
        raise FaultError("the table has no rows")
    return frame.with_columns(
        pl.col(n).dt.to_string("iso:strict") if dtype == pl.Datetime else pl.col(n).cast(pl.String)
        for n, dtype in frame.schema.items()
    )


def _typed(frame: pl.DataFrame, figures: Sequence[str]) -> tuple[pl.DataFrame, list[Rejected]]:
    """Return figures as numbers, and a rejection for each value that is not a finite number."""
    rejected = []
    for name in figures:
        raw = pl.col(name)
        number = pl.when(raw.str.contains(_NUMBER)).then(raw).cast(pl.Float64, strict=False)
        bad = frame.filter(
            raw.is_not_null() & ~raw.str.to_lowercase().is_in(_NOT_A_NUMBER)
            & ~(number.is_finite().fill_null(False))
        )  # fmt: skip
        for line, value in bad.select("\0line", name).head(1000).iter_rows():
            why = f"column {name}: {value[:60]!r} is not a finite number, so it is left out"
            rejected.append(Rejected(line, why, line))
        frame = frame.with_columns(pl.when(number.is_finite()).then(number).alias(name))
    return frame, rejected


def _moments(frame: pl.DataFrame, column: str | None, about: About) -> list[datetime | None]:
    """Return the times of a column: ISO 8601, or seconds or milliseconds since 1970."""
    if column is None:
        return [None] * frame.height
    said = _BRACKETS.fullmatch(column)
    is_utc = said is not None and said[2].upper() in _UTC
    found: list[datetime | None] = []
    for line, value in frame.select("\0line", column).iter_rows():
        if not value:
            raise FaultError(f"column {column} is empty", line)
        try:
            if re.fullmatch(r"\d{9,10}(?:\.\d+)?|\d{12,13}", value):
                seconds = float(value) / (1000 if len(value) >= 12 and "." not in value else 1)
                moment = datetime.fromtimestamp(seconds, UTC)
            else:
                moment = datetime.fromisoformat(_with_dashes(value))
        except (ValueError, OverflowError):
            why = f"column {column}: {value[:60]!r} is not a time such as 2026-03-01T10:00:00Z"
            raise FaultError(why, line) from None
        if moment.tzinfo is None and is_utc:
            moment = moment.replace(tzinfo=UTC)
        if moment.tzinfo is None and not about.time_zone:
            raise FaultError(f"column {column}: {value[:60]!r} has no offset: end times in Z or "
                             "+hh:mm, or give --time-zone NAME", line)  # fmt: skip
        found.append(moment)
    return found


def _with_dashes(value: str) -> str:
    """Return a time whose date is written with dots in the order of ISO 8601."""
    found = _DOTTED.fullmatch(value)
    return f"{found[3]}-{found[2]}-{found[1]}T{found[4] or '00:00'}" if found else value


def _ragged(text: str, separator: str, fields: int) -> int:
    """Return the first line that does not have this number of fields, or 0."""
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        return next((reader.line_num for row in reader if row and len(row) != fields), 0)
    except csv.Error:
        return reader.line_num


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]
