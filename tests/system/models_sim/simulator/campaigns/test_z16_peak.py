"""Peaks, the log's ceiling and a full structure, as the records and the harness show them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from models_sim.base.published import ROOT
from models_sim.simulator.campaigns import Campaign, simulate, truth, write
from models_sim.simulator.campaigns.driver import COMMITS, LOGGED
from models_sim.simulator.campaigns.scenarios.z16_peak import CPUS, LOG_MB
from models_sim.simulator.campaigns.site import CAPACITY
from tests.kit.cases import queries
from tests.kit.truth_of_runs import errors, prepared

SCENARIO = "z16-peak"
CELLS = ROOT / "data" / "published" / "cells.csv"
MB = 1 << 20
SQL = queries(__file__)


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return simulate(SCENARIO)


def written(folder: Path) -> None:
    write(simulate(SCENARIO), folder)


@pytest.fixture(scope="module")
def db(loaded):
    return prepared(loaded)


def cells(table: str) -> dict[str, float]:
    rows = pl.read_csv(CELLS, infer_schema=False).filter(document="004", table_id=table)
    key = "machine" if table == "peak" else "message_size_bytes"
    return dict(rows.select(key, pl.col("value").cast(pl.Float64)).iter_rows())


def of_kind(campaign: Campaign, kind: str) -> pl.DataFrame:
    filling = pl.col("fills").is_not_null()
    chosen = {"peak": ~filling & ~pl.col("persistent"), "log": pl.col("persistent"),
              "capacity": filling}  # fmt: skip
    return campaign.runs.filter(chosen[kind]).with_columns(
        per_second=pl.col("transactions") * pl.col("each") / pl.col("seconds")
    )


def test_peaks_match_the_document(campaign: Campaign) -> None:
    peaks = of_kind(campaign, "peak").filter(x_syncpoint="N", accounting=True)
    published = cells("peak")
    for machine in ("z13", "z14"):
        (rate,) = peaks.filter(machine=machine)["per_second"]
        assert rate / 1e6 == pytest.approx(published[machine], rel=0.04)
    for machine, at in (("z15", 32), ("z16", 28)):
        own = peaks.filter(machine=machine).sort("per_second")
        assert own["per_second"][-1] / 1e6 == pytest.approx(published[machine], rel=0.04)
        assert own["cpus"][-1] == at
        assert set(own["cpus"]) == set(CPUS)


def test_the_log_never_exceeds_its_maximum(campaign: Campaign, db) -> None:
    rows = db.execute(SQL["what is logged"]).fetchall()
    found = pl.DataFrame(rows, schema=["run_id", "logged", "forces"], orient="row")
    both = of_kind(campaign, "log").join(found, on="run_id")
    assert both.height == 10
    rate = both["logged"] / MB / both["seconds"]
    assert rate.max() < 1.05 * LOG_MB
    large = both["message_size_bytes"] > 65_536
    assert (rate.filter(large) > 0.95 * LOG_MB).all()
    assert (rate.filter(~large) < 0.95 * LOG_MB).any()
    assert (both["forces"] == both["transactions"] * COMMITS).all()
    wanted = both["transactions"] * (both["message_size_bytes"] + LOGGED)
    assert ((both["logged"].cast(pl.Float64) / wanted - 1).abs() < 0.6).all()


def test_structure_capacity_matches_the_document(campaign: Campaign, db) -> None:
    rows = db.execute(SQL["structure"], [CAPACITY.name]).fetchall()
    names = ["run_id", "size", "used", "entries", "elements_used", "elements", "requests"]
    found = pl.DataFrame(rows, schema=names, orient="row")
    both = of_kind(campaign, "capacity").join(found, on="run_id")
    published = cells("cf-capacity")
    assert both.height == 2 * len(published)
    assert (both["size"] == 4 << 30).all()
    assert (both["used"] == both["transactions"]).all()
    for size, used in both.select("message_size_bytes", "used").iter_rows():
        assert used == pytest.approx(published[str(size)], rel=0.06)
    assert (both["used"] < both["entries"]).all()
    full = both["elements_used"] / both["elements"]
    assert full.min() > 0.9
    assert full.max() <= 1
    assert ((both["requests"] / both["transactions"] - 1).abs() < 0.02).all()
    others = found.join(both, on="run_id", how="anti")
    assert others["used"].max() == 0


def test_mq_records_count_each_message(campaign: Campaign, db) -> None:
    statistics = db.execute(SQL["statistics of queue managers"]).fetchall()
    tasks = db.execute(SQL["accounting of tasks"]).fetchall()
    counted = {run_id: counts for run_id, *counts in statistics}
    by_task = {run_id: counts for run_id, *counts in tasks}
    for run in campaign.runs.iter_rows(named=True):
        messages = run["transactions"] * run["each"]
        kept = messages if run["persistent"] else 0
        assert counted[run["run_id"]] == [messages, kept]
        gets = 0 if run["fills"] else messages
        records = run["tasks"] * (run["fills"] or 1)
        size = messages * run["message_size_bytes"]
        if not run["accounting"]:  # class 3 is off
            assert run["run_id"] not in by_task
            continue
        assert by_task[run["run_id"]] == [messages, kept, gets, records, size]


def test_harness_reports_what_a_run_did(campaign: Campaign, db) -> None:
    rows = db.execute(SQL["harness"]).fetchall()
    given = truth(SCENARIO)
    rate = given.filter(metric="transactions_per_second")
    wanted = dict(rate.select("run_id", "value").iter_rows())
    assert len(rows) == campaign.runs.height == len(wanted)
    for run_id, _, per_second in rows:
        assert per_second == pytest.approx(wanted[run_id], rel=1e-4, abs=0.006)
    assert {run_id: n for run_id, n, _ in rows} == dict(
        campaign.runs.select("run_id", "transactions").iter_rows()
    )
    counted = db.sql("SELECT run_id, metric, value FROM raw.bench_measurement").pl()
    assert set(counted["metric"]) == {"messages"}
    peaks = of_kind(campaign, "peak").select("run_id", messages=2.0 * pl.col("transactions"))
    assert dict(counted.select("run_id", "value").iter_rows()) == dict(peaks.iter_rows())


@pytest.mark.parametrize("what", ["cpu_seconds by system", "cpu_seconds by system and job"])
def test_cpu_time_matches_the_truth(what, db) -> None:
    both = errors(db, truth(SCENARIO), what).filter(pl.col("found").is_not_null())
    assert both.height > 100
    assert ((both["found"] - both["value"]).abs() <= 0.03 + 1e-4 * both["value"]).all()


def test_each_run_has_its_processors(campaign: Campaign, db) -> None:
    rows = db.execute(SQL["processors"]).fetchall()
    assert dict(rows) == dict(campaign.runs.select("run_id", "cpus").iter_rows())
    busy = campaign.frames["processor"]
    part = busy.filter(pl.col("online_us") > 0).select(pl.col("effective_us") / pl.col("online_us"))
    assert 0.7 < part.to_series().max() < 1
