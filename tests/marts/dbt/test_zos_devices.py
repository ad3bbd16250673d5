"""The marts of devices and hardware counters show what the synthetic sysplex did.

Each figure goes from the simulation through binary records, decoding and SQL; here the two ends
are compared. Durations of volumes are recorded in units of 128 us, means of data sets in
microseconds.
"""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from duckdb import DuckDBPyConnection

from app.pipeline.bundled import SAMPLES_SEED
from models_sim.simulator.zos.simulate import Frames
from models_sim.simulator.zos.write import truth
from tests.marts.dbt.test_zos_cpu import agree, kept, shown

KEY = ["system", "interval"]
STRUCTURE = [*KEY, "structure"]
VOLUME = [*KEY, "volume"]
TICK = 128.0
NO_MONOPOLIZATION = (3, 4)  # lock and cache structures: not measured


@pytest.fixture(scope="module")
def done() -> Frames:
    return truth(SAMPLES_SEED)


@pytest.fixture(scope="module")
def marts(bundled: Path, done: Frames) -> Iterator[DuckDBPyConnection]:
    """The published marts, and `place`: the number of the interval for each start."""
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{bundled}' AS built (READ_ONLY)")
        starts = done["interval"].select(*KEY, pl.col("start").dt.truncate("1s"))
        db.execute("CREATE TABLE place AS FROM starts")
        assert starts.height
        yield db


@pytest.mark.parametrize(("kind", "name"), [("synchronous", "sync"), ("asynchronous", "async")])
def test_requests_to_structures_take_as_long_as_simulated(
    kind: str, name: str, marts: DuckDBPyConnection, done: Frames
) -> None:
    count, total, squares = (pl.col(f"{name}_{part}") for part in ("requests", "us", "squared_us"))
    variance = (squares - total**2 / count) / (count - 1)
    made = kept(done, "cf_request").filter(count > 1)
    made = made.select(
        *STRUCTURE,
        requests=count.cast(pl.Float64),
        average=total / count,
        deviation=variance.clip(0).sqrt(),
    )
    columns = (
        "structure_name AS structure, requests, average_service_us AS average, "
        "deviation_service_us AS deviation, request_kind"
    )
    found = shown(marts, "fct_cf_request_interval", columns)
    found = found.filter((pl.col("request_kind") == kind) & (pl.col("requests") > 1))
    agree(made, found.drop("request_kind"), STRUCTURE, 1e-6)


def test_changed_requests_are_the_simulated_ones(marts: DuckDBPyConnection, done: Frames) -> None:
    made = kept(done, "cf_request").select(*STRUCTURE, requests="changed_requests")
    columns = "structure_name AS structure, requests, request_kind"
    found = shown(marts, "fct_cf_request_interval", columns)
    found = found.filter(pl.col("request_kind") == "changed").drop("request_kind")
    agree(made, found, STRUCTURE, 0)


@pytest.mark.parametrize(
    ("reason", "name"), [("no subchannel", "queued"), ("monopolization", "monopolized")]
)
def test_requests_are_delayed_as_simulated(
    reason: str, name: str, marts: DuckDBPyConnection, done: Frames
) -> None:
    measured = ~pl.col("kind").is_in(NO_MONOPOLIZATION) if name == "monopolized" else True
    made = (
        kept(done, "cf_request")
        .filter(measured)
        .select(*STRUCTURE, requests=f"{name}_requests", seconds=pl.col(f"{name}_us") / 1e6)
    )
    assert made["seconds"].sum() > 0
    columns = (
        "structure_name AS structure, delayed_requests AS requests, delay_seconds AS seconds, "
        "delay_reason"
    )
    found = shown(marts, "fct_cf_delay_interval", columns)
    found = found.filter(pl.col("delay_reason") == reason).drop("delay_reason")
    agree(made, found, STRUCTURE, 1e-9)


def test_structures_are_as_full_as_simulated(marts: DuckDBPyConnection, done: Frames) -> None:
    made = kept(done, "cf_request").select(
        *STRUCTURE,
        requests=pl.col("sync_requests") + pl.col("async_requests"),
        execution=pl.col("execution_us") / 1e6,
    )
    columns = "structure_name AS structure, requests, execution_seconds AS execution"
    agree(made, shown(marts, "fct_cf_structure_use_interval", columns), STRUCTURE, 1e-6)
    bundled = shown(marts, "fct_cf_structure_use_interval", "entries_used_percent AS percent")
    assert bundled["percent"].drop_nulls().is_between(0, 100).all()
    assert bundled["percent"].max() > 0


def test_the_coupling_facility_is_as_busy_as_simulated(
    marts: DuckDBPyConnection, done: Frames
) -> None:
    by_interval = done["cf_processor"].group_by("interval").agg(pl.col("busy_us", "wait_us").sum())
    made = (
        kept(done, "interval")
        .join(by_interval, on="interval")
        .select(
            *KEY,
            busy=pl.col("busy_us") / 1e6,
            percent=100 * pl.col("busy_us") / (pl.col("busy_us") + pl.col("wait_us")),
        )
    )
    columns = "busy_seconds AS busy, busy_percent AS percent"
    agree(made, shown(marts, "fct_cf_interval", columns), KEY, 1e-6)


def test_volumes_respond_as_simulated(marts: DuckDBPyConnection, done: Frames) -> None:
    parts = ("pending", "disconnect", "connect", "device_busy", "command_response")
    made = kept(done, "volume").select(
        *VOLUME, requests="requests", **{part: pl.col(f"{part}_us") for part in parts}
    )
    totals = ", ".join(f"coalesce(average_{part}_us * requests, 0) AS {part}" for part in parts)
    agree(made, shown(marts, "fct_volume_interval", f"volume, requests, {totals}"), VOLUME, TICK)


def test_data_sets_are_read_and_written_as_simulated(
    marts: DuckDBPyConnection, done: Frames
) -> None:
    found = marts.sql(
        "SELECT system_id AS system, job_name AS job, data_set_name AS data_set, volume, "
        "sum(ios) AS requests, sum(reads) AS reads, "
        "sum(average_response_us * ios) AS response_us FROM built.marts.fct_data_set_interval "
        "WHERE system_id IN ('SY1', 'SY2') GROUP BY ALL"
    ).pl()
    by_name = ["system", "job", "data_set", "volume"]
    made = done["data_set"].group_by(by_name).agg(pl.col("requests", "reads", "response_us").sum())
    agree(
        made.drop("response_us"), found.drop("response_us").cast({"requests": pl.Int64}), by_name, 0
    )
    both = made.join(found, on=by_name, suffix="_found")
    # means are rounded to a microsecond
    gap = (both["response_us"] - both["response_us_found"]).abs() / both["requests"]
    assert gap.max() <= 1


def test_the_intervals_of_data_set_entries_leave_no_gap(marts: DuckDBPyConnection) -> None:
    rows = marts.sql(
        "SELECT interval_seconds, ios, ios_per_second FROM built.marts.fct_data_set_interval "
        "WHERE system_id IN ('SY1', 'SY2') AND occasion = 'Interval' "
        "AND interval_seconds IS NOT NULL"
    ).pl()
    assert rows.height > 100
    assert (rows["interval_seconds"] - 900).abs().max() < 1
    assert ((rows["ios"] / rows["interval_seconds"]) - rows["ios_per_second"]).abs().max() < 1e-9


def test_cards_execute_as_simulated(marts: DuckDBPyConnection, done: Frames) -> None:
    by_card = ["interval", "card"]
    made = (
        done["crypto"]
        .filter((pl.col("kind") != "cca") | (pl.col("operation") == "all"))
        .group_by(by_card)
        .agg(
            operations=pl.col("operations").sum().cast(pl.Float64),
            seconds=pl.col("execution_us").sum() / 1e6,
        )
    )
    columns = "card_number AS card, operations, execution_seconds AS seconds, scope"
    found = shown(marts, "fct_crypto_card_interval", columns)
    found = found.filter((pl.col("scope") == "the machine") & (pl.col("system") == "SY1")).drop(
        "scope", "system"
    )
    agree(made, found, by_card, 1e-3)


def test_counter_ratios_are_the_simulated_ones(marts: DuckDBPyConnection, done: Frames) -> None:
    by_type = [*KEY, "processor_type"]
    made = (
        done["counter"]
        .filter(pl.col("counter").is_in([0, 1, 2, 4, 33]))
        .pivot("counter", index=[*by_type, "processor"], values="increase")
        .group_by(by_type)
        .agg(pl.col("0", "1", "2", "4", "33").sum())
        .select(
            *by_type,
            cpi=pl.col("0") / pl.col("1"),
            problem=100 * pl.col("33") / pl.col("1"),
            misses=100 * (pl.col("2") + pl.col("4")) / pl.col("1"),
        )
    )
    columns = (
        "processor_type, cpi, problem_state_percent AS problem, l1_miss_percent AS misses, "
        "record_subtype"
    )
    found = marts.sql(
        f"SELECT system_id AS system, interval, {columns} "
        "FROM built.marts.fct_hardware_processor_interval AS mart JOIN place "
        "ON place.system = mart.system_id "
        "AND abs(epoch(place.start - interval_start_utc)) < 450 WHERE origin = 'simulated'"
    ).pl()
    assert set(found["record_subtype"]) == {1}
    agree(made, found.drop("record_subtype"), by_type, 1e-6)


def test_shares_of_misses_and_the_class_come_from_the_seeds(marts: DuckDBPyConnection) -> None:
    rows = marts.sql(
        "SELECT l2_percent + l3_percent + l4_local_percent + l4_remote_percent + memory_percent "
        "AS shares, rni, rni_class, rni_verified, cps_online, containers_level_1, "
        "2.9 * (0.45 * l3_percent + 1.5 * l4_local_percent + 3.2 * l4_remote_percent "
        "+ 6.5 * memory_percent) / 100 AS expected "
        "FROM built.marts.fct_hardware_interval "
        "WHERE system_id IN ('SY1', 'SY2')"
    ).pl()
    assert rows["shares"].is_between(99, 100.001).all()
    assert (rows["rni"] - rows["expected"]).abs().max() < 1e-9
    assert rows["rni_class"].null_count() == 0
    assert set(rows["rni_verified"]) == {False}
    assert rows["containers_level_1"].is_not_null().any()
    assert (rows["containers_level_1"] <= rows["cps_online"]).all()
