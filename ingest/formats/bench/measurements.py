"""Read plain measurements, from CSV or JSON: the value of a metric for a run, from any harness.

CSV has one header line with these names in any order; UTF-8, comma separated:

    name             required  value
    metric           yes       what is measured, such as rate, bytes, files, messages, transactions
    value            yes       a number, in `unit`
    unit             yes       such as MB/s, B, 1/s, us; MB is 2^20 bytes as in the documents
    run_id           (yes)     the run; may be empty if `time` identifies it
    time             (yes)     when it was measured, ISO 8601 with an offset or Z
    more_is_better   no        true or false
    address_space    no        the address space of the value

JSON has the same names, and a `run_id` of the file for measurements without one:

    {"perfhouse_measurements": 1, "run_id": "mft-7",
     "measurements": [{"metric": "rate", "value": 71.15, "unit": "MB/s", "more_is_better": true}]}
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from ingest.formats.bench.manifest import MEASUREMENT, names_itself
from ingest.formats.bench.manifest import TITLES as _RUN_TITLES
from ingest.formats.bench.values import FaultError, from_json, to_utc
from ingest.formats.text.parser import Parsed, Rejected
from ingest.formats.text.table import Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

TABLE = "bench_measurement"
CSV_KIND, JSON_KIND = "measurements_csv", "measurements_json"
NEEDED = ("metric", "value", "unit")
NAMES = (*NEEDED, "run_id", "time", "more_is_better", "address_space")
SCHEMAS, COLUMN_DOCS = describe_tables({TABLE: MEASUREMENT})
TITLES = {TABLE: _RUN_TITLES[TABLE]}

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_TRUTH = {"true": True, "y": True, "1": True, "false": False, "n": False, "0": False}


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by its header line or its key."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return JSON_KIND if names_itself(head, "perfhouse_measurements") else None
    names = _header(head)
    is_known = len(set(names)) == len(names) and set(names) <= set(NAMES)
    has_run = {"run_id", "time"} & set(names)
    return CSV_KIND if is_known and has_run and set(NEEDED) <= set(names) else None


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


def _row(given: object) -> dict[str, object]:
    """Return the columns of one measurement. Raises FaultError."""
    from ingest.formats.bench.declared import MeasurementLine, validated

    row = validated(MeasurementLine, given, "it").model_dump()
    time = row.pop("time")
    if time and time.tzinfo is None:
        raise FaultError("key time has no offset: end it in Z or +hh:mm")
    if row["run_id"] is None and time is None:
        raise FaultError("has neither run_id nor time, so its run is not known")
    return row | {"time_utc": to_utc(time, "") if time else None}


def _header(head: bytes) -> list[str]:
    first = head.split(b"\n", 1)[0].rstrip(b"\r").removeprefix(b"\xef\xbb\xbf")
    try:
        names = next(csv.reader([first.decode("utf-8")], strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        return []
    return [name.strip() for name in names]


def _csv(content: bytes) -> Iterator[tuple[int, int, object]]:
    """Yield number, line and fields of each measurement; a text instead of fields is a fault."""
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
        yield record_no, line, _typed_row(dict(zip(header, fields, strict=True)))


def _typed_row(fields: dict[str, str]) -> dict[str, Any]:
    """Return CSV's texts as JSON has them; empty ones are absent."""
    given: dict[str, Any] = {name: value.strip() for name, value in fields.items() if value.strip()}
    if _NUMBER.fullmatch(given.get("value", "")):
        given["value"] = float(given["value"])
    if "more_is_better" in given:
        truth = given["more_is_better"]
        given["more_is_better"] = _TRUTH.get(truth.lower(), truth)
    return given


def _json(content: bytes) -> Iterator[tuple[int, int, object]]:
    """Do the same for JSON, where the line is always 1."""
    from ingest.formats.bench.declared import MeasurementFile, validated

    try:
        document = from_json(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise FaultError(f"not JSON: {error.msg}", error.lineno) from None
    except UnicodeDecodeError:
        raise FaultError("not UTF-8") from None
    except (RecursionError, ValueError) as error:
        raise FaultError(f"cannot be read: {error}") from None
    file = validated(MeasurementFile, document, "the file")
    shared = {"run_id": file.run_id} if file.run_id else {}
    for record_no, given in enumerate(file.measurements, 1):
        is_table = isinstance(given, dict)
        yield record_no, 1, shared | given if is_table else "is not a table of keys"
