"""Which findings form a group, and which of them leads it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from expectations.regressions.finding import LEVEL, SLOPE, Finding, Key
from expectations.regressions.judge import _worth_reporting
from expectations.regressions.present import Judged
from expectations.regressions.states import FALSE_ALARM
from expectations.regressions.store import Row
from expectations.regressions.triage import triage
from expectations.thresholds import Thresholds
from tests.kit.cases import cases
from tests.kit.regression_rows import NIGHTS as ALL_NIGHTS
from tests.kit.regression_rows import series

NIGHTS = 70
STARTS = ALL_NIGHTS[:NIGHTS]
NAMES = [f"r{night}" for night in range(NIGHTS)]
RUNS = pl.DataFrame({
    "origin": ["simulated"] * NIGHTS, "campaign": ["nightly"] * NIGHTS, "run_id": NAMES,
    "start_utc": STARTS, "build_no": list(range(NIGHTS)),
})  # fmt: skip
LEAK = np.maximum(np.arange(NIGHTS) - 39, 0) * 0.3
WAIT, COST, SPACE = (
    Key("simulated", "nightly", "c1", "dasd_response_time"),
    Key("simulated", "nightly", "c1", "cost_per_GB"),
    Key("simulated", "nightly", "c1", "cost_per_GB", "", "CHIN"),
)


def finding(key: Key, at: int, kind: str = LEVEL, size: float = 5.0) -> Finding:
    """Return a rise of so many percent from a run on."""
    return Finding(
        *(kind, key, "A", NAMES[at], STARTS[at], NAMES[at], at),
        unit="s", more_is_better=False, before=100.0, after=100.0 + size, effect=5.0,
        p_value=1e-12, runs_before=at, runs_after=NIGHTS - at, run_ids=tuple(NAMES[at:]),
    )  # fmt: skip


def judged(shape: np.ndarray, wait: np.ndarray | None = None) -> Judged:
    """Return series of this shape, with little noise; the wait may have another one."""
    found: Judged = {}
    for seed, key in enumerate((WAIT, COST, SPACE)):
        noise = np.random.default_rng(seed).normal(0, 0.5, NIGHTS)
        own = wait if key == WAIT and wait is not None else shape
        found[key] = series(100 + own + noise, key), []
    return found


def told(
    findings: list[Finding],
    known: list[Row],
    shape: np.ndarray | Judged = LEAK,
    wait: np.ndarray | None = None,
) -> list[Row]:
    """Return the current rows after one more check; a cause is the metric that was explained."""
    of_all = shape if isinstance(shape, dict) else judged(shape, wait)
    events = triage(findings, known, of_all, RUNS, "b",
                    lambda of: replace(of, cause=of.key.metric))  # fmt: skip
    return list({row["regression_id"]: row for row in (*known, *events)}.values())


def groups_of(rows: list[Row]) -> int:
    return len({row["group_id"] for row in rows})


@cases
def test_changes_of_one_configuration_are_one_if_their_dates_agree(apart: int, groups: int) -> None:
    steps = (np.arange(NIGHTS) >= 40) * 5.0 + (np.arange(NIGHTS) >= 40 + apart) * 5.0
    rows = told([finding(COST, 40)], [], steps)
    assert groups_of(told([finding(COST, 40), finding(SPACE, 40 + apart)], rows, steps)) == groups


def test_a_member_does_not_carry_its_group_to_the_next_change() -> None:
    steps = (np.arange(NIGHTS) >= 40) * 5.0 + (np.arange(NIGHTS) >= 42) * 5.0
    rows = told([finding(COST, 40), finding(SPACE, 41)], [], steps)
    both = [finding(COST, 40), finding(SPACE, 41), finding(WAIT, 42)]
    assert (groups_of(rows), groups_of(told(both, rows, steps))) == (1, 2)


@pytest.mark.parametrize(("kind", "at"), [(LEVEL, 55), (SLOPE, 48)])
def test_what_follows_a_leak_later_is_in_its_group(kind: str, at: int) -> None:
    rows = told([finding(COST, 40, SLOPE)], [])
    assert groups_of(told([finding(COST, 40, SLOPE), finding(SPACE, at, kind)], rows)) == 1


@pytest.mark.parametrize(("shape", "groups"), [(LEAK, 1), (5.0 * (LEAK > 0), 2)])
def test_a_ramp_that_was_told_as_two_changes_becomes_one(shape: np.ndarray, groups: int) -> None:
    steps = (np.arange(NIGHTS) >= 40) * 5.0 + (np.arange(NIGHTS) >= 55) * 5.0
    rows = told([finding(COST, 40)], [], steps)
    rows = told([finding(COST, 40), finding(SPACE, 55), finding(WAIT, 55)], rows, steps)
    assert groups_of(rows) == 2
    then = [finding(COST, 40, SLOPE), finding(SPACE, 55), finding(WAIT, 55)]
    now = told(then, rows, shape)
    assert groups_of(now) == groups
    assert [row["regression_id"] for row in now] == [row["regression_id"] for row in rows]
    assert sum(row["leads"] for row in now) == groups
    assert groups_of(told(then, now, shape)) == groups


@pytest.mark.parametrize(("then", "groups"), [(40, 1), (37, 2)])
def test_two_groups_are_one_once_they_begin_with_one_run(then: int, groups: int) -> None:
    """A bad night before a step can date one of its series too early."""
    early = replace(finding(WAIT, 37), runs_after=10)
    steps = (np.arange(NIGHTS) >= 40) * 5.0
    rows = told([early], [], steps)
    rows = told([early, finding(COST, 40)], rows, steps)
    assert groups_of(rows) == 2
    both = [finding(WAIT, then), finding(COST, 40)]
    now = told(both, rows, steps)
    assert groups_of(now) == groups
    assert [row["metric"] for row in now if row["leads"]][-1] == COST.metric
    assert told(both, now, steps) == now


@pytest.mark.parametrize(("runs", "size"), [(8, 6.0), (30, 3.0)])
def test_a_few_worse_runs_before_a_step_are_a_part_of_it(runs: int, size: float) -> None:
    """A ramp that is later seen as two steps keeps its size; what follows a level does not."""
    steps = 3.0 * (np.arange(NIGHTS) >= 50 - runs) + 3.0 * (np.arange(NIGHTS) >= 50)
    rows = told([finding(COST, 50, size=6.0)], [], steps)
    later = replace(finding(COST, 50), before=103.0, after=106.0, runs_before=runs)
    (now,) = told([later], rows, steps)
    assert now["after"] - now["before"] == pytest.approx(size)


@cases
def test_a_step_and_a_leak_of_one_build_are_two_stories_once_it_leaks(
    shape: np.ndarray, wait: np.ndarray, stories: int
) -> None:
    first = [finding(WAIT, 40), finding(COST, 40), finding(SPACE, 40)]
    rows = told(first, [], shape, wait)
    assert groups_of(rows) == 1
    then = [finding(WAIT, 40), finding(COST, 40, SLOPE), finding(SPACE, 40, SLOPE)]
    now = told(then, rows, shape, wait)
    assert groups_of(now) == stories
    leaders = {COST.metric, WAIT.metric} if stories == 2 else {COST.metric}
    assert {row["metric"] for row in now if row["leads"]} == leaders
    assert all(row["cause"] == (row["metric"] if stories == 2 else COST.metric) for row in now)
    again = told(then, now, shape, wait)
    assert [(row["group_id"], row["leads"]) for row in again] == [
        (row["group_id"], row["leads"]) for row in now
    ]


@cases
def test_a_change_of_many_has_those_that_are_dated_badly(
    configurations: int, at: int, kind: str, stories: int
) -> None:
    keys = [replace(COST, configuration_id=f"c{n}") for n in range(configurations + 1)]
    noise = np.random.default_rng(1).normal(0, 3, (len(keys), NIGHTS))
    rises = 5.0 * (np.arange(NIGHTS) >= (20 if at == 20 else 40))
    all_of: Judged = {
        key: (series(100 + rises + own, key), []) for key, own in zip(keys, noise, strict=True)
    }
    first = [finding(key, 40) for key in keys[:-1]]
    rows = told(first, [], all_of)
    assert groups_of(rows) == 1
    late = replace(finding(keys[-1], at, kind), effect=5 / 3)
    assert groups_of(told([*first, late], rows, all_of)) == stories


def test_a_slope_in_another_series_is_the_step_that_is_known() -> None:
    step = (np.arange(NIGHTS) >= 40) * 1.0
    rows = told([finding(COST, 40)], [], step)
    assert groups_of(told([finding(COST, 40), finding(SPACE, 0, SLOPE)], rows, step)) == 1


def test_a_more_informative_series_takes_over_the_lead_and_the_cause() -> None:
    rows = told([finding(WAIT, 40)], [])
    assert [row["cause"] for row in rows] == ["dasd_response_time"]
    both = told([finding(WAIT, 40), finding(COST, 40)], rows)
    (leader,) = [row for row in both if row["leads"]]
    assert (leader["metric"], leader["cause"], groups_of(both)) == ("cost_per_GB",) * 2 + (1,)


def test_another_one_leads_if_the_leader_is_withdrawn() -> None:
    rows = told([finding(COST, 40), finding(SPACE, 40)], [])
    loaded_again = judged(LEAK) | {COST: judged(np.zeros(NIGHTS))[COST]}
    now = told([finding(SPACE, 40)], rows, loaded_again)
    assert [(r["metric"], r["address_space"]) for r in now if r["leads"]] == [
        ("cost_per_GB", "CHIN")
    ]
    assert [r["state"] for r in now if r["address_space"] == ""] == [FALSE_ALARM]


@cases
def test_a_part_has_to_matter_to_the_whole(
    key: Key, size: float, whole: float, is_told: bool
) -> None:
    total = {replace(key, address_space=""): whole}
    assert bool(_worth_reporting([finding(key, 40, size=size)], Thresholds(1.0), total)) == is_told
