"""The life of regressions over builds: new, confirmed, accepted, fixed, and reported once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import pytest

from expectations.limits import read_limits
from expectations.regressions.judge import Judgement, judge_build
from expectations.regressions.states import OPEN
from expectations.regressions.store import Row, read_current, write_events
from tests.kit.nights import Effect, build, none, slower_chin

LIMITS = read_limits()


def judge(folder: Path, nights: int, effect: Effect = none, **more: object) -> Judgement:
    bands = more.pop("bands", ())
    with build(nights, effect, **more) as db:
        for band in bands:
            db.execute("INSERT INTO marts.fct_run_against_model VALUES (?, ?, ?, ?, ?, ?)", band)
        return judge_build(db, folder, f"b{nights}", LIMITS)


def states_of(events: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Return (metric, address space, state) of each event."""
    return [(e["metric"], e["address_space"], e["state"]) for e in events]


BOTH = [("cost_per_GB", ""), ("cost_per_GB", "CHIN")]


def test_regression_is_new_then_confirmed_then_fixed_and_reported_once_each(
    tmp_path: Path,
) -> None:
    assert judge(tmp_path, 30, slower_chin).events == ()
    first = judge(tmp_path, 34, slower_chin).events
    assert states_of(first) == [(*part, "new") for part in BOTH]
    whole, part = first
    assert (whole["leads"], part["leads"]) == (True, False)
    assert part["regression_id"] == whole["group_id"] + ".2"
    assert (whole["onset_run_id"], whole["last_good_run_id"]) == ("c1-030", "c1-029")
    assert whole["change_percent"] == pytest.approx(12, abs=2)
    assert whole["low"] < 0.12 < whole["high"]
    assert whole["run_ids"] == [f"c1-{night:03}" for night in range(30, 34)]
    assert whole["cause"].startswith("CHIN (")
    for words in (
        "+1",
        "95 % confidence interval",
        "since run c1-030",
        "30 runs before, 4 after",
        "CHIN",
    ):
        assert words in whole["message"]

    assert judge(tmp_path, 34, slower_chin).events == ()  # the same build again
    assert states_of(judge(tmp_path, 36, slower_chin).events) == [(*p, "confirmed") for p in BOTH]
    assert judge(tmp_path, 45, slower_chin).events == ()
    fixed = judge(tmp_path, 56, slower_chin).events
    assert states_of(fixed) == [(*part, "fixed") for part in BOTH]
    assert fixed[0]["recovered_run_id"] == "c1-050"
    assert judge(tmp_path, 70, slower_chin).events == ()


def test_past_regression_is_reported_as_fixed(tmp_path: Path) -> None:
    states = [state for *_, state in states_of(judge(tmp_path, 60, slower_chin).events)]
    assert states == ["new", "fixed"] * 2


@pytest.mark.parametrize("state", ["acknowledged", "expected"])
def test_accepted_change_resets_the_baseline(tmp_path: Path, state: str) -> None:
    def twice(configuration: str, metric: str, space: str | None, night: int) -> float:
        worse = 1.3 if night >= 50 else 1.0
        return max(slower_chin(configuration, metric, space, night), 1.0) * (
            worse * (1.3 if night >= 50 else 1.0) if (configuration, space) == ("c1", "CHIN") else 1
        )

    judge(tmp_path, 36, twice)
    for row in read_current(tmp_path):
        write_events([{**row, "state": state, "by": "me", "note": "meant"}], tmp_path)
    for nights in (38, 42, 49):
        assert judge(tmp_path, nights, twice).events == ()
    assert {row["state"] for row in read_current(tmp_path)} == {state}
    events = judge(tmp_path, 56, twice).events  # from 1.3 to 1.69
    assert states_of(events) == [(*part, "new") for part in BOTH]
    assert events[1]["change_percent"] == pytest.approx(30, abs=4)
    assert events[0]["runs_before"] == 20


def test_runs_before_an_accepted_change_are_no_baseline(tmp_path: Path) -> None:
    judge(tmp_path, 36, slower_chin)
    # Located too late at first: with more runs the shift is located eight nights earlier.
    late = {"onset_run_id": "c1-038", "onset_utc": datetime(2026, 2, 8, 22)}
    rows = [{**row, **late, "state": "acknowledged"} for row in read_current(tmp_path)]
    write_events(rows, tmp_path)
    assert judge(tmp_path, 49, slower_chin).events == ()


def test_recovery_of_an_accepted_change_is_reported(tmp_path: Path) -> None:
    judge(tmp_path, 36, slower_chin)
    rows = [{**row, "state": "acknowledged", "by": "me"} for row in read_current(tmp_path)]
    write_events(rows, tmp_path)
    assert states_of(judge(tmp_path, 60, slower_chin).events) == [(*part, "fixed") for part in BOTH]


def test_false_alarm_is_not_reported_again(tmp_path: Path) -> None:
    judge(tmp_path, 36, slower_chin)
    rows = [{**row, "state": "false alarm", "by": "me"} for row in read_current(tmp_path)]
    write_events(rows, tmp_path)
    for nights in (38, 45, 60):
        assert judge(tmp_path, nights, slower_chin).events == ()


def test_regression_that_a_later_build_does_not_show_becomes_a_false_alarm(tmp_path: Path) -> None:
    judge(tmp_path, 34, slower_chin)
    # The runs were loaded again with correct data.
    events = judge(tmp_path, 40).events
    assert {state for *_, state in states_of(events)} == {"false alarm"}
    assert all(event["by"] == "detector" for event in events)
    assert {state for *_, state in states_of(judge(tmp_path, 36, slower_chin).events)} == {
        "confirmed"
    }


def test_changes_with_one_build_and_cause_are_one_group(tmp_path: Path) -> None:
    def both(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 1.3 if space == "CHIN" and night >= 30 else 1.0

    events = judge(tmp_path, 40, both).events
    assert sorted({e["configuration_id"] for e in events}) == ["c1", "c2"]
    assert len({e["group_id"] for e in events}) == 1
    assert sum(e["leads"] for e in events) == 1


def test_changes_with_two_causes_are_two_groups(tmp_path: Path) -> None:
    def apart(configuration: str, metric: str, space: str | None, night: int) -> float:
        hit = (configuration, space) in {("c1", "CHIN"), ("c2", "AGENT")}
        return 1.3 if hit and night >= 30 else 1.0

    events = judge(tmp_path, 40, apart).events
    causes = {e["group_id"]: e["cause"].split(" (")[0] for e in events}
    assert sorted(causes.values()) == ["AGENT", "CHIN"]


def spike(configuration: str, metric: str, space: str | None, night: int) -> float:
    return 3.0 if night == 30 else 1.0


def better(configuration: str, metric: str, space: str | None, night: int) -> float:
    return (1.2 if metric == "rate" else 0.8) if night >= 30 else 1.0


@pytest.mark.parametrize("effect", [none, spike, better])
def test_noise_spikes_and_improvements_are_not_reported(tmp_path: Path, effect: Effect) -> None:
    assert judge(tmp_path, 60, effect).events == ()


@pytest.mark.parametrize("repetitions", [1, 3])
def test_builds_with_few_runs_are_compared(tmp_path: Path, repetitions: int) -> None:
    def slow(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 0.5 if metric == "rate" and night >= 2 else 1.0

    judged = judge(tmp_path, 3, slow, repetitions=repetitions)
    if repetitions == 1:
        assert judged.events == ()
        assert judged.unsettled == judged.series
    else:
        assert {(e["metric"], e["kind"], e["state"]) for e in judged.events} == {
            ("rate", "pair", "new")
        }
        assert judged.events[0]["onset_run_id"] == "c1-002"
        assert judged.events[0]["change_percent"] == pytest.approx(-50, abs=2)
        # With more nights the series is long enough for levels and shows the same regression.
        later = judge(tmp_path, 8, slow, repetitions=repetitions).events
        assert {(e["metric"], e["state"]) for e in later} == {("rate", "confirmed")}


def test_first_build_has_no_baseline(tmp_path: Path) -> None:
    judged = judge(tmp_path, 1, repetitions=3)
    assert (judged.events, judged.unsettled) == ((), 0)


def test_incomplete_runs_are_a_data_fault_and_their_metrics_no_regression(
    tmp_path: Path,
) -> None:
    def half(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 0.2 if 30 <= night < 34 else 1.0

    def fault(configuration: str, night: int) -> str:
        return "no RMF records of MVS3" if 30 <= night < 34 else ""

    events = judge(tmp_path, 32, half, fault=fault).events
    assert {(e["kind"], e["state"]) for e in events} == {("data", "new")}
    assert len(events) == 2  # one per configuration
    assert len({e["group_id"] for e in events}) == 1
    assert "no RMF records of MVS3" in events[0]["message"]
    assert {e["state"] for e in judge(tmp_path, 33, half, fault=fault).events} <= {"confirmed"}
    fixed = judge(tmp_path, 40, half, fault=fault).events
    assert {(e["kind"], e["state"], e["recovered_run_id"]) for e in fixed} == {
        ("data", "fixed", "c1-034"),
        ("data", "fixed", "c2-034"),
    }


def test_metric_that_is_no_longer_measured_is_a_data_fault(tmp_path: Path) -> None:
    def quiet(metric: str, night: int) -> bool:
        return metric == "rate" and 30 <= night < 36

    assert judge(tmp_path, 31, lacks=quiet).events == ()
    events = judge(tmp_path, 32, lacks=quiet).events
    assert {(e["kind"], e["state"], e["onset_run_id"]) for e in events} == {
        ("data", "new", "c1-030"),
        ("data", "new", "c2-030"),
    }
    assert "no figure for rate" in events[0]["message"]
    assert {e["state"] for e in judge(tmp_path, 37, lacks=quiet).events} == {"fixed"}


def test_level_outside_the_band_of_a_model_is_reported_once(tmp_path: Path) -> None:
    bands = [("c1", "rate", "MB/s", 130, 120, 140), ("c2", "rate", "MB/s", 100, 90, 110)]
    events = judge(tmp_path, 20, bands=bands).events
    assert [(e["kind"], e["configuration_id"], e["state"]) for e in events] == [
        ("model", "c1", "new")
    ]
    assert "is below the model's band of 120 to 140" in events[0]["message"]
    states = [e["state"] for e in judge(tmp_path, 25, bands=bands).events]
    assert states == ["confirmed"]
    assert judge(tmp_path, 26, bands=bands).events == ()
    wide_band = [("c1", "rate", "MB/s", 130, 80, 140)]
    assert [e["state"] for e in judge(tmp_path, 27, bands=wide_band).events] == ["fixed"]


def test_build_without_runs_has_no_events(tmp_path: Path) -> None:
    with build(0) as db:
        assert judge_build(db, tmp_path, "b", LIMITS).events == ()
        db.execute("DROP TABLE marts.fct_run")
        assert judge_build(db, tmp_path, "b", LIMITS).events == ()


# --- leaks ---------------------------------------------------------------------------------


def leak(configuration: str, metric: str, space: str | None, night: int) -> float:
    """CHIN of c1 takes 1 % more every night from night 30 on, compounded."""
    return 1.01 ** max(night - 29, 0) if (configuration, space) == ("c1", "CHIN") else 1.0


def test_leak_is_reported_as_a_slope_and_stays_open(tmp_path: Path) -> None:
    for nights in range(36, 91, 6):
        judge(tmp_path, nights, leak)
        opened = [row for row in read_current(tmp_path) if row["state"] in OPEN]
        assert nights < 60 or "CHIN" in {row["address_space"] for row in opened}
    chin = next(row for row in opened if row["address_space"] == "CHIN")
    assert chin["kind"] == "slope"
    assert chin["after"] / chin["before"] > 1.4
    assert "a day" in chin["message"]
    assert "in 30 days" in chin["message"]
    assert {row["address_space"] for row in read_current(tmp_path)} <= {"", "CHIN"}
    assert len([row for row in opened if row["address_space"] == "CHIN"]) == 1


def test_restart_fixes_a_leak(tmp_path: Path) -> None:
    def restarted(configuration: str, metric: str, space: str | None, night: int) -> float:
        return leak(configuration, metric, space, night) if night < 70 else 1.0

    judge(tmp_path, 68, restarted)
    judge(tmp_path, 80, restarted)
    (chin,) = [row for row in read_current(tmp_path) if row["address_space"] == "CHIN"]
    assert (chin["state"], chin["recovered_run_id"]) == ("fixed", "c1-070")


def test_regression_that_is_not_found_stays_open_until_its_level_is_back(tmp_path: Path) -> None:
    """Strong waves after the change hide it from the detector, but it is not gone."""

    def waves(configuration: str, metric: str, space: str | None, night: int) -> float:
        hit = metric == "rate" and configuration == "c1"
        high = 1.6 if night >= 40 and night % 10 < 5 else 1.0
        return (0.8 if night >= 30 else 1.0) * high if hit else 1.0

    assert [e["state"] for e in judge(tmp_path, 36, waves).events] == ["new"]
    for nights in (44, 52, 60):
        states = {e["state"] for e in judge(tmp_path, nights, waves).events}
        assert "false alarm" not in states


# --- after an acceptance -------------------------------------------------------------------


@pytest.mark.parametrize("later", [3, 5, 7, 12])
def test_second_change_soon_after_an_accepted_one_is_heard(tmp_path: Path, later: int) -> None:
    def twice(configuration: str, metric: str, space: str | None, night: int) -> float:
        hit = (configuration, metric) == ("c1", "rate")
        return (0.9 if night >= 30 else 1.0) * (0.9 if night >= 30 + later else 1.0) if hit else 1.0

    first = judge(tmp_path, 33, twice).events
    assert [(e["onset_run_id"], e["state"]) for e in first] == [("c1-030", "new")]
    accept(tmp_path)
    nights = range(max(34, 31 + later), 36 + later)
    heard = [e for n in nights for e in judge(tmp_path, n, twice).events]
    assert [(e["onset_run_id"], e["state"]) for e in heard if e["state"] == "new"] == [
        (f"c1-{30 + later:03}", "new")
    ]
    (new,) = [e for e in heard if e["state"] == "new"]
    assert new["before"] == pytest.approx(90, rel=0.02)
    assert new["after"] == pytest.approx(81, rel=0.03)
    assert new["runs_before"] == later


def test_accepted_change_is_not_told_again_when_more_runs_size_it_better(tmp_path: Path) -> None:
    judge(tmp_path, 33, slower_chin)
    rows = [
        {**row, "state": "expected", "by": "me", "after": row["after"] * 1.02}
        for row in read_current(tmp_path)
    ]
    write_events(rows, tmp_path)
    for nights in (36, 40, 49):
        assert judge(tmp_path, nights, slower_chin).events == ()


def accept(folder: Path) -> None:
    rows = [{**row, "state": "acknowledged", "by": "me"} for row in read_current(folder)]
    write_events(rows, folder)


def test_one_change_is_one_group_against_the_model_too(tmp_path: Path) -> None:
    def slow(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 0.8 if (configuration, metric) == ("c1", "rate") and night >= 30 else 1.0

    bands = [("c1", "rate", "MB/s", 100, 90, 110)]
    events = judge(tmp_path, 40, slow, bands=bands).events
    assert [(e["kind"], e["leads"]) for e in events] == [("level", True), ("model", False)]
    assert len({e["group_id"] for e in events}) == 1


# --- the end -------------------------------------------------------------------------------


def cured(configuration: str, metric: str, space: str | None, night: int) -> float:
    """The rate of c1 is 10 % lower for six nights."""
    return 0.9 if (configuration, metric) == ("c1", "rate") and 30 <= night < 36 else 1.0


@pytest.mark.parametrize("accepted", [False, True])
def test_cure_after_six_nights_is_fixed_by_the_run_that_fixed_it(
    tmp_path: Path, accepted: bool
) -> None:
    judge(tmp_path, 34, cured)
    if accepted:
        accept(tmp_path)
    nights = (36, 37, 38, 39, 41, 44, 59)
    events = [e for n in nights for e in judge(tmp_path, n, cured).events]
    ends = [(e["state"], e["recovered_run_id"]) for e in events if e["state"] != "confirmed"]
    assert ends == [("fixed", "c1-036")]


def test_change_after_a_cure_is_a_new_one(tmp_path: Path) -> None:
    def again(configuration: str, metric: str, space: str | None, night: int) -> float:
        hit = (configuration, metric) == ("c1", "rate")
        return 0.9 if hit and (30 <= night < 36 or night >= 40) else 1.0

    judge(tmp_path, 34, again)
    judge(tmp_path, 39, again)
    judge(tmp_path, 48, again)
    first, second = read_current(tmp_path)
    assert (first["onset_run_id"], first["state"]) == ("c1-030", "fixed")
    assert (second["onset_run_id"], second["state"]) == ("c1-040", "new")
    assert second["note"] == f"back: {first['regression_id']}, fixed by run c1-036"


def test_another_change_after_a_cure_is_not_back(tmp_path: Path) -> None:
    def more(configuration: str, metric: str, space: str | None, night: int) -> float:
        hit = (configuration, metric) == ("c1", "rate")
        return (0.7 if night >= 50 else 0.9 if 30 <= night < 40 else 1.0) if hit else 1.0

    for nights in (38, 49, 60):
        judge(tmp_path, nights, more)
    (*_, last) = read_current(tmp_path)
    assert (last["onset_run_id"], last["state"], last["note"]) == ("c1-050", "new", "")


def test_cause_is_explained_again_as_runs_come(tmp_path: Path) -> None:
    def moves(configuration: str, metric: str, space: str | None, night: int) -> float:
        """The cost of c1 is 12 % higher, first by CHIN and then by AGENT."""
        if configuration != "c1" or night < 30:
            return 1.0
        return {("CHIN", True): 1.3, ("AGENT", False): 1.2}.get((space or "", night < 33), 1.0)

    first = judge(tmp_path, 33, moves).events
    assert first[0]["cause"].startswith("CHIN (")
    for nights in (36, 40, 50):
        judge(tmp_path, nights, moves)
    leader = next(row for row in read_current(tmp_path) if row["leads"])
    assert (leader["state"], leader["cause"].split(" (")[0]) == ("confirmed", "AGENT")


# --- the first nights ----------------------------------------------------------------------


def told(folder: Path, nights: range, effect: Effect) -> list[tuple[int, str]]:
    """Return the night and the state of each event of the rate of c1."""
    return [(n, e["state"]) for n in nights for e in judge(folder, n, effect).events]


def test_a_change_of_20_deviations_is_suspected_the_next_night(tmp_path: Path) -> None:
    def slow(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 0.67 if (configuration, metric) == ("c1", "rate") and night >= 30 else 1.0

    first = judge(tmp_path, 31, slow).events
    assert [(e["state"], e["onset_run_id"]) for e in first] == [("suspected", "c1-030")]
    assert first[0]["note"] == "seen in 1 run: run g030 again, 2 times"
    later = told(tmp_path, range(32, 36), slow)
    assert later[:2] == [(33, "new"), (34, "confirmed")]
    assert len(read_current(tmp_path)) == 1


def test_a_change_of_5_deviations_is_suspected_within_two_nights(tmp_path: Path) -> None:
    def slow(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 0.9 if (configuration, metric) == ("c1", "rate") and night >= 30 else 1.0

    assert "suspected" in {state for _, state in told(tmp_path, range(31, 33), slow)}


def test_one_bad_night_is_a_suspicion_that_is_withdrawn(tmp_path: Path) -> None:
    def bad(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 0.67 if (configuration, metric) == ("c1", "rate") and night == 30 else 1.0

    assert told(tmp_path, range(30, 40), bad) == [(31, "suspected"), (32, "withdrawn")]
    assert "in the 1 run after it" in read_current(tmp_path)[0]["note"]


# --- runs that stop ------------------------------------------------------------------------


def moved(configuration: str, night: int) -> str | None:
    """The runs of c1 are those of c3 from night 50 on, on another machine."""
    return "c3" if configuration == "c1" and night >= 50 else configuration


def stops(configuration: str, night: int) -> str | None:
    return None if configuration == "c1" and night >= 50 else configuration


def faster_machine(configuration: str, metric: str, space: str | None, night: int) -> float:
    """CHIN of c1 takes 30 % more from night 30 to 69; the machine from night 50 on is faster."""
    slow = 1.3 if (configuration, space) == ("c1", "CHIN") and 30 <= night < 70 else 1.0
    return slow * (0.6 if configuration == "c1" and night >= 50 and space else 1.0)


def test_an_open_regression_is_carried_over_to_the_configuration_that_goes_on(
    tmp_path: Path,
) -> None:
    judge(tmp_path, 45, faster_machine, runs_as=moved)
    assert {row["configuration_id"] for row in read_current(tmp_path)} == {"c1"}
    early = judge(tmp_path, 52, faster_machine, runs_as=moved).events
    assert {(e["kind"], e["configuration_id"]) for e in early} <= {("level", "c1")}
    told = judge(tmp_path, 53, faster_machine, runs_as=moved).events
    what = "no more runs since c1-049: goes on as A > B, 1 MB, z16 (machine z16 instead of z15)"
    ended = [e for e in told if e["kind"] == "data"]
    assert [e["state"] for e in ended] == ["new", "fixed"]
    assert what in ended[0]["message"]
    gone_on = [e for e in told if e["kind"] == "level"]
    assert {(e["configuration_id"], e["state"], e["note"]) for e in gone_on} == {
        ("c3", "confirmed", what)
    }
    whole = next(e for e in gone_on if not e["address_space"])
    assert whole["after"] == pytest.approx(0.6 * 1.12, rel=0.05)
    assert whole["change_percent"] == pytest.approx(12, abs=2)
    for nights in (54, 60, 69):
        events = judge(tmp_path, nights, faster_machine, runs_as=moved).events
        assert {e["state"] for e in events} <= {"confirmed"}
    for nights in (76, 90):
        judge(tmp_path, nights, faster_machine, runs_as=moved)
    levels = [row for row in read_current(tmp_path) if row["kind"] == "level"]
    assert {(r["state"], r["recovered_run_id"]) for r in levels} == {("fixed", "c1-070")}


def test_runs_that_stop_are_told_once_with_what_is_open(tmp_path: Path) -> None:
    judge(tmp_path, 45, slower_chin, runs_as=stops)
    told = judge(tmp_path, 53, slower_chin, runs_as=stops).events
    assert {(e["kind"], e["state"], e["configuration_id"]) for e in told} == {
        ("data", "new", "c1"),
        ("level", "new", "c1"),
    }
    assert {e["note"] for e in told if e["kind"] == "level"} == {"no more runs since c1-049"}
    states = {e["state"] for e in judge(tmp_path, 60, slower_chin, runs_as=stops).events}
    assert states <= {"confirmed"}

    def pauses(configuration: str, night: int) -> str | None:
        return None if configuration == "c1" and 50 <= night < 60 else configuration

    events = judge(tmp_path, 64, slower_chin, runs_as=pauses).events
    assert [e["state"] for e in events if e["kind"] == "data"] == ["fixed"]


@pytest.mark.parametrize(
    "name",
    [
        lambda configuration, night: None if night >= 50 else configuration,  # the campaign ends
        lambda configuration, night: (
            None if configuration == "c1" and night % 9 else configuration
        ),  # seldom
        lambda configuration, night: None if configuration == "c1" and night > 4 else configuration,
        lambda configuration, night: (
            None if configuration == "c1" and night >= 58 else configuration
        ),
    ],
)
def test_what_did_not_run_often_or_not_for_long_has_not_stopped(
    tmp_path: Path, name: Callable[[str, int], str | None]
) -> None:
    assert judge(tmp_path, 60, runs_as=name).events == ()


def test_two_labels_that_differ_are_another_configuration(tmp_path: Path) -> None:
    def other(configuration: str, night: int) -> str | None:
        return "c4" if configuration == "c1" and night >= 50 else configuration

    judge(tmp_path, 45, slower_chin, runs_as=other)
    told = judge(tmp_path, 53, slower_chin, runs_as=other).events
    assert {e["configuration_id"] for e in told} == {"c1"}
    assert all("goes on as" not in e["message"] for e in told)


def test_a_week_without_runs_ends_before_the_step_that_follows_it(tmp_path: Path) -> None:
    def after(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 1.3 if (configuration, space) == ("c1", "CHIN") and night >= 47 else 1.0

    def runs_as(configuration: str, night: int) -> str | None:
        return None if configuration == "c1" and 40 <= night < 47 else configuration

    stopped = judge(tmp_path, 44, after, runs_as=runs_as).events
    assert [(e["metric"], e["state"]) for e in stopped] == [("stopped", "new")]
    told = judge(tmp_path, 50, after, runs_as=runs_as).events
    assert ("stopped", "", "fixed") in states_of(told)
    steps = [e for e in told if e["kind"] == "level"]
    assert {e["onset_run_id"] for e in steps} == {"c1-047"}
    assert len({e["group_id"] for e in steps}) == 1


def test_a_regression_of_a_figure_that_is_not_measured_for_a_while_stays_open(
    tmp_path: Path,
) -> None:
    def slower(configuration: str, metric: str, space: str | None, night: int) -> float:
        return 0.8 if (configuration, metric) == ("c1", "rate") and 30 <= night < 45 else 1.0

    def lacks(metric: str, night: int) -> bool:
        return metric == "rate" and 38 <= night < 48

    told = judge(tmp_path, 38, slower, lacks=lacks).events
    assert [(e["kind"], e["state"]) for e in told] == [("level", "new")]
    quiet = judge(tmp_path, 42, slower, lacks=lacks).current
    assert sorted((e["kind"], e["state"]) for e in quiet) == [
        ("data", "new"), ("data", "new"), ("level", "new")
    ]  # fmt: skip
    last = judge(tmp_path, 56, slower, lacks=lacks).current
    assert {(e["kind"], e["state"]) for e in last} == {("data", "fixed"), ("level", "fixed")}
