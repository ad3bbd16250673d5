"""Regressions as events in Parquet files, one file per check or user action.

Files are written atomically and never changed. The last event of a regression holds its current
state: `meta.regression` shows it, `meta.regression_event` the whole history. A check and people may
write at the same time: `writing` lets one at a time read the present state and add to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from expectations.regressions.finding import DATA, Finding, Key, Part
from expectations.regressions.states import FALSE_ALARM, WITHDRAWN
from expectations.store import ids, next_id, write_whole
from ingest.base.waiting import locked

__all__ = ["DETECTOR", "SCHEMA", "Row", "detector_version", "events_after", "finding_of",
           "key_of", "last_states", "parts_of", "read_current", "row_of", "write_events",
           "write_schema", "writing"]  # fmt: skip

Row = dict[str, Any]

DETECTOR = "detector"  # who wrote an event, if no person did
_PATIENCE = 60  # seconds to wait for another writer, who needs few

_TYPES: dict[str, pl.DataType] = {
    **dict.fromkeys(("event_at", "onset_utc", "recovered_utc"), pl.Datetime("us")),
    **dict.fromkeys(("leads", "more_is_better"), pl.Boolean()),
    **dict.fromkeys(("before", "after", "low", "high", "change_percent", "lost_percent", "effect",
                     "p_value"), pl.Float64()),
    **dict.fromkeys(("runs_before", "runs_after"), pl.Int64()),
    "run_ids": pl.List(pl.String()),
}  # fmt: skip
#: The columns, which ingest.lake.meta_columns describes.
SCHEMA: dict[str, pl.DataType] = {
    name: _TYPES.get(name, pl.String())
    for name in (
        "event_id", "event_at", "regression_id", "group_id", "leads", "state", "by", "note",
        "owner", "bug", "build_id", "detector_version", "kind", "origin", "campaign",
        "configuration_id", "configuration", "metric", "system_id", "address_space", "unit",
        "more_is_better", "onset_run_id", "onset_utc", "onset_build", "onset_first_build",
        "onset_last_build", "last_good_run_id", "before", "after", "low", "high",
        "change_percent", "lost_percent", "effect", "p_value", "runs_before", "runs_after",
        "run_ids", "recovered_run_id", "recovered_utc", "cause", "parts", "message",
    )
}  # fmt: skip


@cache
def detector_version() -> str:
    """Return the version of perfhouse and a digest of the code that detects and judges."""
    digest = hashlib.sha256()
    folder = Path(__file__).parents[1]
    for part in ("detector", "regressions", "verdicts"):
        for file in sorted((folder / part).glob("*.*")):
            digest.update(file.read_bytes())
    return f"{version('perfhouse')}+{digest.hexdigest()[:8]}"


def row_of(finding: Finding, state: str, build_id: str, **more: object) -> Row:
    """Return an event without its identity; `more`: columns that are not in the finding."""
    recovery = finding.recovery
    return {
        **dict.fromkeys(("note", "owner", "bug"), ""),
        **{name: getattr(finding, name) for name in SCHEMA if hasattr(finding, name)},
        **asdict(finding.key),
        "leads": False,
        "by": DETECTOR,
        "state": state,
        "build_id": build_id,
        "detector_version": detector_version(),
        "onset_first_build": finding.onset_first_build or finding.onset_build,
        "onset_last_build": finding.onset_last_build or finding.onset_build,
        "lost_percent": None,
        "run_ids": list(finding.run_ids),
        "recovered_run_id": recovery.run_id if recovery else None,
        "recovered_utc": recovery.start_utc if recovery else None,
        "cause": finding.cause or (finding.what if finding.kind == DATA else ""),
        "parts": json.dumps([asdict(part) for part in finding.parts]),
        **more,
    }


def key_of(row: Row) -> Key:
    """Return the series of an event."""
    return Key(*(row[name] for name in Key.__dataclass_fields__))


def finding_of(row: Row, onset_no: int) -> Finding:
    """Return the finding behind an event; onset_no: the number of its build in its campaign."""
    same = {name: row[name] for name in SCHEMA.keys() & Finding.__dataclass_fields__.keys()}
    same |= {"run_ids": tuple(row["run_ids"]), "parts": parts_of(row)}
    return Finding(key=key_of(row), onset_no=onset_no, **same)


def parts_of(row: Row) -> tuple[Part, ...]:
    """Return the split of a regression."""
    return tuple(Part(**part) for part in json.loads(row["parts"] or "[]"))


def write_schema(folder: Path) -> Path:
    """Write an empty file that defines columns and types while there are no events."""
    return write_whole(pl.DataFrame(schema=SCHEMA), folder / "_schema.parquet")


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the lock of the folder, from reading the present state to writing what follows from it.

    Raises HeldError if others hold it for a minute, and OSError.
    """
    with locked(folder.with_name(f"{folder.name}.lock"), wait=_PATIENCE):
        yield


def write_events(rows: Sequence[Row], folder: Path) -> list[Row]:
    """Append the events atomically; return the rows with their identities.

    The caller holds the lock of the folder: see `writing`.
    """
    moment, name = datetime.now(UTC).replace(tzinfo=None), next_id(folder)
    rows = [
        {**row, "event_id": f"{name}-{number:05}", "event_at": moment}
        for number, row in enumerate(rows)
    ]
    if rows:
        write_whole(pl.DataFrame(rows, schema=SCHEMA), folder / f"{name}.parquet")
    return rows


def events_after(folder: Path, event_id: str) -> list[Row]:
    """Return the events behind this one (''; all), in their order."""
    name = event_id[: event_id.rfind("-")] if event_id else ""
    events = _read([folder / f"{item}.parquet" for item in ids(folder) if item >= name])
    return events.filter(pl.col("event_id") > event_id).to_dicts()


def read_current(folder: Path) -> list[Row]:
    """Return the last event of each regression, in order of these events."""
    return _last(_read(_files(folder))).to_dicts()


def last_states(folder: Path, of: Collection[str]) -> dict[str, str]:
    """Return the last of these states that each regression had, of those that ever had one."""
    last = _last(_read(_files(folder)).filter(pl.col("state").is_in(list(of))))
    return dict(last.select("regression_id", "state").iter_rows())


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[!._]*.parquet"))


def _read(files: Sequence[Path]) -> pl.DataFrame:
    """Return the events of files in their order; earlier releases had fewer columns.

    What they withdrew themselves they called a false alarm, as people do.

    Raises OSError, also if a file is damaged.
    """
    events = []
    for file in files:
        try:
            events.append(pl.read_parquet(file, glob=False))
        except pl.exceptions.PolarsError as error:
            raise OSError(f"{file}: {' '.join(str(error).split())}") from error
    whole = pl.concat([pl.DataFrame(schema=SCHEMA), *events], how="diagonal")
    texts = ("owner", "bug", "onset_first_build", "onset_last_build")
    withdrawn = (pl.col("state") == FALSE_ALARM) & (pl.col("by") == DETECTOR)
    return whole.with_columns(
        pl.col(texts).fill_null(""),
        state=pl.when(withdrawn).then(pl.lit(WITHDRAWN)).otherwise("state"),
    ).sort("event_id")


def _last(events: pl.DataFrame) -> pl.DataFrame:
    return events.unique("regression_id", keep="last", maintain_order=True)
