"""Plans: the five questions of docs/plan.md by hand, and what holds for every workload."""

import tomllib

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from models_sim.base.published import ROOT
from models_sim.plan import plan
from models_sim.plan_work import PlanError
from tests.kit.cases import cases

DOCS = ROOT / "docs"
FILES = DOCS / "plan"
NIGHT = {"gb": 500, "file_size_mb": 100, "network": "10Gb"}
LONG = {"gb": 100, "file_size_mb": 100, "protocol": "TCP", "latency_ms_oneway": 10}


def by_hand() -> list[list[str]]:
    lines = (DOCS / "plan.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if len(row) == 4 and row[0].endswith(".toml")]


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    monkeypatch.setenv("PERFHOUSE_MACHINES", str(FILES / "machines.toml"))


def test_plans_are_what_the_page_works_out_by_hand():
    plans = {file.name: {a.name: a for a in plan(tomllib.loads(file.read_text())).alternatives}
             for file in FILES.glob("*.toml") if file.name != "machines.toml"}  # fmt: skip
    rows = by_hand()
    assert {row[0] for row in rows} == set(plans)
    for file, alternative, name, value in rows:
        figure = plans[file][alternative].figures[name]
        assert figure.value == pytest.approx(float(value), rel=0.06), (file, alternative, name)
        assert figure.low * 0.99 <= float(value) <= figure.high * 1.01, (file, alternative, name)


@cases
def test_workload_that_cannot_be_planned_is_refused_in_one_line(workload, complaint):
    with pytest.raises(PlanError, match=complaint) as raised:
        plan(workload)
    assert "\n" not in str(raised.value)


def test_what_is_not_known_is_left_out_and_said():
    (z16,) = plan(NIGHT | {"machine": "z16"}).alternatives
    assert not any(name.startswith("MSU") for name in z16.figures)
    assert any("state the model" in caution for caution in z16.cautions)
    (direct,) = plan({"clients": 8000, "tls": "TLS 1.3", "transfers": 2}).alternatives
    assert "not used: tls, transfers" in direct.cautions
    prices = {"currency": "EUR", "msu_hour": 2.0, "cp_second": {"z16": 0.01}, "network_gb": 0.1}
    (none,) = plan(NIGHT | {"machine": "z16"}, prices=prices).alternatives
    assert "money" not in none.figures
    (model,) = plan(NIGHT | {"machine": "3931-706"}, prices=prices).alternatives
    on_cps, msu = (model.figures[name].value for name in ("CPU after offload", "MSU hours"))
    assert model.figures["money"].value == pytest.approx(2 * msu + 0.01 * on_cps + 0.1 * 500)


def test_own_runs_count_where_they_have_the_same_settings():
    row = {"source": "z/OS", "target": "z/OS", "network": "10Gb", "file_size_mb": 100.0,
           "machine": "z16", "runs": 5}  # fmt: skip
    own = pl.DataFrame(
        [row | {"metric": "cost_per_GB", "predicted": 4.0, "low": 3.8, "high": 4.2},
         row | {"metric": "rate", "predicted": 100.0, "low": 95.0, "high": 105.0}]
    )  # fmt: skip
    mine, other = plan(NIGHT | {"machine": "z16", "tls": ["N", "TLS 1.2"]}, own=own).alternatives
    assert mine.figures["CPU"].value == pytest.approx(2000)
    assert mine.figures["elapsed"].value == pytest.approx(500 * 1024 / 100 / 3600)
    assert mine.figures["CPU"].source == "own runs (5)"
    assert mine.figures["CPU after offload"].source == "model and own runs (5)"
    assert other.figures["CPU"].source == "model"
    (z15,) = plan(NIGHT | {"machine": "z15"}, own=own).alternatives
    assert z15.figures["CPU"].value == pytest.approx(2000 * 1.11)


def test_the_four_hour_average_follows_the_curve():
    even, peaked = (
        plan(NIGHT | {"machine": "3931-706", "window": 8} | curve).alternatives[0].figures
        for curve in ({}, {"curve": [0, 0, 1, 0, 0, 0, 0, 0]})
    )
    for figures, hour, average in ((even, 8, 8), (peaked, 1, 4)):
        whole = figures["MSU hours"].value
        assert figures["MSU, peak hour"].value == pytest.approx(whole / hour)
        assert figures["MSU, peak four-hour average"].value == pytest.approx(whole / average)


LAN = st.fixed_dictionaries({
    "network": st.sampled_from(["1Gb", "10Gb", "25Gb"]),
    "source": st.sampled_from(["z/OS", "USS"]),
    "target": st.sampled_from(["z/OS", "USS"]),
    "mode": st.sampled_from(["binary", "text"]),
    "tls": st.sampled_from(["N", "TLS 1.2", "TLS 1.3"]),
    "ams": st.sampled_from(["N", "Integrity", "Privacy", "Confidentiality"]),
    "machine": st.sampled_from(["z13", "z14", "z15", "z16"]),
    "gb": st.floats(1, 1e5),
    "file_size_mb": st.floats(1, 1024),
})  # fmt: skip
FAR = st.fixed_dictionaries({
    "protocol": st.sampled_from(["TCP", "FASP"]),
    "latency_ms_oneway": st.floats(5, 200),
    "loss_pct": st.floats(0, 5),
    "gb": st.floats(1, 1e5),
    "file_size_mb": st.floats(1, 1024),
})  # fmt: skip
FEW = settings(max_examples=12, phases=[Phase.generate], deadline=None)


@FEW
@given(st.one_of(LAN, FAR))
def test_figures_are_in_order_and_parts_within_the_whole(workload):
    (one,) = plan(workload).alternatives
    figures = one.figures
    assert all(f.low <= f.value <= f.high for f in figures.values())
    assert all(np.isfinite(f.value) and f.low >= 0 for f in figures.values())
    assert figures["zIIP-eligible"].value <= figures["CPU"].value
    assert figures["CPU after offload"].value <= figures["CPU"].value
    spaces = sum(f.value for name, f in figures.items() if name.startswith("CPU of"))
    assert spaces == pytest.approx(figures["CPU"].value, rel=0.02)


@FEW
@given(FAR, st.sampled_from(["latency_ms_oneway", "loss_pct", "gb"]))
def test_more_distance_loss_or_volume_takes_no_less(workload, factor):
    less, more = plan(workload | {factor: [workload[factor], 1.5 * workload[factor]]}).alternatives
    for name in ("elapsed", "CPU"):
        assert more.figures[name].value >= less.figures[name].value * (1 - 1e-9)


@FEW
@given(LAN, st.integers(2, 8))
def test_transfers_at_once_take_no_longer_and_cost_the_same(workload, count):
    one, more = plan(workload | {"transfers": [1, count]}).alternatives
    assert more.figures["elapsed"].value <= one.figures["elapsed"].value * (1 + 1e-9)
    assert more.figures["CPU"].value == pytest.approx(one.figures["CPU"].value)


def test_recorded_work_grows_and_moves():
    spaces = {"MQ1MSTR": (3600.0, 0.0), "AGNT1": (7200.0, 3600.0)}
    recorded = {"spaces": spaces, "hours": 24, "spread": 0.1, "machine": "z15", "msu_per_cp": 100.0}
    workload = {"recorded": recorded, "curve": [1.0] * 23 + [25.0], "machine": ["z15", "3931-706"]}
    now, moved = plan(workload).alternatives
    (more,) = plan(workload | {"machine": "z15", "grows": 2}).alternatives
    # 3 h of CPU a day, 25 of 48 shares of them in the last hour; an hour of it can go to zIIPs
    by_hand = {"CPU of AGNT1": 7200, "CPU": 10800, "CPU after offload": 7200, "MSU hours": 200,
               "MSU, peak hour": 200 * 25 / 48, "MSU, peak four-hour average": 200 * 28 / 48 / 4,
               "zIIPs busy": 25 / 48, "zIIPs needed": 1}  # fmt: skip
    for name, value in by_hand.items():
        assert now.figures[name].value == pytest.approx(value), name
    assert more.figures["zIIPs needed"].value == 2
    assert more.figures["MSU hours"].value == pytest.approx(400)
    assert now.figures["CPU"].source == "records"
    assert moved.figures["CPU"].value == pytest.approx(10800 / 1.11)
    assert moved.figures["MSU hours"].value == pytest.approx(190 * 2 / 1.11)
    low, high = (now.figures["CPU"][end] / 10800 for end in (1, 2))
    assert (low, high) == pytest.approx((np.exp(-0.128), np.exp(0.128)), rel=0.03)


def test_remarks_name_the_alternatives_that_they_are_about():
    remarks = plan(NIGHT | {"machine": ["z15", "z16"]}).remarks()
    assert "limited by agents" in remarks
    assert "machine z16: scaled by the capacity of z16: measured on z15" in remarks
