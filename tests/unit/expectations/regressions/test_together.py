"""One change, one story: shifts of many series at once, and their common date."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector.dating import WINDOW
from expectations.regressions.finding import Finding, Key
from expectations.regressions.levels import find_level_shifts
from expectations.regressions.series import Series
from tests.bench.detector import noise
from tests.kit.cases import cases
from tests.kit.regression_rows import series

NIGHTS = 60


def of(values: np.ndarray, configuration: str = "c1", metric: str = "cost_per_GB") -> Series:
    return series(values, Key("simulated", "nightly", configuration, metric))


def found_in(rows: np.ndarray) -> list[Finding]:
    """Return the level shifts of a configuration for each row."""
    return find_level_shifts([of(row, f"c{i}") for i, row in enumerate(rows)], 1.0)[0]


def many(moved: int, size: float, after: int, common: float = 0.0) -> list[Finding]:
    random = np.random.default_rng(1)
    values = random.normal(100, 3, (30, NIGHTS + after))
    values += 3 * common * random.normal(size=NIGHTS + after)
    values[:moved, NIGHTS:] += size
    return found_in(values)


@pytest.mark.parametrize(("moved", "size", "least"), [(30, 5.0, 12), (10, 10.0, 7)])
def test_a_shift_of_many_is_seen_after_one_night(moved: int, size: float, least: int) -> None:
    found = many(moved, size, 1)
    assert {f.onset_no for f in found} == {NIGHTS}
    assert len({f.together for f in found if f.together > 1}) == 1
    names = {int(f.key.configuration_id[1:]) for f in found}
    assert len(names) >= least
    assert len(names - set(range(moved))) <= 1


@cases
def test_noise_improvements_and_bad_nights_of_all_are_not(
    moved: int, size: float, common: float
) -> None:
    assert many(moved, size, 1, common) == []


@pytest.mark.parametrize("tail", ["rare mode", "Student t3"])
def test_runs_that_are_far_off_by_chance_are_no_shift_of_many(tail: str) -> None:
    values = 100 + 3 * noise(tail, 30, 40, np.random.default_rng(2))
    for night in range(16, 40, 2):
        assert all(f.together == 1 for f in found_in(values[:, :night]))


def test_a_shift_of_many_that_is_older_than_the_last_runs_may_have_begun_earlier() -> None:
    found = [f for f in many(30, 3.0, 8) if f.is_early]
    assert found
    assert np.mean([f.onset_no - f.uncertain[0] <= NIGHTS for f in found]) >= 0.9


def test_figures_of_a_configuration_are_dated_by_the_sharpest() -> None:
    random = np.random.default_rng(5)
    shifted = np.arange(90) >= NIGHTS
    sharp = of(random.normal(100, 1, 90) + 20 * shifted, metric="cpu_per_put")
    blunt = [of(random.normal(100, 3, 90) + 5 * shifted, metric=f"metric_{i}") for i in range(20)]
    found = find_level_shifts([sharp, *blunt], 1.0)[0]
    assert len(found) >= 15
    assert {(f.onset_run_id, f.last_good_run_id) for f in found} == {("r60", "r59")}
    assert all(f.runs_before == NIGHTS and len(f.run_ids) == f.runs_after == 30 for f in found)


def test_a_change_that_cannot_be_the_same_keeps_its_date() -> None:
    random = np.random.default_rng(5)
    first = of(random.normal(100, 1, 90) + 20 * (np.arange(90) >= 60), metric="a")
    second = of(random.normal(100, 1, 90) + 8 * (np.arange(90) >= 64), metric="b")
    found = find_level_shifts([first, second], 1.0)[0]
    assert [f.onset_run_id for f in found] == ["r60", "r64"]


@pytest.mark.parametrize("after", [10, 40])
def test_nearly_every_configuration_has_the_date_of_all(after: int) -> None:
    """The one that seems to begin at another night is among thirty; another change is not."""
    shares, apart = [], []
    for seed in range(2):
        values = np.random.default_rng(seed).normal(100, 3, (31, NIGHTS + after))
        values[:30, NIGHTS:] += 5
        values[30, NIGHTS - 6 :] += 20
        found = found_in(values)
        sure = [f for f in found if not f.is_early and f.onset_no > NIGHTS - WINDOW]
        shares += [f.onset_no == NIGHTS for f in sure if f.key.configuration_id != "c30"]
        apart += [f.onset_no for f in sure if f.key.configuration_id == "c30"]
    assert np.mean(shares) >= 0.95
    assert set(apart) == {NIGHTS - 6}
