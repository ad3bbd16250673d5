"""The marts of processors, classes and address spaces show what the synthetic sysplex did.

Each figure goes from the simulation through binary records, decoding and SQL; here the two ends
are compared. Type 30 counts in hundredths of a second, RMF's interval starts in whole seconds.
"""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from duckdb import DuckDBPyConnection

from app.pipeline.bundled import SAMPLES_SEED
from models_sim.simulator.zos.profile import SYSTEMS, ZIIP_FACTOR
from models_sim.simulator.zos.simulate import Frames
from models_sim.simulator.zos.write import truth

KINDS = ("tcb", "srb", "initiator_tcb", "io_interrupt", "region_control", "hiperspace")
KEY = ["system", "interval"]
HUNDREDTHS = 0.01 * len(KINDS)


@pytest.fixture(scope="module")
def done() -> Frames:
    return truth(SAMPLES_SEED)


@pytest.fixture(scope="module")
def marts(bundled: Path, done: Frames) -> Iterator[DuckDBPyConnection]:
    """The published marts, and `place`: the number of the interval for each start."""
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{bundled}' AS built (READ_ONLY)")
        starts = done["interval"].select(*KEY, pl.col("start").dt.truncate("1s"), "skipped")
        db.execute("CREATE TABLE place AS FROM starts")
        assert starts.height
        yield db


def cpu_seconds() -> pl.Expr:
    """Return CPU seconds on general-purpose processors."""
    return pl.sum_horizontal(f"{kind}_us" for kind in KINDS) / 1e6


def shown(marts: DuckDBPyConnection, mart: str, columns: str) -> pl.DataFrame:
    """Return rows of a mart for the synthetic sysplex, with the number of their interval."""
    return marts.sql(
        f"SELECT system_id AS system, interval, {columns} FROM built.marts.{mart} AS mart "
        "JOIN place ON place.system = mart.system_id AND place.start = interval_start_utc "
        "WHERE origin = 'simulated'"
    ).pl()


def kept(done: Frames, frame: str) -> pl.DataFrame:
    """Return a frame without the interval whose records are marked as skipped."""
    skipped = done["interval"].filter("skipped").select(KEY)
    assert skipped.height == 1
    return done[frame].join(skipped, on=KEY, how="anti")


def agree(left: pl.DataFrame, right: pl.DataFrame, on: list[str], tolerance: float) -> None:
    """Assert that both have the same keys and differ by at most the tolerance elsewhere."""
    columns = [c for c in left.columns if c not in on]
    assert set(columns) <= set(right.columns)
    both = left.join(right, on=on, how="full", suffix="_other")
    assert both.height == left.height == right.height > 0
    for column in columns:
        gap = (both[column] - both[f"{column}_other"]).abs()
        assert gap.null_count() == 0, column
        assert gap.max() <= tolerance, (column, gap.max())


def test_processors_are_dispatched_as_simulated(marts: DuckDBPyConnection, done: Frames) -> None:
    by_type = [*KEY, "processor_type"]
    made = (
        kept(done, "processor")
        .group_by(by_type)
        .agg(
            effective=pl.col("effective_us").sum() / 1e6,
            dispatched=pl.col("dispatched_us").sum() / 1e6,
            busy=(pl.col("online_us") - pl.col("wait_us") - pl.col("parked_us")).sum() / 1e6,
        )
    )
    columns = (
        "processor_type, effective_seconds AS effective, dispatch_seconds AS dispatched, "
        "busy_seconds AS busy"
    )
    agree(made, shown(marts, "fct_processor_interval", columns), by_type, 1e-4)


def test_address_spaces_use_the_simulated_cpu_time(marts: DuckDBPyConnection, done: Frames) -> None:
    by_job = [*KEY, "job"]
    # Only RMF records can be marked as skipped, so no address space record is left out.
    made = done["address_space"].select(
        *by_job,
        cpu=cpu_seconds(),
        ziip=pl.col("ziip_us") / 1e6,
        on_cp=pl.col("ziip_on_cp_us") / 1e6,
    )
    found = marts.sql(
        "SELECT system_id AS system, job_name AS job, interval_end_utc AS end, "
        "general_purpose_seconds AS cpu, ziip_seconds AS ziip, ziip_on_cp_seconds AS on_cp "
        "FROM built.marts.fct_address_space_interval "
        "WHERE sysplex = 'PLEX1' AND interval_start_utc IS NOT NULL"
    ).pl()
    ends = done["address_space"].select(*by_job, "end")
    found = found.join(ends, on=["system", "job", "end"], how="left").drop("end")
    agree(made, found, by_job, 2 * HUNDREDTHS)


def test_classes_are_charged_the_cpu_time_of_their_address_spaces(
    marts: DuckDBPyConnection, done: Frames
) -> None:
    columns = "general_purpose_seconds AS cpu, ziip_seconds AS ziip, ziip_on_cp_seconds AS on_cp"
    made = kept(done, "class_period").select(
        *KEY,
        "class",
        "period",
        "report",
        cpu=cpu_seconds(),
        ziip=pl.col("ziip_us") / 1e6,
        on_cp=pl.col("ziip_on_cp_us") / 1e6,
    )
    service = made.filter(~pl.col("report")).drop("report")
    by_period = [*KEY, "class", "period"]
    found = shown(
        marts, "fct_service_class_period_interval", f"service_class AS class, period, {columns}"
    )
    agree(service, found, by_period, 1e-5)
    by_class = [*KEY, "class"]
    report = made.filter("report").group_by(by_class).agg(pl.col("cpu", "ziip", "on_cp").sum())
    found = shown(marts, "fct_report_class_interval", f"report_class AS class, {columns}")
    agree(report, found, by_class, 1e-5)


def test_response_times_are_those_of_the_transactions(
    marts: DuckDBPyConnection, done: Frames
) -> None:
    found = shown(
        marts,
        "fct_service_class_period_interval",
        "service_class AS class, period, transactions, response_seconds, "
        "list_sum(response_bucket_transactions) AS in_buckets",
    ).filter(pl.col("transactions").is_not_null())
    made = (
        kept(done, "class_period")
        .filter(~pl.col("report"))
        .select(
            *KEY,
            "class",
            "period",
            response_seconds=pl.col("response_us") / pl.col("transactions") / 1e6,
            in_buckets=pl.col("transactions"),
        )
        .join(found.select(*KEY, "class", "period"), on=[*KEY, "class", "period"])
    )
    agree(made, found, [*KEY, "class", "period"], 1e-6)


def test_the_reconciliation_shows_the_capture_ratio(
    marts: DuckDBPyConnection, done: Frames
) -> None:
    found = shown(
        marts,
        "fct_cpu_reconciliation",
        "processor_type, capture_percent, unexplained_seconds, missing",
    )
    assert found.select(*KEY, "processor_type").is_unique().all()
    assert found.height == 2 * kept(done, "interval").height
    assert found["missing"].null_count() == found.height
    assert found["unexplained_seconds"].max() == 0
    for system in SYSTEMS:
        for kind, ratio in (("CP", system.capture), ("zIIP", system.ziip_capture)):
            of_kind = found.filter(system=system.name, processor_type=kind)
            assert (of_kind["capture_percent"] - 100 * ratio).abs().max() < 1e-3


def test_ziip_eligible_work_is_normalized_to_the_speed_of_cps(
    marts: DuckDBPyConnection, done: Frames
) -> None:
    factor = ZIIP_FACTOR / 256
    made = (
        kept(done, "address_space")
        .group_by(KEY)
        .agg(
            cpu=cpu_seconds().sum(),
            ziip=pl.col("ziip_us").sum() / 1e6,
            on_cp=pl.col("ziip_on_cp_us").sum() / 1e6,
        )
        .select(
            *KEY,
            eligible_percent=100
            * (pl.col("ziip") * factor + pl.col("on_cp"))
            / (pl.col("cpu") + pl.col("ziip") * factor),
        )
    )
    agree(made, shown(marts, "fct_ziip_interval", "eligible_percent"), KEY, 1e-5)


def test_cpu_time_at_idle_is_that_of_the_idle_interval(marts: DuckDBPyConnection) -> None:
    rows = marts.execute(
        "SELECT complete, above_idle_cp_seconds, cp_seconds, idle_cp_seconds "
        "FROM built.marts.fct_sysplex_cpu_interval WHERE sysplex = 'PLEX1' "
        "ORDER BY interval_start_utc"
    ).fetchall()
    assert [complete for complete, *_ in rows].count(False) == 1  # the skipped interval
    assert rows[0][1] == pytest.approx(0, abs=1e-6)
    assert all(above > 0 for complete, above, *_ in rows[1:] if complete)
