"""The scenarios: their bytes, their matrices, and their injected changes."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from models_sim.base.published import ROOT
from models_sim.simulator.campaigns import SCENARIOS, CampaignError, simulate, truth, write
from models_sim.simulator.campaigns.scenarios import mft_linux, mft_zos
from models_sim.simulator.campaigns.scenarios.nightly import (
    CONFIGURATIONS,
    INJECTED,
    NIGHTS,
    revision,
)

CELLS = ROOT / "data" / "published" / "cells.csv"
FACTORS = (
    *("source", "target", "network", "queue", "zhpf", "tls", "ams", "compmsg", "p2wg", "mode"),
    *("batchint", "protocol", "latency_km", "loss_pct", "channels", "file_size_mb"),
)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_bytes_depend_only_on_scenario_and_seed(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        write(simulate("smoke", seed), tmp_path / name)
    one, same, other = (digests(tmp_path / name) for name in ("one", "same", "other"))
    assert one == same
    assert {name for name in one if one[name] == other[name]} <= {"ORIGIN", "manifest.json"}
    assert {"ORIGIN", "manifest.json", "mft/transfers.xml", "smf/MVS2.smf"} <= one.keys()


def test_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(CampaignError, match="is not empty"):
        write(simulate("smoke"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def published(tables: str) -> pl.DataFrame:
    cells = pl.read_csv(CELLS, infer_schema=False).filter(metric="rate")
    return cells.filter(pl.col("table_id").str.contains(tables))


def keys(frame: pl.DataFrame, columns: tuple[str, ...]) -> set[tuple[str, ...]]:
    numbers = {"batchint", "latency_km", "loss_pct", "channels", "file_size_mb", "chunk_size"}
    texts = [
        (pl.col(c).cast(pl.Float64) if c in numbers else pl.col(c)).cast(pl.String).fill_null("")
        for c in columns
    ]
    return set(frame.select(texts).iter_rows())


def test_mft_zos_matrix_matches_the_document() -> None:
    assert keys(mft_zos.matrix(), FACTORS) == keys(published("^[CDE]-"), FACTORS)


def test_mft_linux_matrix_matches_the_document() -> None:
    columns = ("connection", "mode", "md5", "chunk_size", "transfer", "file_size_mb")
    runs = mft_linux.SCENARIO.runs(np.random.default_rng(1))
    ours = keys(runs, columns)
    assert ours == keys(published("").filter(document="002"), columns)


@pytest.mark.parametrize(
    "scenario",
    ["smoke", "mft-features", "mft-linux", "zcx", "zcx-wan", "z16", "z16-figures"],
)
def test_runs_follow_one_another_in_whole_minutes(scenario: str) -> None:
    runs = simulate(scenario).runs
    assert runs["run_id"].n_unique() == runs.height
    bounds = runs.select("start", "stop", "begin", "end").rows()
    for start, stop, begin, end in bounds:
        assert start.second == stop.second == 0
        assert start < begin < end < stop
    assert all(a[1] <= b[0] for a, b in pairwise(sorted(bounds)))


def test_systems_do_what_the_plan_of_a_run_says() -> None:
    campaign = simulate("mft-zos", limit=24)
    given = truth("mft-zos", limit=24).filter(
        pl.col("metric").is_in(["cost_per_GB", "ziip_share"]),
        pl.col("address_space").is_null(),
        pl.col("system_id").is_null(),
    )
    both = given.join(campaign.runs.select("run_id", "cost_per_GB", "ziip_share"), on="run_id")
    for metric in ("cost_per_GB", "ziip_share"):
        own = both.filter(metric=metric)
        assert own.height == 24
        assert ((own["value"] / own[metric] - 1).abs() < 1e-4).all()


def test_zcx_reproduces_the_table_of_the_document() -> None:
    """Per transaction and address space, CPU microseconds; noise is 1 % between runs."""
    runs = simulate("zcx").runs
    given = truth("zcx").join(
        runs.select("run_id", "connection", "x_ziips", "x_clients", "message_size_bytes"),
        on="run_id",
    )
    one = given.filter(connection="zCX", x_ziips="0", system_id="MVS1", x_clients="8000",
                       message_size_bytes=4096)  # fmt: skip
    by_space = one.filter(metric="cost_per_transaction").group_by("address_space")
    cost = by_space.agg(pl.col("value").mean())
    found = dict(cost.select("address_space", "value").iter_rows())
    # zCX's own, and the channel initiator's: document 001, table of 8,000 clients.
    assert found["ZCXGW1"] == pytest.approx(157.5, rel=0.03)
    assert found["MQA1CHIN"] == pytest.approx(48.2, rel=0.03)
    of = {"address_space": "ZCXGW1"}
    offloaded = given.filter(x_ziips="2", metric="general_purpose_seconds", **of)["value"]
    assert offloaded.max() < 0.02 * one.filter(metric="cpu_seconds", **of)["value"].min()


def test_each_machine_counts_misses_with_its_own_counters() -> None:
    seed = pl.read_csv(ROOT / "dbt/seeds/hardware/hardware_miss_counter.csv")
    campaign = simulate("z16")
    machine = campaign.runs.select("start", "machine").sort("start")
    counted = (
        campaign.frames["counter"]
        .join(campaign.frames["interval"], on=["system", "interval"])
        .sort("start")
        .join_asof(machine, on="start")
    )
    for name, counters in counted.group_by("machine"):
        levels = seed.filter(generation=name[0])
        misses = counters.filter(pl.col("counter").is_in([2, 4]))["increase"].sum()
        sources = counters.filter(pl.col("counter").is_in(levels["counter_number"].to_list()))
        assert sources["increase"].sum() == pytest.approx(misses, rel=1e-3)


def test_z16_is_cheaper_by_as_much_as_the_document_says() -> None:
    runs = simulate("z16").runs.select("run_id", "machine", "ams", "message_size_bytes")
    given = truth("z16").filter(metric="cost_per_transaction", address_space="PERFSRV1")
    cost = (
        given.join(runs, on="run_id")
        .filter(ams="Integrity", message_size_bytes=65_536)
        .group_by("machine")
        .agg(pl.col("value").mean())
    )
    by_machine = dict(cost.iter_rows())
    assert by_machine["z16"] / by_machine["z15"] == pytest.approx(1 - 0.158, abs=0.04)


# --- nightly


@pytest.fixture(scope="module")
def nights() -> pl.DataFrame:
    """The truth of the nights: one row per run and metric, with the run's factors."""
    names = pl.Series("configuration", list(CONFIGURATIONS) * NIGHTS)
    runs = simulate("nightly").runs.with_columns(
        names, night=pl.int_range(pl.len()) // len(CONFIGURATIONS)
    )
    return truth("nightly").join(
        runs.select("run_id", "configuration", "night", "label_git_revision", "failed"),
        on="run_id",
    )


def test_every_night_has_its_own_build(nights: pl.DataFrame) -> None:
    builds = nights.group_by("night").agg(pl.col("label_git_revision").unique()).sort("night")
    assert builds["label_git_revision"].to_list() == [[revision(n)] for n in range(NIGHTS)]
    assert len({revision(n) for n in range(NIGHTS)}) == NIGHTS


@pytest.mark.parametrize(
    "injection", [i for i in INJECTED if i.kind != "data"], ids=lambda i: i.name
)
def test_injected_changes_show_in_the_nights(injection, nights: pl.DataFrame) -> None:
    """The level of a night with the change relative to the night just before it."""
    series = nights.filter(
        *(pl.col("address_space").is_null(), pl.col("system_id").is_null()),
        configuration=injection.configuration, metric=injection.metric, failed=0,
    )  # fmt: skip
    last = NIGHTS - 1 if injection.last is None else injection.last
    other = [i.first for i in INJECTED
             if i.configuration == injection.configuration and i.metric == injection.metric
             and i.first > injection.first]  # fmt: skip
    last = min([last, *(first - 1 for first in other)])
    before = series.filter(pl.col("night").is_between(injection.first - 15, injection.first - 1))
    after = series.filter(pl.col("night").is_between(injection.first, last))
    ratio = after["value"].mean() / before["value"].mean()
    noise = 0.01 * (1 / after.height + 1 / before.height) ** 0.5
    if injection.cause == "ziip":  # work moved off zIIPs, as a share of the total and not of a rate
        assert ratio == pytest.approx(1 + injection.size, abs=0.05)
    else:
        assert ratio == pytest.approx(1 + injection.size, abs=4 * noise)


def test_injected_data_faults_remove_data(nights: pl.DataFrame) -> None:
    systems = nights.filter(
        pl.col("address_space").is_null(), pl.col("system_id").is_not_null(), metric="cpu_seconds"
    )
    faults = {i.name: i for i in INJECTED if i.kind == "data"}

    def seen(name: str) -> set[str]:
        fault = faults[name]
        one = systems.filter(configuration=fault.configuration, night=fault.first)
        return set(one["system_id"])

    assert seen("SMF gap") == set()
    assert seen("missing LPAR") == {"MVS1", "MVS2"}
    half = faults["half the files"]
    files = nights.filter(configuration=half.configuration, metric="files")
    by_night = dict(files.select("night", "value").iter_rows())
    assert by_night[half.first] == by_night[half.first - 1] / 2


def test_every_scenario_has_a_summary() -> None:
    assert list(SCENARIOS) == [s.name for s in SCENARIOS.values()]
    assert all(len(s.summary) > 20 for s in SCENARIOS.values())
