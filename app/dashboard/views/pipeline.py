"""The steps that load, build, check and publish the warehouse, and how they went.

Code of its own: it reads the live log, also of steps that came after the last publish.
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
from app.dashboard import components, filters, session, units
from app.pipeline.places import default_warehouse
from app.pipeline.publication import TO_READERS
from app.pipeline.steps import outdated
from app.results.queries import pipeline as queries
from app.results.reader import Reader
from ingest.lake.log import running
from ingest.lake.warehouse import Warehouse

_MOMENT = "YYYY-MM-DD HH:mm:ss"
_PERIODS = {"7 days": 7, "30 days": 30, "90 days": 90, "all": None}
_STEPS = ("build", "check", "publish")
_KEPT = 300  # seconds for which the number of outdated loads is shown


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Pipeline",
        "What loads, builds, checks and publishes this warehouse, from its log. Times are UTC.",
    )
    states = queries.states(reader)
    if states.is_empty():
        components.empty("The log has no step yet: nothing was loaded or built since it began.")
        return
    warehouse = default_warehouse()
    now = datetime.now(UTC).replace(tzinfo=None)
    waiting = queries.unpublished_loads(reader)
    _tiles(reader, warehouse, states, waiting, now)
    _problems(warehouse, states, waiting)
    _steps(warehouse, states)
    with st.sidebar:
        period = _PERIODS[filters.switch("Time", list(_PERIODS), "period")]
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    since = None if period is None else today - timedelta(days=period - 1)
    days = queries.by_day(reader, since)
    _charts(reader, since, now, days)
    _days(days)
    _failed(reader)


def _tiles(
    reader: Reader, warehouse: Warehouse, states: pl.DataFrame, waiting: int, now: datetime
) -> None:
    succeeded = dict(states.select("step", "last_ok_at").iter_rows())
    sizes = queries.sizes(reader).drop_nulls().tail(1)
    files = sizes["lake_files"].item() if sizes.height else None
    components.tiles(
        {
            "Last ingest": _ago(succeeded.get("ingest"), now),
            "Last publish": _ago(reader.published_at, now),
            "Not published": (
                units.quantity(waiting, "load" if waiting == 1 else "loads"),
                "not yet seen by readers",
            ),
            "Published file": (
                units.byte_count(reader.file.stat().st_size), "what readers open",
            ),
            "Lake": (
                units.byte_count(sizes["lake_bytes"].item() if sizes.height else None),
                f"{units.number(files)} files at the last publish" if files else "not measured yet",
            ),
            "Free disk": (units.byte_count(_free(warehouse)), "on the disk of the lake"),
        }
    )  # fmt: skip


def _ago(moment: datetime | None, now: datetime) -> tuple[str, str]:
    return (units.since(moment, now), units.moment(moment)) if moment else (units.MISSING, "never")


def _free(warehouse: Warehouse) -> int | None:
    try:
        return disk_usage(warehouse.lake).free
    except OSError:  # the lake is elsewhere
        return None


def _problems(warehouse: Warehouse, states: pl.DataFrame, waiting: int) -> None:
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
    if waiting:
        shown = "load is" if waiting == 1 else "loads are"
        components.problem(f"{waiting:,} {shown} not published yet.", *TO_READERS)
    if old := _outdated(str(warehouse.file)):
        loads = "load was" if old == 1 else "loads were"
        components.problem(
            f"{old:,} {loads} decoded by an earlier version; this one may read more.", "reload"
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
            "step": st.column_config.TextColumn("Step", width="small"),
            "state": st.column_config.TextColumn("State", width="small"),
            "failed": _count("Failures since"),
            "last_ok_at": st.column_config.DatetimeColumn("Last success, UTC", format=_MOMENT),
            "seconds": _figure("Time, s"),
            "median_seconds": _figure("Median of 20, s"),
            "last_begun_at": st.column_config.DatetimeColumn("Started, UTC", format=_MOMENT),
            "reason": st.column_config.TextColumn("Reason", width="large"),
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


def _days(days: pl.DataFrame) -> None:
    if days.is_empty():
        return
    components.section("Loaded by day")
    components.table(
        days.with_columns(size_mb=pl.col("bytes") / units.MB),
        "loaded_by_day",
        columns={
            "day": st.column_config.DateColumn("Day, UTC"),
            "loads": _count("Loads"),
            "failures": _count("Failed files"),
            "size_mb": st.column_config.NumberColumn("Size, MB", format="%,.4g"),
            "records": _count("Records"),
            "records_quarantined": _count("Quarantined"),
            "records_per_second": _figure("Records/s"),
            "seconds": _figure("Ingest time, s"),
        },
    )


def _failed(reader: Reader) -> None:
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
            "last_at": st.column_config.DatetimeColumn("Last try, UTC", format=_MOMENT),
            "file": st.column_config.TextColumn("File", width="medium"),
            "tries": _count("Tries"),
            "reason": st.column_config.TextColumn("Reason", width="medium"),
            "command": st.column_config.TextColumn("Command", width="small"),
        },
    )


def _count(label: str) -> Any:
    return st.column_config.NumberColumn(label, format="localized")


def _figure(label: str) -> Any:
    return st.column_config.NumberColumn(label, format="%,.4g")


if __name__ == "__main__":
    draw(session.reader())
