"""What is loaded, how recent it is, and the result of the last audit."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, session, units
from app.pipeline.publication import TO_READERS
from app.results.queries import loads
from app.results.reader import Reader

_MOMENT = "YYYY-MM-DD HH:mm"


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Overview",
        "What is in the published warehouse, and the result of the last audit. Times are UTC.",
    )
    ledger = loads.ledger(reader)
    if ledger.is_empty():
        components.empty("Nothing is loaded yet. Load SMF dumps, RMF reports or benchmark outputs.")
        return
    _tiles(reader, ledger)
    _state(reader, loads.verdict(reader))
    _kinds(reader)
    _loads(ledger)
    _quarantine(reader)


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
                units.quantity(damaged, "records" if damaged != 1 else "record"),
                f"in {files} of {ledger.height} files",
            ),
            "Newest interval": _moment(
                newest["moment"].item(), (newest["origin"].item() or "no intervals loaded")
            ),
            "Last load": _moment(last_load, units.since(last_load, now)),  # type: ignore[arg-type]
            "Last publish": _moment(reader.published_at, units.since(reader.published_at, now)),
        }
    )


def _moment(value: datetime | None, remark: str) -> tuple[str, str]:
    if value is None:
        return units.MISSING, remark
    return f"{value:%H:%M}", f"{value:%Y-%m-%d}, {remark}"


def _origins(ledger: pl.DataFrame) -> str:
    counts = ledger.group_by("origin").len().sort("origin")
    return ", ".join(f"{count} {origin}" for origin, count in counts.iter_rows())


def _state(reader: Reader, verdict: pl.DataFrame) -> None:
    build = loads.build(reader)
    if not build.is_empty() and build["later_loads"].item():
        later = build["later_loads"].item()
        components.problem(
            f"{later} {'load is' if later == 1 else 'loads are'} newer than the published build; "
            "the other pages do not show them yet.",
            *TO_READERS,
        )
    if verdict.is_empty():
        components.problem("This warehouse has never been audited.", "check")
        return
    row = verdict.row(0, named=True)
    when = f"{units.moment(row['checked_at'])} UTC"
    whose = "" if row["of_this_build"] else " It audited another build than the published one."
    failed = row["faults"] + row["errors"] + row["warnings"]
    passed = row["expectations"] - failed
    counted = f"{passed} of {row['expectations']} expectations are met ({when}).{whose}"
    found = components.listed(
        [f"{row[of]} {of[:-1] if row[of] == 1 else of}" for of in ("errors", "warnings") if row[of]]
    )
    if row["faults"]:
        st.error(
            f"The last audit found a fault of perfhouse, and its build was held back: {counted}",
            icon=":material/gpp_bad:",
        )
    elif row["errors"]:
        st.warning(f"The last audit found {found} in the data: {counted}", icon=":material/report:")
    elif row["warnings"]:
        st.success(
            f"The last audit passed with {found}: {counted}", icon=":material/verified_user:"
        )
    else:
        st.success(f"The last audit passed: {counted}", icon=":material/verified_user:")
    if failed:
        _failing(loads.failing(reader, row["check_id"]))


def _failing(failing: pl.DataFrame) -> None:
    components.section("Failed expectations")
    components.table(
        failing.with_columns(
            place=pl.concat_str(
                [pl.col("table_name"), pl.col("column_name").replace("", None)],
                separator=".",
                ignore_nulls=True,
            )
        ),
        "failing_expectations",
        columns={
            "severity": st.column_config.TextColumn("Severity", width="small"),
            "message": st.column_config.TextColumn("Problem", width="large"),
            "place": "Table and column",
            "expectation": "Expectation",
            "rows_failed": _count("Rows failed"),
            "rows_total": _count("Rows checked"),
        },
    )


def _kinds(reader: Reader) -> None:
    components.section("What is loaded", "By origin and kind of record, in the published build.")
    components.table(
        loads.by_record_type(reader),
        "record_types",
        columns={
            "origin": st.column_config.TextColumn("Origin", width="small"),
            "record": st.column_config.TextColumn("Kind of record"),
            "loads": _count("Loads"),
            "records": _count("Records"),
            "sections": _count("Sections"),
            "first_at": st.column_config.DatetimeColumn("First, UTC", format=_MOMENT),
            "last_at": st.column_config.DatetimeColumn("Last, UTC", format=_MOMENT),
        },
    )


def _loads(ledger: pl.DataFrame) -> None:
    components.section("Loads", "Every loaded file, newest first.")
    components.table(
        ledger.with_columns(
            file=pl.col("path").map_elements(lambda path: Path(path).name, return_dtype=pl.String),
            size_mb=pl.col("bytes") / units.MB,
            in_build=pl.when("published").then(pl.lit("yes")).otherwise(pl.lit("not yet")),
        ),
        "loads",
        columns={
            "loaded_at": st.column_config.DatetimeColumn("Loaded, UTC", format=_MOMENT),
            "origin": st.column_config.TextColumn("Origin", width="small"),
            "file": st.column_config.TextColumn("File", width="medium"),
            "status": st.column_config.TextColumn("Status", width="small"),
            "in_build": st.column_config.TextColumn("Published", width="small"),
            "size_mb": st.column_config.NumberColumn("Size, MB", format="%,.3f"),
            "records": _count("Records"),
            "records_quarantined": _count("Quarantined"),
            "source_id": st.column_config.TextColumn("ID (SHA-256)", width="small"),
        },
    )


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
            "record_no": _count("Record"),
            "file_offset": _count("Offset, bytes"),
            "record_type": st.column_config.NumberColumn("Type", format="%d"),
            "record_subtype": st.column_config.NumberColumn("Subtype", format="%d"),
            "reason": st.column_config.TextColumn("Reason", width="large"),
        },
    )


def _count(label: str) -> Any:
    return st.column_config.NumberColumn(label, format="localized")


if __name__ == "__main__":
    draw(session.reader())
