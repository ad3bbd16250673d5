"""How the benchmark of drawn changes scores what was told."""

from __future__ import annotations

from typing import Any

from models_sim.simulator.campaigns.scenarios.changes import Injection
from models_sim.simulator.campaigns.scenarios.nightly import night_of
from tests.bench.scoring import compared, page_of
from tests.kit.cases import cases

NAMES = {"c1": "tls", "c2": "ams"}


def change(
    kind: str, metric: str = "cost_per_GB", size: float = 0.05, *last: Any, first: int = 40
) -> Injection:
    """Return a change of a night in TLS; of the cost: in an address space."""
    cause = last or ("address space", "MVS1", "MQ1")
    end = first if kind in ("spike", "data") else None
    return Injection(kind, "tls", kind, first, end, metric, size, *cause)


STEP, SECOND, LEAK = change("step"), change("step", first=46), change("leak", size=0.005)
SPIKE = change("spike", "rate", -0.15, "network")
BETTER = change("step", "rate", 0.05, "network")
HEAP = change("values", "heap_mb", 1.0, "1024")
UNIT = change("unit", "queue_depth", 1.0, "KB")
DATA = change("data", "cpu_seconds", 1.0, "no SMF records")


def told(night: int, name: str = "a.1", **more: Any) -> dict[str, Any]:
    return {"regression_id": name, "group_id": name.partition(".")[0], "leads": name.endswith(".1"),
            "state": "new", "kind": "level", "configuration_id": "c1", "metric": "cost_per_GB",
            "onset_utc": night_of(night), "change_percent": 5.0, "cause": "MQ1 (90 %)",
            "message": ""} | more  # fmt: skip


@cases
def test_a_change_is_told_by_a_group_near_it(
    change: Injection, rows: list[dict[str, Any]], found: bool, right: bool, false: int
) -> None:
    scored = compared([change], rows, {"a.1": 43}, NAMES)
    (one,) = scored.found
    assert (one.row is not None, len(scored.false)) == (found, false)
    if one.row and change.kind not in {"values", "unit", "data"}:
        assert one.is_right == right
        assert one.night == (43 if one.row["group_id"] == "a" else None)


def test_the_second_of_two_steps_needs_a_group_of_its_own() -> None:
    for rows, number in (([told(41)], 1), ([told(41), told(46, "b.1")], 2)):
        scored = compared([STEP, SECOND], rows, {}, NAMES)
        assert scored.figures["found"] == number
        assert scored.figures["to_be_found"] == 2


@cases
def test_one_more_group_of_a_change_is_told_twice(
    change: Injection, night: int, state: str, twice: int
) -> None:
    rows = [told(41), told(night, "b.1", state=state)]
    scored = compared([change], rows, {}, NAMES)
    assert (len(scored.twice), len(scored.false)) == (twice, 1 - twice)


@cases
def test_suspicions_of_no_change_are_counted_by_themselves(
    night: int, state: str, number: int
) -> None:
    scored = compared([STEP], [told(night, state=state)], {}, NAMES)
    assert scored.figures["false_suspicions"] == number


def test_a_bad_night_before_a_step_does_not_take_its_report() -> None:
    step = change("step", "rate", -0.05, "network", first=42)
    scored = compared([SPIKE, step], [told(42, metric="rate", cause="network")], {}, NAMES)
    assert [one.row is not None for one in scored.found] == [False, True]
    assert scored.false == []


def test_a_bad_night_before_a_step_does_not_take_a_second_report_of_it() -> None:
    step = change("step", "rate", -0.05, "network", first=44)
    wait = {"metric": "NETTIME", "cause": "network"}
    for night, twice in ((44, 1), (41, 0)):
        rows = [told(44, metric="rate", cause="network"), told(night, "b.1", **wait)]
        scored = compared([SPIKE, step], rows, {}, NAMES)
        assert (len(scored.twice), len(scored.false)) == (twice, 0)


def test_the_page_has_every_change_and_every_false_report() -> None:
    rows = [told(41), told(90, "z.1")]
    page = page_of(["# Figures"], [compared([STEP, HEAP], rows, {"a.1": 43}, NAMES, 7)])
    assert "| 7 | 2 | 1 | 1 | 1 | 0 | 1 | 0 | 3 | 0 | 0.0 |" in page
    assert "| 7 | values | tls | values, heap_mb +100.0 % | 40 | yes |  |  | not reported |" in page
    assert "| 7 | none | tls |  |  | no |  | 90 | level: cost_per_GB +5.0 % (new) |" in page
