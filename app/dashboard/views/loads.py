"""Every loaded file, what it held, what could not be read, and the steps that load to publish.

Code of its own: it reads the live ledger and log, also of what came after the last publish.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from app.dashboard import components, session, units
from app.dashboard.pipeline import draw_failed, draw_steps, size_tiles
from app.results.labels import issue_label
from app.results.queries import loads, pipeline, today
from app.results.reader import Reader
from app.results.words import counted


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Loads",
        "The files that are loaded, what they held, what could not be read, and the steps from a "
        "load to its publish. Times are UTC.",
    )
    ledger, states = loads.ledger(reader), pipeline.states(reader)
    if ledger.is_empty() and states.is_empty():
        components.empty("Nothing is loaded yet. Load SMF dumps, RMF reports or benchmark outputs.")
        return
    _tiles(reader, ledger)
    draw_steps(reader, states)
    if ledger.height:
        _kinds(reader)
        _feeds(reader)
        _loads(ledger)
    _quarantine(reader)
    draw_failed(reader)


def _tiles(reader: Reader, ledger: pl.DataFrame) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    newest = loads.newest(reader)
    last_load = ledger["loaded_at"].max()
    damaged = int(ledger["records_quarantined"].sum())
    files = ledger.filter(pl.col("status") != "loaded").height
    components.tiles(
        {
            "Loads": (units.number(ledger.height), _origins(ledger)),
            "Records loaded": (
                units.number(int(ledger["records_loaded"].sum())),
                units.byte_count(int(ledger["bytes"].sum())) + " in files",
            ),
            "Quarantined": (
                counted(damaged, "record"), f"in {files} of {ledger.height} files",
            ),
            "Newest interval": _moment(
                newest["moment"].item(), (newest["origin"].item() or "no intervals loaded")
            ),
            "Last load": _moment(last_load, units.since(last_load, now)),  # type: ignore[arg-type]
            "Last publish": _moment(reader.published_at, units.since(reader.published_at, now)),
            **size_tiles(reader),
        }
    )  # fmt: skip


def _moment(value: datetime | None, remark: str) -> tuple[str, str]:
    if value is None:
        return units.MISSING, remark
    return f"{value:%H:%M}", f"{value:%Y-%m-%d}, {remark}"


def _origins(ledger: pl.DataFrame) -> str:
    counts = ledger.group_by("origin").len().sort("origin")
    return ", ".join(f"{count} {origin}" for origin, count in counts.iter_rows())


def _kinds(reader: Reader) -> None:
    components.section("What is loaded", "By origin and kind of record, in the published build.")
    components.table(
        loads.by_record_type(reader).with_columns(
            pl.col("record").map_elements(issue_label, return_dtype=pl.String)
        ),
        "record_types",
        columns={
            "origin": "Origin",
            "record": "Kind of record",
            "loads": "Loads",
            "records": "Records",
            "sections": "Sections",
            "first_at": "First",
            "last_at": "Last",
        },
    )


def _feeds(reader: Reader) -> None:
    feeds = today.feeds(reader)
    if feeds.is_empty():  # nothing of it is published yet
        return
    components.section(
        "Feeds", "When each kind of record came, and whether the next load of it is missing."
    )
    components.table(
        feeds.with_columns(
            name=pl.col("name").map_elements(issue_label, return_dtype=pl.String),
            usual_hours=pl.col("usual_seconds") / 3600,
        ),
        "feeds",
        columns={
            "name": "Name",
            "state": "State",
            "last_utc": "Came last",
            "expected_utc": "Expected",
            "last_record_utc": "Newest record",
            "usual_hours": "Usually every, h",
            "arrivals": "Arrivals",
            "origin": "Origin",
        },
    )


def _loads(ledger: pl.DataFrame) -> None:
    components.section("Loads", "Every loaded file, newest first. Click one to see its records.")
    chosen = components.pick(
        ledger.with_columns(
            file=pl.col("path").map_elements(lambda path: Path(path).name, return_dtype=pl.String),
            size_kb=pl.col("bytes") / 1024,
            in_build=pl.when("published").then(pl.lit("yes")).otherwise(pl.lit("not yet")),
        ),
        "loads",
        columns={
            "loaded_at": "Loaded",
            "origin": "Origin",
            "file": "File",
            "status": "Status",
            "in_build": "Published",
            "size_kb": "Size, KB",
            "records": "Records",
            "records_quarantined": "Quarantined",
            "source_id": "ID (SHA-256)",
        },
    )
    if chosen and chosen["published"]:
        components.link(
            "lineage", f"Records of {chosen['file']}", follow="A record",
            source=chosen["source_id"], record="1",
        )  # fmt: skip


def _quarantine(reader: Reader) -> None:
    entries = loads.quarantine(reader)
    if entries.is_empty():
        return
    components.section("Quarantine", "Records that could not be loaded, and why; at most 500.")
    components.table(
        entries,
        "quarantine",
        columns={
            "path": "File",
            "record_no": "Record",
            "file_offset": "Offset, bytes",
            "record_type": "Type",
            "record_subtype": "Subtype",
            "reason": "Reason",
        },
    )


if __name__ == "__main__":
    draw(session.reader())
