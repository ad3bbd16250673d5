"""What is believed of the memory of a series, alone and in a family."""

import math

import numpy as np
import pytest

from expectations.detector import find_changes_many
from expectations.detector.memory import USUAL, Belief, beliefs_of, expected_memory
from expectations.detector.significance import NIGHTLY
from tests.kit.cases import cases


def series(memory: float, rows: int, points: int, seed: int = 3) -> np.ndarray:
    """Return autoregressions with a variance of one (rows x points)."""
    news = np.random.default_rng(seed).normal(size=(rows, points + 50))
    news *= math.sqrt(1 - memory**2)
    for t in range(1, points + 50):
        news[:, t] += memory * news[:, t - 1]
    return news[:, 50:]


#: estimate, points, belief, memory to judge with


@cases
def test_an_estimate_and_its_family_are_weighed(
    estimate: float, points: int, belief: Belief | None, expected: float
) -> None:
    assert expected_memory([estimate], [points], [belief])[0] == pytest.approx(expected, abs=0.01)


def test_a_family_shows_its_memory_and_one_series_does_not() -> None:
    random = np.random.default_rng(1)
    estimates = [*random.normal(0, 0.13, 300), *random.normal(0.6, 0.1, 300), 0.9, np.nan]
    names = ["white"] * 300 + ["slow"] * 300 + ["one", "none"]
    found = dict(zip(names, beliefs_of(estimates, [60] * 602, names), strict=True))
    assert found["white"].mean == pytest.approx(0, abs=0.03)
    assert found["white"].spread < 0.1
    assert found["slow"].mean == pytest.approx(0.6, abs=0.03)
    assert found["one"] == found["none"] == USUAL


def test_noise_with_memory_is_seldom_a_level_at_any_look() -> None:
    rows, flagged = 100 + 3 * series(0.6, 60, 60), np.zeros(60, dtype=bool)
    for points in range(12, 61, 6):
        found = find_changes_many(rows[:, :points], alpha=NIGHTLY)
        flagged |= [bool(one.changes) for one in found]
    assert flagged.sum() <= 3


def test_a_family_without_memory_gives_power_to_each_of_its_series() -> None:
    rows = 100 + 3 * np.random.default_rng(5).normal(size=(300, 60))
    rows[:30, 50:] += 5
    together = find_changes_many(rows, alpha=NIGHTLY)
    alone = find_changes_many(rows[:30], alpha=NIGHTLY, families=range(30))
    found = [sum(bool(one.changes) for one in of) for of in (together[:30], alone)]
    assert found[0] >= 12
    assert found[0] > found[1]
    assert sum(bool(one.changes) for one in together[30:]) <= 3
