"""Read run manifests: what a benchmark run was, when it ran, and what it ran on. TOML or JSON.

A manifest declares runs. It is recognised by its key `perfhouse_manifest`. In TOML:

    perfhouse_manifest = 1              # version of this format
    campaign = "mft-z15"
    time_zone = "Europe/London"         # of times without an offset: a name, +01:00 or UTC
    factors = { network = "10Gb", tls = "TLS 1.2" }
    labels = { machine = "z15", mq_level = "9.2.0", git_revision = "4e1f2ab" }
    scope = { lpars = ["MVS1"], volumes = ["MQ0001"] }

    [[run]]
    start = 2021-03-01T10:00:00
    stop = 2021-03-01T10:02:00
    factors = { file_size_mb = 10, mode = "binary" }
    scope = { address_spaces = ["AGNT1", "MQ1MSTR", "MQ1CHIN"] }
    measurement = [{ metric = "bytes", value = 2147483648, unit = "B" }]

JSON has the same keys, `run` and `measurement` as arrays, times as strings of ISO 8601.

    of the file or of a run    what it holds
    campaign                   name of the series of runs; needed
    time_zone                  zone of times that carry no offset
    factors                    configuration, by the factor columns of the published figures; a
                               factor of your own begins with x_
    labels                     anything else to know a run by: text or numbers
    scope                      lpars, address_spaces, report_classes, volumes: names
    of a run only
    start, stop                moments; needed
    steady_start, steady_stop  the steady state, where it is told apart from ramp-up and -down
    run_id                     needed where two runs of a campaign start at the same second
    repetition                 counted over equal factors and labels where it is absent
    measurement                metric, value, unit; more_is_better and address_space where it helps

What a run says goes before what the file says, key by key. A run with a fault is left out, and the
reason names the key. So is a run that overlaps an earlier one of the file on the same LPAR: what
the system used then is no longer that run's alone. A run that names no LPAR may use any.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

from ingest.bench.values import (
    FaultError,
    Keys,
    boolean,
    flag_of,
    moment,
    name_list,
    number,
    scalar,
    text,
    to_utc,
    zone,
)
from ingest.published import CELL
from ingest.text.parser import Parsed, Rejected
from ingest.text.table import Column, Output

__all__ = ["COLUMN_DOCS", "FACTORS", "SCHEMAS", "TITLES", "Interval", "overlap", "parse",
           "recognise"]  # fmt: skip

VERSION = 1
LONGEST = timedelta(days=31)
KIND = "run_manifest"
_NOT_FACTORS = frozenset((
    "cell_id", "document", "table_id", "section", "source_line", "row_label", "target_printed",
    "chunk_size_printed", "address_space", "ziip_offload", "compared_with", "metric", "unit",
    "printed", "value_kind", "value", "value_low", "value_high", "anomalies", "note",
))  # fmt: skip
#: Name -> column of the published figures: what a configuration is made of.
FACTORS = {column.name: column for column in CELL if column.name not in _NOT_FACTORS}
SCOPES = {
    "lpars": "lpar",
    "address_spaces": "address_space",
    "report_classes": "report_class",
    "volumes": "volume",
}

_NUMBER = Column("record_no", "Number of the run in its file, from 1", pl.Int64)
_RUN = Column("run_id", "Name of the run", pl.String)
MEASUREMENT = (
    Column("record_no", "Of a manifest, number of the run in its file; else of the measurement, "
           "or its line", pl.Int64),
    Column("run_id", "Name of the run; null: the run is told by the moment", pl.String),
    Column("metric", "What is measured", pl.String),
    Column("value", "The measured value [unit]"),
    Column("unit", "Unit of the value, as given", pl.String),
    Column("more_is_better", "Whether a higher value is better; null: not said", pl.Boolean),
    Column("address_space", "Address space that the value is of; null: of the whole run",
           pl.String),
    Column("time_utc", "When it was measured, UTC; null: over the whole run", pl.Datetime),
)  # fmt: skip
TABLES = {
    "bench_run": (
        _NUMBER,
        _RUN,
        Column("campaign", "Series of runs that it belongs to", pl.String),
        Column("repetition", "Number among the runs of one configuration, from 1", pl.Int32),
        Column("start_utc", "Start of the run, UTC", pl.Datetime),
        Column("stop_utc", "Stop of the run, UTC", pl.Datetime),
        Column("steady_start_utc", "Start of the steady state, UTC; null: not told apart",
               pl.Datetime),
        Column("steady_stop_utc", "Stop of the steady state, UTC; null: not told apart",
               pl.Datetime),
        Column("start_local", "Start of the run as given: in the time zone, or at its offset",
               pl.Datetime),
        Column("time_zone", "Zone or offset that the start was given in", pl.String),
        Column("utc_offset_minutes", "Local time of the start minus UTC [min]", pl.Int32),
    ),
    "bench_run_factor": (
        _NUMBER,
        _RUN,
        Column("factor", "Factor, by its name in the published figures; x_ is a site's own",
               pl.String),
        Column("value", "Its level", pl.String),
        Column("number", "Its level where it is a number, in the factor's own unit"),
    ),
    "bench_run_scope": (
        _NUMBER,
        _RUN,
        Column("kind", "lpar, address_space, report_class or volume", pl.String),
        Column("name", "Its name", pl.String),
    ),
    "bench_run_label": (
        _NUMBER,
        _RUN,
        Column("label", "Name of the label", pl.String),
        Column("value", "What it says", pl.String),
    ),
    "bench_measurement": MEASUREMENT,
}  # fmt: skip
SCHEMAS = {t: {c.name: c.dtype() for c in columns} for t, columns in TABLES.items()}
COLUMN_DOCS = {t: {c.name: c.doc for c in columns} for t, columns in TABLES.items()}
TITLES = {
    "bench_run": "One row per run that a manifest declares",
    "bench_run_factor": "One row per run and factor of its configuration",
    "bench_run_scope": "One row per run and system object that it used",
    "bench_run_label": "One row per run and label",
    "bench_measurement": "One row per measurement that a harness or a person gives for a run",
}

_SHARED = ("campaign", "time_zone", "factors", "labels", "scope")
_OF_FILE = ("perfhouse_manifest", *_SHARED, "run")
_OF_RUN = (*_SHARED, "run_id", "repetition", "start", "stop", "steady_start", "steady_stop",
           "measurement")  # fmt: skip
_OF_MEASUREMENT = ("metric", "value", "unit", "more_is_better", "address_space")
_TOML = re.compile(rb"^[ \t]*perfhouse_manifest[ \t]*=", re.MULTILINE)
_JSON = re.compile(rb'"perfhouse_manifest"\s*:')
_TOML_RUN = re.compile(r"^[ \t]*\[\[[ \t]*run[ \t]*\]\]", re.MULTILINE)
_AT_LINE = re.compile(r"\(at line (\d+)")


class Interval(NamedTuple):
    """When a run ran, and on which LPARs; none named: it may have used any."""

    run_id: str
    start_utc: datetime
    stop_utc: datetime
    lpars: frozenset[str]


class _Said(NamedTuple):
    """Factors, labels and scope that a file or a run gives, checked and as they are kept."""

    factors: dict[str, str]
    labels: dict[str, str]
    scope: dict[str, list[str]]


class _Run(NamedTuple):
    """A run without fault: its rows by table, and what other runs are held against."""

    interval: Interval
    row: dict[str, object]
    said: _Said


class _Taken:
    """The runs of a file so far, so that a further one can be held against them."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.same: Counter[tuple[object, ...]] = Counter()
        self.longest = timedelta()
        self.starts: list[tuple[datetime, int]] = []
        self.intervals: list[Interval] = []

    def add(self, run: _Run) -> None:
        """Take one more run."""
        self.names.add(run.interval.run_id)
        self.same[_configuration(run.row["campaign"], run.said)] += 1
        interval = run.interval
        self.longest = max(self.longest, interval.stop_utc - interval.start_utc)
        insort(self.starts, (interval.start_utc, len(self.intervals)))
        self.intervals.append(interval)

    def near(self, run: Interval) -> list[Interval]:
        """The runs that may have run at the same time, in the order of their starts."""
        first = bisect_left(self.starts, (run.start_utc - self.longest, 0))
        last = bisect_left(self.starts, (run.stop_utc, 0))
        return [self.intervals[position] for _, position in self.starts[first:last]]


def _configuration(campaign: object, said: _Said) -> tuple[object, ...]:
    """What runs must have in common to be repetitions of each other."""
    return campaign, frozenset(said.factors.items()), frozenset(said.labels.items())


def recognise(head: bytes) -> str | None:
    """The kind of file, where its key says that it is a manifest."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return KIND if _JSON.search(head) else None
    return KIND if b"\x00" not in head and _TOML.search(head) else None


def overlap(run: Interval, others: Iterable[Interval]) -> Interval | None:
    """The first of `others` that ran at the same time, on an LPAR that `run` may have used too."""
    for other in others:
        apart = run.lpars and other.lpars and not run.lpars & other.lpars
        if not apart and run.start_utc < other.stop_utc and other.start_utc < run.stop_utc:
            return other
    return None


def parse(content: bytes) -> Parsed:
    """Parse one whole manifest; runs and measurements with a fault go to `rejected`."""
    out = Output(SCHEMAS)
    rejected: list[Rejected] = []
    try:
        document, lines = _document(content)
        said, runs = _file(document)
    except FaultError as error:
        return Parsed(KIND, {}, [Rejected(error.line, str(error))])
    taken = _Taken()
    for record_no, given in enumerate(runs, 1):
        line = lines[record_no - 1] if len(lines) == len(runs) else 1
        try:
            merged, own = _merge(document, said, given)
            run = _run(merged, own, taken)
        except FaultError as error:
            rejected.append(Rejected(line, f"run {record_no}: {error}", record_no))
            continue
        taken.add(run)
        _add(out, record_no, run)
        rejected += [
            Rejected(line, f"run {record_no}: {reason}", record_no)
            for reason in _measurements(out, record_no, run.interval.run_id, merged)
        ]
    return Parsed(KIND, out.frames(), rejected)


def _document(content: bytes) -> tuple[Mapping[str, Any], list[int]]:
    """The manifest as keys and values, and the line of each [[run]] where the format tells it."""
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FaultError("not UTF-8", line) from None
    try:
        if decoded.lstrip().startswith("{"):
            return Keys.mapping(json.loads(decoded), "the file"), []
        runs = [decoded.count("\n", 0, m.end()) + 1 for m in _TOML_RUN.finditer(decoded)]
        return tomllib.loads(decoded), runs
    except json.JSONDecodeError as error:
        raise FaultError(f"not JSON: {error.msg}", error.lineno) from None
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        raise FaultError(f"not TOML: {error}", int(at[1]) if at else 1) from None
    except (RecursionError, ValueError) as error:  # nested too deep; a number of too many digits
        raise FaultError(f"cannot be read: {error}") from None


def _file(document: Mapping[str, Any]) -> tuple[_Said, list[Any]]:
    """What the file says of every run, checked, and its runs."""
    keys = Keys(document)
    keys.only(_OF_FILE)
    version = document.get("perfhouse_manifest")
    if version != VERSION or isinstance(version, bool):
        raise FaultError(f"key perfhouse_manifest is {version!r}, and this reads {VERSION}")
    runs = document.get("run")
    if not isinstance(runs, list) or not runs:
        raise FaultError("key run is missing: give at least one run, as [[run]]")
    return _said(document), runs


def _said(given: Mapping[str, Any]) -> _Said:
    """What may stand in the file and in a run, checked."""
    keys = Keys(given)
    if "campaign" in given:
        keys.read("campaign", text)
    if "time_zone" in given:
        keys.read("time_zone", zone)
    factors, labels, scope = (keys.table(name) for name in ("factors", "labels", "scope"))
    levels = {name: _level(factors, name) for name in factors}
    for name in labels:
        text(name)
    said = {name: labels.read(name, scalar) for name in labels}
    scope.only(SCOPES)
    return _Said(levels, said, {name: scope.read(name, name_list) for name in scope})


def _level(factors: Keys, name: str) -> str:
    """The level of one factor, written as the published figures write it."""
    column = FACTORS.get(name)
    if column is None:
        if re.fullmatch(r"x_\w+", name):
            return factors.read(name, scalar)
        factors.unknown(name, FACTORS, "no factor of the published figures, and a factor of your "
                        "own begins with x_")  # fmt: skip
    if column.dtype in (pl.Int32, pl.Int64):
        value = factors.read(name, number)
        if value != int(value) or value < 0:
            factors.fault(name, f"is {value!r}, not a whole number")
        return str(int(value))
    if column.dtype is pl.Float64:
        return scalar(factors.read(name, number))
    level = factors.read(name, flag_of if column.allowed == ("Y", "N") else scalar)
    if column.allowed and level not in column.allowed:
        factors.fault(name, f"is {level!r}, not one of {', '.join(column.allowed)}")
    return level


def _merge(document: Mapping[str, Any], said: _Said, given: object) -> tuple[dict[str, Any], _Said]:
    """What holds for a run: the file's keys, and before them its own."""
    run = Keys.mapping(given, "the run")
    Keys(run).only(_OF_RUN)
    own = _said(run)
    merged = {key: document[key] for key in ("campaign", "time_zone") if key in document}
    factors, labels = said.factors | own.factors, said.labels | own.labels
    return merged | dict(run), _Said(factors, labels, said.scope | own.scope)


def _run(given: dict[str, Any], said: _Said, taken: _Taken) -> _Run:
    """One run, held against the earlier ones of its file."""
    keys = Keys(given)
    campaign = keys.read("campaign", text)
    start, stop = (_utc(keys, name) for name in ("start", "stop"))
    if stop <= start:
        keys.fault("stop", f"is {stop} UTC, not after the start, {start} UTC")
    if stop - start > LONGEST:
        keys.fault("stop", f"is {(stop - start).days} days after start: no run is longer than "
                   f"{LONGEST.days} days")  # fmt: skip
    steady = _steady(keys, start, stop)
    run_id = keys.read("run_id", text) if "run_id" in given else f"{campaign}-{start:%Y%m%dT%H%M%S}"
    interval = Interval(run_id, start, stop, frozenset(said.scope.get("lpars", ())))
    if run_id in taken.names:
        keys.fault("run_id", f"is {run_id!r}, that of an earlier run")
    if other := overlap(interval, taken.near(interval)):
        raise FaultError(
            f"overlaps run {other.run_id!r}, {other.start_utc} to {other.stop_utc} UTC: give both "
            "the LPARs that they had for themselves, or correct start and stop"
        )
    local = moment(given["start"])
    row: dict[str, object] = {
        "run_id": run_id, "campaign": campaign, "start_utc": start, "stop_utc": stop,
        "repetition": _repetition(keys, campaign, said, taken),
        "steady_start_utc": steady[0], "steady_stop_utc": steady[1],
        "start_local": local.replace(tzinfo=None), "time_zone": _zone(local, given),
        "utc_offset_minutes": round((local.replace(tzinfo=None) - start).total_seconds() / 60),
    }  # fmt: skip
    return _Run(interval, row, said)


def _zone(local: datetime, given: Mapping[str, Any]) -> str:
    """The zone that a moment was given in."""
    return local.isoformat()[-6:] if local.tzinfo else zone(given["time_zone"])


def _utc(keys: Keys, name: str) -> datetime:
    """The moment of a key, in UTC."""
    given = keys.read(name, moment)
    if given.tzinfo is None and "time_zone" not in keys.given:
        keys.fault(name, "has no offset, and there is no key time_zone that tells its zone")
    try:
        return to_utc(given, keys.given.get("time_zone", ""))
    except FaultError as error:
        keys.fault(name, str(error))


def _steady(keys: Keys, start: datetime, stop: datetime) -> tuple[datetime | None, datetime | None]:
    """The steady state: its start is the run's where only its stop is given, and so on."""
    if not {"steady_start", "steady_stop"} & keys.given.keys():
        return None, None
    first = _utc(keys, "steady_start") if "steady_start" in keys.given else start
    last = _utc(keys, "steady_stop") if "steady_stop" in keys.given else stop
    if not start <= first < last <= stop:
        keys.fault("steady_start", f"to steady_stop is {first} to {last} UTC, not inside the run")
    return first, last


def _repetition(keys: Keys, campaign: str, said: _Said, taken: _Taken) -> int:
    """The repetition as given, or one more than equal runs before."""
    if "repetition" not in keys.given:
        return taken.same[_configuration(campaign, said)] + 1
    value = keys.read("repetition", number)
    if not 1 <= value < 2**31 or value != int(value):
        keys.fault("repetition", f"is {value!r}, not a number from 1")
    return int(value)


def _add(out: Output, record_no: int, run: _Run) -> None:
    """The rows of a run."""
    key: dict[str, object] = {"record_no": record_no, "run_id": run.interval.run_id}
    out.add("bench_run", key | run.row)
    for name, level in run.said.factors.items():
        figure = None
        if name not in FACTORS or FACTORS[name].dtype is not pl.String:
            figure = _figure(level)
        out.add("bench_run_factor", key | {"factor": name, "value": level, "number": figure})
    for kind, names in run.said.scope.items():
        for name in names:
            out.add("bench_run_scope", key | {"kind": SCOPES[kind], "name": name})
    for name, value in run.said.labels.items():
        out.add("bench_run_label", key | {"label": name, "value": value})


def _figure(level: str) -> float | None:
    try:
        return float(level)
    except ValueError:
        return None


def _measurements(
    out: Output, record_no: int, run_id: str, given: Mapping[str, Any]
) -> Iterable[str]:
    """Keep a run's measurements; say why one is left out."""
    measured = given.get("measurement", [])
    if not isinstance(measured, list):
        yield "key measurement is not a list of measurements"
        return
    for position, item in enumerate(measured, 1):
        try:
            keys = Keys(Keys.mapping(item, "the measurement"))
            keys.only(_OF_MEASUREMENT)
            row = measurement_row(keys)
        except FaultError as error:
            yield f"measurement {position}: {error}"
            continue
        out.add("bench_measurement", row | {"record_no": record_no, "run_id": run_id})


def measurement_row(keys: Keys) -> dict[str, object]:
    """The columns of one measurement that every format of it has. Raises FaultError."""
    given = keys.given
    return {
        "metric": keys.read("metric", text),
        "value": keys.read("value", number),
        "unit": keys.read("unit", text),
        "more_is_better": keys.read("more_is_better", boolean)
        if given.get("more_is_better") is not None
        else None,
        "address_space": keys.read("address_space", text)
        if given.get("address_space") is not None
        else None,
    }
