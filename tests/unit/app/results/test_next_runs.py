"""Which builds to run next, and how often, while the first bad build is not certain."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import duckdb
import numpy as np
import pytest

from app.results.next_runs import NextRuns, Suspect, bisect_command, in_words, next_runs
from app.results.ticket import page_of, ticket
from tests.kit.cases import cases
from tests.kit.nights import build

NIGHTS, ONSET = 40, 30
BEFORE = 100.0


def nights(values: list[list[float | None]]) -> duckdb.DuckDBPyConnection:
    """Return marts with the rates of each night; None: an incomplete run."""
    times = len(values[0])
    db = build(len(values), repetitions=times)
    for night, of_night in enumerate(values):
        for repetition, value in enumerate(of_night):
            run = f"c1-{night:03}" + (f".{repetition}" if repetition else "")
            changed = "is_compared = false" if value is None else f"value = {value}"
            db.execute(
                f"UPDATE marts.fct_measurement SET {changed} WHERE run_id = ? AND metric = 'rate'",
                [run],
            )
    return db


def regression(noise: float, change: float = -0.1, **given: Any) -> dict[str, Any]:
    after = BEFORE * (1 + change)
    return {
        "regression_id": "ab12.1", "group_id": "ab12", "state": "new", "kind": "level",
        "origin": "simulated", "campaign": "nightly", "configuration_id": "c1",
        "configuration": "A > B", "metric": "rate", "system_id": "", "address_space": "",
        "unit": "MB/s", "before": BEFORE, "after": after, "change_percent": 100 * change,
        "effect": abs(change) / noise, "onset_run_id": f"c1-{ONSET:03}",
        "onset_utc": datetime(2026, 1, 31, 22),
        "onset_build": f"g{ONSET:03}", "onset_first_build": f"g{ONSET:03}",
        "onset_last_build": f"g{ONSET + 1:03}", "last_good_run_id": f"c1-{ONSET - 3:03}",
        "run_ids": [f"c1-{night:03}" for night in range(ONSET, NIGHTS)],
        "message": "rate: 100 to 90", "parts": "[]", "note": "", "owner": "", "bug": "",
    } | given  # fmt: skip


def steps(noise: float, change: float = -0.1, seed: int = 0, times: int = 1) -> list[list[float]]:
    random = np.random.default_rng(seed)
    levels = [BEFORE * (1 + (change if night >= ONSET else 0)) for night in range(NIGHTS)]
    return [[level * (1 + random.normal(0, noise)) for _ in range(times)] for level in levels]


def test_a_clear_change_came_with_one_build() -> None:
    with nights(steps(0.01)) as db:
        hint = next_runs(db, regression(0.01))
    assert hint
    assert [(s.build, s.runs) for s in hint.suspects] == [("g030", 1)]
    assert (hint.good, hint.bad, hint.build, hint.times, hint.steps) == ("g029", "g030", "", 1, 0)
    assert in_words(hint)[0] == "g030 is the first bad build (92 %), g029 the last good one."


def test_nights_without_a_complete_run_are_suspected_and_run_first() -> None:
    values: list[list[float | None]] = [list(of) for of in steps(0.01)]
    values[ONSET - 2] = values[ONSET - 1] = [None]
    with nights(values) as db:
        hint = next_runs(db, regression(0.01))
    assert hint
    assert [s.build for s in hint.suspects] == ["g028", "g029", "g030"]
    assert [s.runs for s in hint.suspects] == [0, 0, 1]
    assert [s.probability for s in hint.suspects] == pytest.approx([1 / 3] * 3, abs=0.02)
    assert hint.good == "g027"
    assert hint.build in {"g028", "g029"}
    assert hint.steps == 2


@pytest.mark.parametrize(("noise", "least"), [(0.03, 0.9), (0.05, 0.9)])
def test_the_suspects_hold_the_first_bad_build(noise: float, least: float) -> None:
    from app.results.next_runs import _suspects

    builds = [f"g{night:03}" for night in range(ONSET - 6, NIGHTS)]
    held, sizes = 0, []
    for seed in range(300):
        values = {f"g{i:03}": of for i, of in enumerate(steps(noise, seed=seed))}
        found = _suspects(builds, values, (BEFORE, 0.9 * BEFORE), noise * BEFORE)
        held += any(suspect.build == f"g{ONSET:03}" for suspect in found)
        sizes.append(len(found))
    assert held / 300 >= least
    assert max(sizes) < len(builds)


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.06])
def test_so_many_runs_tell_good_from_bad(noise: float) -> None:
    """The mean of so many runs is on the wrong side of the middle in one case of a hundred."""
    with nights(steps(noise)) as db:
        hint = next_runs(db, regression(noise))
    assert hint
    assert hint.times
    random = np.random.default_rng(1)
    means = random.normal(BEFORE, noise * BEFORE, (20_000, hint.times)).mean(axis=1)
    wrong = float((means < 0.95 * BEFORE).mean())
    assert wrong <= 0.013
    if hint.times > 1:
        fewer = random.normal(BEFORE, noise * BEFORE, (20_000, hint.times - 1)).mean(axis=1)
        assert (fewer < 0.95 * BEFORE).mean() > 0.008


@pytest.mark.parametrize(("between", "times"), [(0.0, 2), (0.05, None)])
def test_noise_between_builds_is_not_reduced_by_runs_of_one_build(
    between: float, times: int | None
) -> None:
    random = np.random.default_rng(3)
    values = [
        [value * (1 + of_build) for value in of]
        for of, of_build in zip(
            steps(0.02, times=3), random.normal(0, between, NIGHTS), strict=True
        )
    ]
    with nights(values) as db:
        hint = next_runs(db, regression(0.02))
    assert hint
    assert hint.between_percent == pytest.approx(100 * between, abs=2)
    assert hint.times in {times, times and 1}
    assert ("However often" in " ".join(in_words(hint))) == (times is None)


@cases
def test_nothing_is_looked_for_where_no_build_is_the_first_bad_one(given: dict[str, Any]) -> None:
    with nights([[BEFORE]] * 2) as db:
        assert next_runs(db, regression(0.01, **given)) is None


def test_without_a_last_good_run_the_first_bad_one_is_suspected() -> None:
    with nights(steps(0.01)) as db:
        hint = next_runs(db, regression(0.01, last_good_run_id=None))
    assert hint
    assert hint.suspects[0].build == f"g{ONSET:03}"
    assert hint.good == ""
    assert bisect_command(hint) == ""


HINT = NextRuns(
    (Suspect("7c90d13", 0.6, 1), Suspect("4e1f2ab", 0.36, 2)), "01f48a1", "4e1f2ab", "7c90d13", 3,
    2.0, -10.0, None,
)  # fmt: skip


def test_a_hint_is_told_in_sentences_and_as_a_command() -> None:
    assert " ".join(in_words(HINT)) == (
        "The first bad build is one of 2: 7c90d13 (60 %), 4e1f2ab (36 %). Run 7c90d13 next, 3 "
        "times. That decides. The change is -10.0 %, and a run has a noise of 2 %."
    )
    assert bisect_command(HINT) == "git bisect start 4e1f2ab 01f48a1"


def test_a_regression_is_told_to_a_bug_tracker() -> None:
    first = regression(0.01, owner="ann", bug="#7", parts=(
        '[{"what": "CH|IN", "dimension": "address space", "before": 1, "after": 2}]'))  # fmt: skip
    others = [first | {"address_space": "CHIN", "configuration": str(i)} for i in range(20)]
    text = ticket([first, *others], HINT, "https://perf.example")
    for words in (
        "### Transfer rate -10.0 % since g030", "owner ann, bug #7", "**Next runs.** The first",
        "`git bisect start 4e1f2ab 01f48a1`", "| CH\\|IN | address space | 1 | 2 | MB/s |",
        "The same change in 20 more figures", "8 more are not listed",
        "(<https://perf.example/regressions?id=ab12.1>)",
    ):  # fmt: skip
        assert words in text
    of_part = ticket([first | {"address_space": "CHIN"}], None)
    assert of_part.startswith("### Transfer rate of CHIN -10.0 % since g030")
    assert page_of(first, "") == ""
    assert "dashboard" not in ticket([first], None)
