"""What channels and agents of transfers do: compression, ciphers, several channels, checkpoints."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from models_sim.simulator.campaigns import Campaign, simulate
from models_sim.simulator.campaigns.messaging.accounting import agent_task
from models_sim.simulator.campaigns.messaging.channel_load import channel_load
from models_sim.simulator.campaigns.messaging.channels import channels, replies
from models_sim.simulator.campaigns.messaging.work import work
from models_sim.simulator.campaigns.plan import plan
from models_sim.simulator.campaigns.scenarios.definition import USUAL
from tests.kit.cases import cases

RUN = {"source": "z/OS", "target": "z/OS", "file_size_mb": 100, "repetition": 1}
TEXT = {"source": "USS", "target": "xLinux", "mode": "text", "file_size_mb": 1024, "repetition": 1}


def planned(*runs: dict[str, object]) -> pl.DataFrame:
    frame = pl.DataFrame([USUAL | run for run in runs], infer_schema_length=None)
    return plan(frame, "some", datetime(2026, 1, 5), np.random.default_rng(1))


with Path(__file__).with_name("carried.csv").open(newline="") as _file:
    CARRIED = list(csv.DictReader(_file))


def typed(text: str) -> object:
    return int(text) if text.isdigit() else float(text) if text[:1].isdigit() else text or None


@pytest.mark.parametrize("case", CARRIED, ids=lambda case: f"{case['factors']} {case['what']}")
def test_a_channel_carries_what_the_factors_say(case) -> None:
    factors = dict(pair.split("=") for pair in case["factors"].split("; ") if pair)
    run = planned(RUN | {name: typed(value) for name, value in factors.items()})
    assert channel_load(run)[case["what"]].item() == typed(case["value"])


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return simulate("mft-features")


@pytest.fixture(scope="module")
def active(campaign: Campaign) -> pl.DataFrame:
    rows = work(campaign.runs, campaign.frames).filter(pl.col("active"))
    return rows.with_row_index("record_no").with_columns(pl.col("record_no").cast(pl.Int64))


def test_channels_of_a_run_share_its_messages(active: pl.DataFrame) -> None:
    """A file goes over one channel: of ten files, three go over each of the first two."""
    rows = active.filter(pl.col("channels") == 4, pl.col("side") == "source")
    assert rows.height == 2
    each = channels(rows).with_columns(
        share=pl.col("qcstnbyt") / pl.col("qcstnbyt").sum().over("record_no")
    )
    for _, own in each.group_by("record_no"):
        assert own["qcstchnm"].to_list() == [
            "MQA1.TO.MQA3", *(f"MQA1.TO.MQA3.{n}" for n in (2, 3, 4)),
        ]  # fmt: skip
        assert own["share"].to_list() == pytest.approx([0.3, 0.3, 0.2, 0.2], abs=1e-4)
    assert each["qcstnmsg"].sum() == pytest.approx(rows["messages"].sum(), abs=4)


def test_acknowledgements_go_back_over_a_channel_of_their_own(active: pl.DataFrame) -> None:
    ends = active.filter(pl.col("replies") > 0, pl.col("channels") == 4)
    of = replies(ends)
    assert set(of["qcstchnm"]) == {"MQA3.TO.MQA1"}
    assert set(of.select("qcstchty").to_series()) == {1, 3}  # a sender and a receiver
    assert of["qcstnmsg"].to_list() == ends["replies"].to_list()


def test_an_agent_counts_the_queues_that_it_has(active: pl.DataFrame) -> None:
    tables = agent_task(active)
    queues = tables["smf116_wq"].group_by("record_no").len().sort("record_no")["len"]
    assert tables["smf116_wtas"].sort("record_no")["wtaswqct"].to_list() == queues.to_list()
    named = dict(tables["smf116_wq"].group_by("objname").agg(pl.col("getn").sum()).iter_rows())
    assert named["PERF.M2F"] == 8 * 1024
    assert named["SYSTEM.FTE.REPLY.AGNTA1"] == active.filter(side="source")["persistent"].sum()
    assert named["SYSTEM.FTE.STATE.AGNTA3"] == active["states"].sum()


@cases
def test_a_run_has_the_rate_of_its_jit_state(factors, state, low, high) -> None:
    run = planned(TEXT | factors)
    assert run["label_jit"].item() == state
    assert low < run["rate"].item() < high


def test_states_of_the_jit_are_drawn() -> None:
    runs = planned(*[TEXT] * 200)
    share = (runs["label_jit"] == "fast").mean()
    assert 0.1 < share < 0.3
    by_state = dict(runs.group_by("label_jit").agg(pl.col("rate").mean()).iter_rows())
    assert by_state["fast"] > 1.9 * by_state["slow"]
    assert "label_jit" not in planned(RUN).columns


def test_messages_go_into_one_file() -> None:
    of = {"source": "queue", "target": "USS", "file_size_mb": 1024, "message_size_bytes": 1 << 20}
    binary, text = planned(RUN | of, RUN | of | {"mode": "text"}).iter_rows(named=True)
    assert (binary["files"], binary["bytes"]) == (1, 1 << 30)
    assert binary["ziip_share"] == 40
    assert 70 < text["ziip_share"] < 80  # the conversion is eligible
