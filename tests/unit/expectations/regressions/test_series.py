"""The series that are judged: units, work totals, zeros, shares, and what is gone is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from duckdb import DuckDBPyConnection

from expectations.limits import read_limits
from expectations.regressions.finding import Key
from expectations.regressions.judge import judge_build
from expectations.regressions.series import Series, per_work, read_series
from expectations.regressions.units import factor
from tests.kit.cases import cases, queries
from tests.kit.nights import build
from tests.kit.regression_rows import series

LIMITS = read_limits()
SQL = queries(__file__)


@cases
def test_units_of_one_kind_are_converted(unit: str, into: str, times: float | None) -> None:
    assert factor(unit, into) == (None if times is None else pytest.approx(times))


def in_unit(night: int, last: int, unit: str, times: float) -> str:
    """Return SQL that gives the rates of c1 from night to last in another unit."""
    return (
        f"UPDATE marts.fct_measurement SET unit = '{unit}', value = value * {times} "
        f"WHERE metric = 'rate' AND run_id BETWEEN 'c1-{night:03}' AND 'c1-{last:03}'"
    )


def rate_of(db: DuckDBPyConnection) -> Series:
    """Return the rates of c1."""
    keys = {(one.key.metric, one.key.configuration_id): one for one in read_series(db)[0]}
    return keys["rate", "c1"]


def test_convertible_unit_is_converted(tmp_path: Path) -> None:
    with build(40) as db:
        db.execute(in_unit(20, 99, "KB/s", 1024))
        rates = [one for one in read_series(db)[0] if one.key.metric == "rate"]
        assert {one.unit: round(max(one.values), -2) for one in rates} == {
            "KB/s": pytest.approx(107_000, rel=0.1),
            "MB/s": pytest.approx(100, rel=0.1),
        }
        assert judge_build(db, tmp_path, "b", LIMITS).events == ()


@cases
def test_a_series_has_values_of_one_kind_of_source(
    source: str, of: str, runs: int, tmp_path: Path
) -> None:
    with build(40) as db:
        times = 1 if runs == 40 else 2
        db.execute(
            f"UPDATE marts.fct_measurement SET value_source = '{source}', value = {times} * value "
            f"WHERE metric = 'rate' AND {of}"
        )
        assert len(rate_of(db).values) == runs
        events = judge_build(db, tmp_path, "b", LIMITS).events
    assert [event["metric"] for event in events] == ["source"] * (runs == 20)


def test_other_unit_ends_the_series_with_a_finding(tmp_path: Path) -> None:
    with build(40) as db:
        db.execute(in_unit(20, 99, "files/s", 1000))
        (event,) = judge_build(db, tmp_path, "b", LIMITS).events
    assert (event["kind"], event["onset_run_id"], event["state"]) == ("data", "c1-020", "new")
    assert "rate in files/s instead of MB/s" in event["message"]


def test_runs_in_another_unit_are_no_runs_of_the_series(tmp_path: Path) -> None:
    with build(40) as db:
        db.execute(in_unit(20, 22, "files/s", 1000))
        assert judge_build(db, tmp_path, "b", LIMITS).events == ()
        assert len(rate_of(db).values) == 37


# --- work ----------------------------------------------------------------------------------


def of(metric: str, values: list[float], *, part: str = "") -> Series:
    return series(values, Key("measured", "c", "k", metric, address_space=part), "")


@cases
def test_totals_of_work_are_judged_per_unit_of_work(
    beside: dict[str, list[float]], judged: dict[str, list[float]]
) -> None:
    totals = {"cpu_seconds": [10.0, 15.0], "general_purpose_seconds": [8.0, 12.0]}
    given = [of(name, values) for name, values in (totals | beside).items()]
    left = {one.key.metric: one.values for one in per_work(given)}
    assert {metric: values for metric, values in left.items() if metric in judged} == judged
    if "latency" in beside:
        assert left["cpu_seconds"] == [10.0, 15.0]
    else:
        assert left["general_purpose_seconds"] == pytest.approx([10.0, 10.0])
    assert ("cpu_seconds" in left) == ("cost_per_GB" not in beside)


def test_more_throughput_is_not_worse(tmp_path: Path) -> None:
    """From night 30 on, runs of the same length do 47 % more."""
    with build(40) as db:
        db.execute(SQL["more work in nights of one length"])
        assert judge_build(db, tmp_path, "b", LIMITS).events == ()


# --- what is left out ----------------------------------------------------------------------


def test_a_rate_of_zero_is_worse_and_no_series_is_left_out(tmp_path: Path) -> None:
    with build(3, repetitions=3) as db:
        db.execute("UPDATE marts.fct_measurement SET value = 0 WHERE run_id LIKE 'c1-002%'"
                   " AND metric = 'rate'")  # fmt: skip
        events = judge_build(db, tmp_path, "b", LIMITS).events
    (event,) = [one for one in events if one["metric"] == "rate"]
    assert (event["configuration_id"], event["after"], event["runs_after"]) == ("c1", 0.0, 3)


@pytest.mark.parametrize(("before", "after"), [(99.9, 99.0), (98.5, 97.9)])
def test_a_share_is_judged_by_what_is_left(tmp_path: Path, before: float, after: float) -> None:
    """Ten times the failures are reported, though they are 0.9 % of the level."""
    with build(40) as db:
        db.execute(
            "INSERT INTO marts.fct_measurement SELECT * REPLACE ('success' AS metric, '%' AS unit,"
            f" true AS more_is_better, if(run_id < 'c1-030', {before}, {after})"
            " + (hash(run_id) % 61)::INT / 1000 - 0.03 AS value)"
            " FROM marts.fct_measurement WHERE metric = 'rate' AND run_id < 'c2'"
        )
        events = judge_build(db, tmp_path, "b", LIMITS).events
    (event,) = [one for one in events if one["metric"] == "success"]
    assert (event["onset_run_id"], event["kind"]) == ("c1-030", "level")
    assert event["after"] == pytest.approx(after, abs=0.02)


def test_every_vanished_metric_is_named(tmp_path: Path) -> None:
    names = [f"metric{i}" for i in range(6)]
    with build(20) as db:
        for name in names:
            db.execute(
                f"INSERT INTO marts.fct_measurement SELECT * REPLACE ('{name}' AS metric) "
                "FROM marts.fct_measurement WHERE metric = 'rate' AND run_id < 'c1-015'"
            )
        events = judge_build(db, tmp_path, "b", LIMITS).events
    (event,) = [event for event in events if event["configuration_id"] == "c1"]
    assert ", ".join(names) in event["message"]


# --- the split -----------------------------------------------------------------------------


def test_split_is_of_the_metric_that_changed_in_its_unit(tmp_path: Path) -> None:
    """Half of AGENT's work leaves the zIIPs: the cost stays, general-purpose time rises."""
    with build(40) as db:
        db.execute(SQL["work that leaves the zIIPs"])
        judged = judge_build(db, tmp_path, "b", LIMITS)
    (leader,) = [e for e in judged.events if e["leads"]]
    assert (leader["metric"], leader["cause"]) == (
        "general_purpose_seconds",
        "work that ran on zIIPs before",
    )
    parts = {(p["dimension"], p["what"]): p for p in json.loads(leader["parts"])}
    assert {p["unit"] for p in parts.values() if p["dimension"] != "figure"} == {"CPU s"}
    agent = parts["address space", "AGENT"]
    assert agent["after"] - agent["before"] == pytest.approx(3, abs=0.2)
    assert agent["share"] == pytest.approx(1, abs=0.1)
    assert parts["zIIP", "on zIIPs"]["after"] == pytest.approx(0, abs=0.01)
    assert parts["zIIP", "on CPs, zIIP-eligible"]["after"] == pytest.approx(3, abs=0.01)
