"""Declare a past run: write a manifest of one run and load it.

ingest.formats.bench.manifest validates the manifest; the run must not clash with one in the
warehouse. The manifest is kept in the lake's folder `declared`, named after the run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ingest.base.errors import RequestError
from ingest.formats.bench.manifest import parse
from ingest.formats.bench.manifest_runs import Interval, overlap
from ingest.lake.log import step
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from ingest.loading import count_file
from ingest.writer import Load

__all__ = ["RunError", "add_run", "doubts", "manifest_of"]

FOLDER = "declared"
_OTHERS = """
    SELECT run.run_id, start_utc, stop_utc,
        coalesce(list(DISTINCT scope.name) FILTER (scope.kind = 'lpar'), []) AS lpars
    FROM raw.bench_run AS run
    JOIN raw.ledger AS load USING (source_id)
    LEFT JOIN raw.bench_run_scope AS scope USING (source_id, record_no)
    WHERE load.origin = $1 AND (run.run_id = $2 OR (start_utc < $4 AND stop_utc > $3))
    GROUP BY ALL
    ORDER BY start_utc, run.run_id
"""
_IS_BUILT = """
    FROM information_schema.columns
    WHERE
        table_catalog = current_database()
        AND table_schema = 'marts' AND table_name = 'fct_usage_hour'
"""
#: Systems, and whether there are records of them between two moments.
_KNOWN = """
    SELECT
        system_id, bool_or(hour_utc < $3::TIMESTAMP AND hour_utc > $2::TIMESTAMP - INTERVAL 1 HOUR)
    FROM marts.fct_usage_hour
    WHERE origin = $1 AND system_id IS NOT NULL
    GROUP BY system_id
"""


class RunError(RequestError):
    """A run cannot be declared; the message is one line."""


def manifest_of(
    given: Mapping[str, str | int | None],
    *,
    factors: Sequence[str] = (),
    labels: Sequence[str] = (),
    lpars: Sequence[str] = (),
    measurements: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a manifest of one run from the options of the command.

    `given` has campaign, start and stop, and optionally run_id, time_zone, repetition,
    steady_start and steady_stop. Factors and labels are "name=value", measurements
    "metric=value:unit"; RunError is raised if they are not. `add_run` checks the values.
    """
    run: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if factors:
        run["factors"] = {name: _scalar(level) for name, level in map(_pair, factors)}
    if labels:
        run["labels"] = dict(map(_pair, labels))
    if lpars:
        run["scope"] = {"lpars": list(lpars)}
    if measurements:
        run["measurement"] = [_measurement(text) for text in measurements]
    return {"perfhouse_manifest": 1, "run": [run]}


def add_run(warehouse: Warehouse, manifest: Mapping[str, Any], origin: str = "measured") -> str:
    """Load a manifest of one run, unless it was added before, and return the run's name.

    Raises RunError, and keeps nothing, if the manifest is invalid, the name is taken or the run
    overlaps another one on its LPARs.
    """
    content = json.dumps(manifest, indent=2, ensure_ascii=False).encode() + b"\n"
    parsed = parse(content)
    if parsed.rejected:
        raise RunError(parsed.rejected[0].reason.removeprefix("run 1: "))
    (row,) = parsed.tables["bench_run"].rows(named=True)
    lpars = frozenset(manifest["run"][0].get("scope", {}).get("lpars", ()))
    run = Interval(row["run_id"], row["start_utc"], row["stop_utc"], lpars)
    if warehouse.store.holds(hashlib.sha256(content).hexdigest()):
        return run.run_id
    _check_clashes(warehouse, run, origin)
    load = _load(warehouse, run.run_id, content, origin)
    if load.status != "loaded":
        raise RunError(f"the manifest was not loaded: {load.status}")
    return run.run_id


def doubts(
    warehouse: Warehouse, manifest: Mapping[str, Any], origin: str = "measured"
) -> list[str]:
    """Return what speaks against a declared run: no records of an LPAR, or of its time.

    Only published data are considered: records may come later.
    """
    (row,) = parse(json.dumps(manifest).encode()).tables["bench_run"].rows(named=True)
    lpars = manifest["run"][0].get("scope", {}).get("lpars", ())
    with warehouse.connect() as db:
        if not db.execute(_IS_BUILT).fetchall():
            return []
        times = [origin, row["start_utc"], row["stop_utc"]]
        systems = dict(db.execute(_KNOWN, times).fetchall())
    texts = [
        f"no records of {lpar} are published: there are some of {', '.join(sorted(systems))}"
        for lpar in lpars
        if systems and lpar not in systems
    ]
    if systems and not any(systems[system] for system in systems.keys() & set(lpars or systems)):
        texts.append("no records of that time are published")
    return texts


def _check_clashes(warehouse: Warehouse, run: Interval, origin: str) -> None:
    with warehouse.connect() as db:
        rows = db.execute(_OTHERS, [origin, run.run_id, run.start_utc, run.stop_utc]).fetchall()
    others = [Interval(name, start, stop, frozenset(lpars)) for name, start, stop, lpars in rows]
    if any(other.run_id == run.run_id for other in others):
        raise RunError(f"run_id {run.run_id!r} is already in the warehouse")
    if other := overlap(run, others):
        raise RunError(
            f"overlaps run {other.run_id!r}, {other.start_utc} to {other.stop_utc} UTC: name the "
            "LPARs that it had to itself, or correct start and stop"
        )


def _load(warehouse: Warehouse, run_id: str, content: bytes, origin: str) -> Load:
    """Keep the manifest and load it."""
    folder = warehouse.lake / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    # Not every run name is a file name.
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in run_id)[:80]
    path = folder / f"{plain}-{hashlib.sha256(content).hexdigest()[:8]}.json"
    path.write_bytes(content)
    with step(warehouse, "ingest"):
        load = load_file(warehouse, path, origin)
        count_file(warehouse, load)
    return load


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name or not value:
        raise RunError(f"{text!r} is not NAME=VALUE")
    return name, value


def _measurement(text: str) -> dict[str, Any]:
    metric, rest = _pair(text)
    value, sign, unit = rest.rpartition(":")
    number = _scalar(value)
    if not sign or not unit or isinstance(number, str):
        raise RunError(f"{text!r} is not METRIC=NUMBER:UNIT")
    return {"metric": metric, "value": number, "unit": unit}


def _scalar(text: str) -> int | float | str:
    """Return a number if the text is one, otherwise the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
