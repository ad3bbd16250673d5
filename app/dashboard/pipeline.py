"""Draws the steps that load, build, check and publish the warehouse, and how they went.

From the live log, which also has steps that came after the last publish.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import disk_usage
from typing import Any

import polars as pl
import streamlit as st

from app.charts.moments import at_moments, of_days
from app.charts.time import Span
from app.dashboard import components, filters, units
from app.pipeline.places import default_warehouse
from app.pipeline.publication import TO_READERS
from app.pipeline.steps import outdated
from app.results.queries import loads
from app.results.queries import pipeline as queries
from app.results.reader import Reader
from app.results.words import counted
from ingest.lake.log_lines import running
from ingest.lake.warehouse import Warehouse

__all__ = ["draw_failed", "draw_steps", "size_tiles"]

_MOMENT = "YYYY-MM-DD HH:mm:ss"
_PERIODS = {"7 days": 7, "30 days": 30, "90 days": 90, "all": None}
_STEPS = ("build", "check", "publish")
_KEPT = 300  # seconds for which the number of outdated loads is shown


def draw_steps(reader: Reader, states: pl.DataFrame) -> None:
    """Draw what has to be done, the steps (`queries.states`), and what they did over time."""
    warehouse = default_warehouse()
    _problems(reader, warehouse, states)
    if states.is_empty():
        return
    _steps(warehouse, states)
    now = datetime.now(UTC).replace(tzinfo=None)
    with st.sidebar:
        period = _PERIODS[filters.switch("Time", list(_PERIODS), "period")]
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    since = None if period is None else today - timedelta(days=period - 1)
    _charts(reader, since, now, queries.by_day(reader, since))


def size_tiles(reader: Reader) -> dict[str, str | tuple[str, str]]:
    """Return tiles: how large the published file and the lake are, and how much room there is."""
    sizes = queries.sizes(reader).drop_nulls().tail(1)
    files = sizes["lake_files"].item() if sizes.height else None
    return {
        "Published file": (units.byte_count(reader.file.stat().st_size), "what readers open"),
        "Lake": (
            units.byte_count(sizes["lake_bytes"].item() if sizes.height else None),
            f"{units.number(files)} files at the last publish" if files else "not measured yet",
        ),
        "Free disk": (units.byte_count(_free(default_warehouse())), "on the disk of the lake"),
    }


def _free(warehouse: Warehouse) -> int | None:
    try:
        return disk_usage(warehouse.lake).free
    except OSError:  # the lake is elsewhere
        return None


def _problems(reader: Reader, warehouse: Warehouse, states: pl.DataFrame) -> None:
    """Say what has to be done, if anything."""
    for row in states.filter(pl.col("failed") > 0).iter_rows(named=True):
        often = "once" if row["failed"] == 1 else f"{row['failed']} times"
        last = f"since it last worked ({units.moment(row['last_ok_at'])})"
        reason = f": {str(row['reason']).rstrip('.')}" if row["reason"] else ""
        components.problem(
            f"The step {row['step']} failed or was interrupted {often} "
            f"{last if row['last_ok_at'] else 'and never worked'}{reason}.",
            "doctor",
        )
    if waiting := loads.unpublished(reader):
        components.problem(
            f"{counted(waiting, 'load is', 'loads are')} not published yet.", *TO_READERS
        )
    if old := _outdated(str(warehouse.file)):
        components.problem(
            f"{counted(old, 'load was', 'loads were')} decoded by an earlier version; "
            "this one may read more.",
            "reload",
        )


@st.cache_data(ttl=_KEPT, show_spinner=False)
def _outdated(file: str) -> int:
    return len(outdated(Warehouse(Path(file))))


def _steps(warehouse: Warehouse, states: pl.DataFrame) -> None:
    components.section("Steps", "One row per step, the latest first.")
    under_way = running(warehouse.lake)
    state = (
        pl.when(pl.col("status").is_not_null())
        .then("status")
        .when(pl.col("step_id").is_in(list(under_way)))
        .then(pl.lit("runs now"))
        .otherwise(pl.lit("interrupted"))
    )
    components.table(
        states.with_columns(state=state),
        "pipeline_steps",
        columns={
            "step": "Step",
            "state": "State",
            "failed": "Failures since",
            "last_ok_at": "Last success",
            "seconds": "Time, s",
            "median_seconds": "Median of 20, s",
            "last_begun_at": "Started",
            "reason": "Reason",
        },
    )


def _charts(reader: Reader, since: datetime | None, now: datetime, days: pl.DataFrame) -> None:
    times = queries.times(reader, since)
    sizes = (
        queries.sizes(reader, since)
        .select(
            "moment",
            pl.col("lake_bytes").alias("lake") / units.MB,
            pl.col("published_bytes").alias("published file") / units.MB,
        )
        .unpivot(index="moment", variable_name="series", value_name="value")
        .drop_nulls()
    )
    loaded = days.filter(pl.col("bytes") > 0)
    rates = days.drop_nulls("records_per_second").filter(pl.col("records") > 0)
    moments = pl.concat([times["moment"], days["day"].cast(pl.Datetime("us"))])
    first: datetime = since or moments.min() or now  # type: ignore[assignment]
    span = Span(first, now)
    nothing = "Nothing in this time range."
    with components.panels():
        components.panel(
            "Loaded",
            None
            if loaded.is_empty()
            else of_days(
                loaded.select("day", value=pl.col("bytes") / units.MB), unit="MB", span=span
            ),
            help="Unpacked size of the files that were loaded on each day",
            empty=nothing,
        )
        components.panel(
            "Ingest rate",
            None
            if rates.is_empty()
            else of_days(
                rates.select("day", value="records_per_second"), unit="records/s", span=span
            ),
            help="Records that were loaded on each day, per elapsed second of ingest",
            empty=nothing,
        )
        components.panel(
            "Time of each build, check and publish",
            None
            if times.is_empty()
            else at_moments(
                times,
                unit="s",
                span=span,
                order=_STEPS,
                details={"how": "built", "status": "status"},
            ),
            empty=nothing,
        )
        components.panel(
            "Sizes after each publish",
            None
            if sizes.is_empty()
            else at_moments(sizes, unit="MB", span=span, order=("lake", "published file")),
            empty=nothing,
        )


def draw_failed(reader: Reader) -> None:
    """Draw the files that could not be read."""
    failed = queries.failed_files(reader)
    if failed.is_empty():
        components.section("Failed files", "None: every file could be read.")
        return
    more = f"; the last {queries.MOST}" if failed.height == queries.MOST else ""
    components.section(
        "Failed files", f"Files that could not be read and have not been loaded since{more}."
    )
    components.table(
        failed,
        "failed_files",
        columns={
            "last_at": "Last try",
            "file": "File",
            "tries": "Tries",
            "reason": "Reason",
            "command": "Command",
        },
    )


def _figure(label: str) -> Any:
    return st.column_config.NumberColumn(label, format="%,.4g")
