"""Read plain measurements, from CSV or JSON: a metric's value for a run, from any harness.

CSV has one header line with these names in any order; UTF-8, comma separated:

    name             needed   what it holds
    metric           yes      what is measured, such as rate, bytes, files, messages, transactions
    value            yes      a number, in `unit`
    unit             yes      such as MB/s, B, 1/s, us; MB is 2^20 bytes as in the documents
    run_id           (yes)    the run; may be empty where `time` says which run it is
    time             (yes)    when it was measured, ISO 8601 with its offset or Z
    more_is_better   no       true or false
    address_space    no       the address space that the value is of

JSON has the same names, and `run_id` of the whole file where a measurement does not say its own:

    {"perfhouse_measurements": 1, "run_id": "mft-7",
     "measurements": [{"metric": "rate", "value": 71.15, "unit": "MB/s", "more_is_better": true}]}
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.bench.manifest import MEASUREMENT, measurement_row
from ingest.bench.manifest import TITLES as _RUN_TITLES
from ingest.bench.values import FaultError, Keys, moment, text, to_utc
from ingest.text.parser import Parsed, Rejected
from ingest.text.table import Output

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

TABLE = "bench_measurement"
VERSION = 1
CSV_KIND, JSON_KIND = "measurements_csv", "measurements_json"
NEEDED = ("metric", "value", "unit")
NAMES = (*NEEDED, "run_id", "time", "more_is_better", "address_space")
SCHEMAS = {TABLE: {c.name: c.dtype() for c in MEASUREMENT}}
COLUMN_DOCS = {TABLE: {c.name: c.doc for c in MEASUREMENT}}
TITLES = {TABLE: _RUN_TITLES[TABLE]}

_JSON = re.compile(rb'"perfhouse_measurements"\s*:')
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_TRUTH = {"true": True, "y": True, "1": True, "false": False, "n": False, "0": False}


def recognise(head: bytes) -> str | None:
    """The kind of file, by its header line or its key."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return JSON_KIND if _JSON.search(head) else None
    names = _header(head)
    known = len(set(names)) == len(names) and set(names) <= set(NAMES)
    told = {"run_id", "time"} & set(names)
    return CSV_KIND if known and told and set(NEEDED) <= set(names) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; measurements with a fault go to `rejected`."""
    kind = recognise(content) or JSON_KIND
    out = Output(SCHEMAS)
    rejected: list[Rejected] = []
    try:
        for record_no, line, given in (_csv if kind == CSV_KIND else _json)(content):
            try:
                if isinstance(given, str):
                    raise FaultError(given)
                out.add(TABLE, _row(given) | {"record_no": record_no})
            except FaultError as error:
                rejected.append(Rejected(line, f"measurement {record_no}: {error}", record_no))
    except FaultError as error:
        rejected.append(Rejected(error.line, str(error)))
    return Parsed(kind, out.frames(), rejected)


def _row(given: Mapping[str, Any]) -> dict[str, object]:
    """One measurement, checked."""
    keys = Keys(given)
    keys.only(NAMES)
    row = measurement_row(keys) | {"run_id": None, "time_utc": None}
    if given.get("run_id") is not None:
        row["run_id"] = keys.read("run_id", text)
    if given.get("time") is not None:
        when = keys.read("time", moment)
        if when.tzinfo is None:
            keys.fault("time", "has no offset: end it in Z or +hh:mm")
        row["time_utc"] = to_utc(when, "")
    if row["run_id"] is None and row["time_utc"] is None:
        raise FaultError("has neither run_id nor time: which run it is of cannot be told")
    return row


def _header(head: bytes) -> list[str]:
    first = head.split(b"\n", 1)[0].rstrip(b"\r").removeprefix(b"\xef\xbb\xbf")
    try:
        names = next(csv.reader([first.decode("utf-8")], strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        return []
    return [name.strip() for name in names]


def _csv(content: bytes) -> Iterator[tuple[int, int, dict[str, Any] | str]]:
    """Number, line and fields of each measurement; a text in place of fields is what is wrong."""
    header = _header(content)
    decoded = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    reader = csv.reader(io.StringIO(decoded, newline=""), strict=True)
    next(reader)
    record_no = 0
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            record_no += 1
            yield record_no, line, f"not CSV: {error}"
            continue
        if not fields:
            continue
        record_no += 1
        if len(fields) != len(header):
            yield record_no, line, f"{len(fields)} fields where the header has {len(header)}"
            continue
        yield record_no, line, _typed(dict(zip(header, fields, strict=True)))


def _typed(fields: dict[str, str]) -> dict[str, Any]:
    """CSV's texts as JSON would have them; what is empty is absent."""
    given: dict[str, Any] = {name: value.strip() for name, value in fields.items() if value.strip()}
    if _NUMBER.fullmatch(given.get("value", "")):
        given["value"] = float(given["value"])
    if "more_is_better" in given:
        truth = given["more_is_better"]
        given["more_is_better"] = _TRUTH.get(truth.lower(), truth)
    return given


def _json(content: bytes) -> Iterator[tuple[int, int, dict[str, Any] | str]]:
    """The same of JSON; all measurements stand on line 1."""
    try:
        document = Keys.mapping(json.loads(content.decode("utf-8-sig")), "the file")
    except json.JSONDecodeError as error:
        raise FaultError(f"not JSON: {error.msg}", error.lineno) from None
    except UnicodeDecodeError:
        raise FaultError("not UTF-8") from None
    except (RecursionError, ValueError) as error:
        raise FaultError(f"cannot be read: {error}") from None
    keys = Keys(document)
    keys.only(("perfhouse_measurements", "run_id", "measurements"))
    version = document.get("perfhouse_measurements")
    if version != VERSION or isinstance(version, bool):
        keys.fault("perfhouse_measurements", f"is {version!r}, and this reads {VERSION}")
    shared = {"run_id": keys.read("run_id", text)} if "run_id" in document else {}
    measured = document.get("measurements")
    if not isinstance(measured, list):
        keys.fault("measurements", "is missing or no list")
    for record_no, given in enumerate(measured, 1):
        if isinstance(given, Mapping):
            yield record_no, 1, shared | dict(given)
        else:
            yield record_no, 1, "is not a table of keys"
