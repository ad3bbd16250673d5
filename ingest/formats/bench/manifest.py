"""Read run manifests: what a benchmark run was, when and on what it ran. TOML or JSON.

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

JSON has the same keys, `run` and `measurement` as arrays, times as ISO 8601 strings.

    for the file or for a run  value
    campaign                   name of the series of runs; required
    time_zone                  zone of times that have no offset
    factors                    configuration, by the names of ingest.formats.bench.factors, or any
                               names of your own, which are stored with x_ before them
    labels                     anything else that identifies a run: text or numbers
    scope                      lpars, address_spaces, report_classes, volumes: names
    workload                   what does the work: job names, or "service class NAME" and so on
    for a run only
    start, stop                date and time; required
    steady_start, steady_stop  the steady state, without ramp-up and ramp-down
    run_id                     required if two runs of a campaign start in the same second
    repetition                 by default counted over runs with equal factors and labels
    measurement                metric, value, unit; optionally more_is_better, address_space

The keys of a run override those of the file. A run with a fault is left out, and the reason names
the key. So is a run that overlaps an earlier one of the file on the same LPAR, because the CPU used
there then belongs to both. A run that names no LPAR may have used any.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl

from ingest.formats.bench.factors import FACTORS, SCOPES
from ingest.formats.bench.manifest_runs import (
    DeclaredRun,
    Directions,
    Interval,
    Scope,
    TakenTimes,
    configuration_of,
    measurement_rows,
)
from ingest.formats.bench.values import FaultError, from_json, to_utc
from ingest.formats.limits import limit, setting
from ingest.formats.text.parser import Parsed, Rejected
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = [
    "COLUMN_DOCS",
    "SCHEMAS",
    "TITLES",
    "declared",
    "is_form",
    "names_itself",
    "parse",
    "recognise",
]

if TYPE_CHECKING:
    from ingest.formats.bench.declared import File, Run


LONGEST = timedelta(days=31)
KIND = "run_manifest"
_NUMBER = Column("record_no", "Number of the run in its file, from 1", pl.Int64)
_RUN = Column("run_id", "Name of the run", pl.String)
MEASUREMENT = (
    Column("record_no", "In a manifest, number of the run in its file; otherwise number of the "
           "measurement", pl.Int64),
    Column("run_id", "Name of the run; null: the time identifies it", pl.String),
    Column("metric", "What is measured", pl.String),
    Column("value", "The measured value [unit]"),
    Column("unit", "Unit of the value, as given", pl.String),
    Column("more_is_better", "Whether a higher value is better; null: not said", pl.Boolean),
    Column("address_space", "Address space of the value; null for the whole run",
           pl.String),
    Column("time_utc", "When it was measured, UTC; null for the whole run", pl.Datetime),
)  # fmt: skip
TABLES = {
    "bench_run": (
        _NUMBER,
        _RUN,
        Column("campaign", "Series that the run belongs to", pl.String),
        Column("repetition", "Number among the runs of one configuration, from 1", pl.Int32),
        Column("start_utc", "Start of the run, UTC", pl.Datetime),
        Column("stop_utc", "Stop of the run, UTC", pl.Datetime),
        Column("steady_start_utc", "Start of the steady state, UTC; null: not given",
               pl.Datetime),
        Column("steady_stop_utc", "Stop of the steady state, UTC; null: not given",
               pl.Datetime),
        Column("start_local", "Start of the run as given: in the time zone, or at its offset",
               pl.Datetime),
        Column("time_zone", "Zone or offset that the start was given in", pl.String),
        Column("utc_offset_minutes", "Local time of the start minus UTC [min]", pl.Int32),
    ),
    "bench_run_factor": (
        _NUMBER,
        _RUN,
        Column("factor", "Factor, named as in the published figures; x_ marks a site's own",
               pl.String),
        Column("value", "Its level", pl.String),
        Column("number", "Its level if it is a number, in the factor's own unit"),
    ),
    "bench_run_scope": (
        _NUMBER,
        _RUN,
        Column("kind", "lpar, address_space, report_class, volume or workload", pl.String),
        Column("name", "Its name; of a workload a pattern", pl.String),
    ),
    "bench_run_label": (
        _NUMBER,
        _RUN,
        Column("label", "Name of the label", pl.String),
        Column("value", "Value of the label", pl.String),
    ),
    "bench_measurement": MEASUREMENT,
}  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
TITLES = {
    "bench_run": "One row per run declared by a manifest",
    "bench_run_factor": "One row per run and factor of its configuration",
    "bench_run_scope": "One row per run and system object that it used",
    "bench_run_label": "One row per run and label",
    "bench_measurement": "One row per measurement of a run, from a harness or a person",
}
_TOML = re.compile(rb"^[ \t]*perfhouse_manifest[ \t]*=", re.MULTILINE)
_FIRST_KEY = re.compile(r'\s*\{\s*"(\w{1,40})"\s*:')
_SLIP = 0.85  # from which likeness on a key is meant to be another
_TOML_RUN = re.compile(r"^[ \t]*\[\[[ \t]*run[ \t]*\]\]", re.MULTILINE)
_RUNS = re.compile(_TOML_RUN.pattern.encode(), re.MULTILINE)
_START = re.compile(rb"^[ \t]*start[ \t]*=", re.MULTILINE)
_DOTTED = r"(?<![^\s.=\[])(?:[^\s.=\[]{1,100}[ \t]*\.[ \t]*){%d}"  # a key of many parts
_AT_LINE = re.compile(r"\(at line (\d+)")


def recognise(head: bytes) -> str | None:
    """Return the kind of file, if a key says that it is a manifest, or is to say so."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return KIND if names_itself(head, "perfhouse_manifest") else None
    is_meant = _TOML.search(head) or (_RUNS.search(head) and _START.search(head))
    return KIND if b"\x00" not in head and is_meant else None


def names_itself(head: bytes, key: str) -> bool:
    """Return whether a JSON file has a key, or its first key is nearly that: a slip to report."""
    first = _FIRST_KEY.match(head[:200].decode("utf-8-sig", "ignore"))
    is_near = first and difflib.get_close_matches(first[1], [key], 1, _SLIP)
    return bool(is_near or re.search(rb'"%s"\s*:' % key.encode(), head))


def is_form(head: bytes) -> bool:
    """Return whether a file is a manifest as `perfhouse init` wrote it, not completed yet."""
    has_no_run = b"\n# [[run]]" in head and b"\n[[run]]" not in head
    return (b'\ncampaign = "NAME"' in head or has_no_run) and recognise(head) is not None


def parse(content: bytes) -> Parsed:
    """Parse one whole manifest. Runs and measurements with a fault go to `rejected`."""
    try:
        document, lines = _document(content)
    except FaultError as error:
        return Parsed(KIND, {}, [Rejected(error.line, str(error))])
    return declared(document, lines, KIND)


def declared(
    document: Mapping[str, Any], lines: list[int], kind: str, *, apart: bool = True
) -> Parsed:
    """Return the rows of a manifest's keys and values. `lines` says where each run begins.

    apart: leave out runs that overlap earlier ones on an LPAR.
    """
    from ingest.formats.bench.declared import File, validated  # other files do not need pydantic

    out = Output(SCHEMAS)
    rejected: list[Rejected] = []
    try:
        file = validated(File, document, "the file")
    except FaultError as error:
        return Parsed(kind, {}, [Rejected(error.line, str(error))])
    common = _scope_of(file, document)
    taken, better = TakenTimes(apart), Directions()
    most, values = limit("runs"), 0
    if len(file.run) > most:
        reason = f"runs from {most + 1} on are left out: a manifest has at most {most} "
        rejected.append(Rejected(1, f"{reason}({setting('runs')})", most + 1))
    for record_no, given in enumerate(file.run[:most], 1):
        line = lines[record_no - 1] if len(lines) == len(file.run) else 1
        try:
            run = _run(file, common, given, taken)
        except FaultError as error:
            rejected.append(Rejected(line, f"run {record_no}: {error}", record_no))
            continue
        values += len(run.said.factors) + len(run.said.labels)
        values += sum(map(len, run.said.scope.values())) + len(run.said.workload)
        if values > limit("run_values"):
            reason = (
                f"run {record_no} and later ones have too many values ({setting('run_values')})"
            )
            rejected.append(Rejected(line, reason, record_no))
            break
        taken.add(run)
        _add(out, record_no, run)
        rejected += [
            Rejected(line, f"run {record_no}: {reason}", record_no)
            for reason in measurement_rows(out, record_no, run.interval.run_id, given, better)
        ]
    return Parsed(kind, out.frames(), rejected)


def _document(content: bytes) -> tuple[Mapping[str, Any], list[int]]:
    """Return the manifest as keys and values, and the line of each [[run]], if it is TOML."""
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FaultError("not UTF-8", line) from None
    try:
        if decoded.lstrip().startswith("{"):
            return from_json(decoded), []
        parts = limit("key_parts")
        if deep := re.search(_DOTTED % parts, decoded):
            line = decoded.count("\n", 0, deep.start()) + 1
            raise FaultError(f"a key has more than {parts} parts ({setting('key_parts')})", line)
        return tomllib.loads(decoded), _lines_of_runs(decoded)
    except json.JSONDecodeError as error:
        raise FaultError(f"not JSON: {error.msg}", error.lineno) from None
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        raise FaultError(f"not TOML: {error}", int(at[1]) if at else 1) from None
    except (RecursionError, ValueError) as error:  # too deeply nested, or too many digits
        raise FaultError(f"cannot be read: {error}") from None


def _lines_of_runs(text: str) -> list[int]:
    """Return the line of each [[run]]."""
    lines, at, line = [], 0, 1
    for match in _TOML_RUN.finditer(text):
        line += text.count("\n", at, match.end())
        at = match.end()
        lines.append(line)
    return lines


def _scope_of(given: File | Run, raw: Mapping[str, Any]) -> Scope:
    factors, labels, scope = (given.in_order(name, raw) for name in ("factors", "labels", "scope"))
    return Scope(factors, labels, scope, given.workload)


def _run(file: File, said: Scope, raw: Any, taken: TakenTimes) -> DeclaredRun:
    """Check one run, also against the earlier ones of its file. Raises FaultError."""
    from ingest.formats.bench.declared import Run, validated

    given = validated(Run, raw, "the run")
    stated = _scope_of(given, raw)
    said = Scope(
        said.factors | stated.factors,
        said.labels | stated.labels,
        said.scope | stated.scope,
        stated.workload or said.workload,
    )
    campaign = given.campaign or file.campaign
    if not campaign:
        raise FaultError("key campaign is missing")
    time_zone = given.time_zone or file.time_zone
    moments = ("start", "stop", "steady_start", "steady_stop")
    start, stop, *steady = (_utc(name, getattr(given, name), time_zone) for name in moments)
    assert start and stop
    if stop <= start:
        raise FaultError(f"key stop is {stop} UTC, not after the start, {start} UTC")
    if stop - start > LONGEST:
        raise FaultError(
            f"key stop is {(stop - start).days} days after start: no run is longer than "
            f"{LONGEST.days} days: correct start or stop, or declare several runs"
        )
    interval = Interval(
        given.run_id or f"{campaign}-{start:%Y%m%dT%H%M%S}",
        start,
        stop,
        frozenset(said.scope.get("lpars", ())),
    )
    taken.check(interval)
    local = given.start
    row: dict[str, object] = {
        "run_id": interval.run_id, "campaign": campaign, "start_utc": start, "stop_utc": stop,
        "repetition": given.repetition or taken.same[configuration_of(campaign, said)] + 1,
        **_steady(start, stop, *steady),
        "start_local": local.replace(tzinfo=None),
        "time_zone": local.isoformat()[-6:] if local.tzinfo else time_zone,
        "utc_offset_minutes": round((local.replace(tzinfo=None) - start).total_seconds() / 60),
    }  # fmt: skip
    return DeclaredRun(interval, row, said)


def _utc(name: str, given: datetime | None, time_zone: str) -> datetime | None:
    """Return the moment of a key in UTC. Raises FaultError."""
    if given is None:
        return None
    if given.tzinfo is None and not time_zone:
        raise FaultError(f"key {name} has no offset, and there is no key time_zone")
    try:
        return to_utc(given, time_zone)
    except FaultError as error:
        raise FaultError(f"key {name} {error}") from None


def _steady(
    start: datetime, stop: datetime, first: datetime | None, last: datetime | None
) -> dict[str, datetime | None]:
    """Return the columns of the steady state, which by default ends with the run."""
    if first or last:
        first, last = first or start, last or stop
        if not start <= first < last <= stop:
            raise FaultError(
                f"key steady_start to steady_stop is {first} to {last} UTC, not inside the run"
            )
    return {"steady_start_utc": first, "steady_stop_utc": last}


def _add(out: Output, record_no: int, run: DeclaredRun) -> None:
    """Add the rows of a run."""
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
    for name in run.said.workload:
        out.add("bench_run_scope", key | {"kind": "workload", "name": name})
    for name, value in run.said.labels.items():
        out.add("bench_run_label", key | {"label": name, "value": value})


def _figure(level: str) -> float | None:
    try:
        return float(level)
    except ValueError:
        return None
