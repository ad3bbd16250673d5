"""Series whose level moves by itself are told from steps, and their steps from that movement."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector import find_changes_many
from expectations.detector.significance import NIGHTLY
from tests.bench.detector import noise
from tests.kit.cases import cases

SERIES, POINTS = 60, 80


def rows(kind: str, seed: int = 1) -> np.ndarray:
    """Return series around 100 with a noise of 3 (a walk: with steps of 0.9)."""
    return 100 + 3 * noise(kind, SERIES, POINTS, np.random.default_rng(seed))


@cases
def test_a_family_that_wanders_is_told_from_noise(kind: str, least: float, most: float) -> None:
    found = find_changes_many(rows(kind), alpha=NIGHTLY)
    assert least <= np.mean([one.wanders is not None for one in found]) <= most


@pytest.mark.parametrize(("points", "most"), [(11, 0), (12, 60)])
def test_a_dozen_points_can_wander(points: int, most: int) -> None:
    found = find_changes_many(rows("random walk")[:, :points], alpha=NIGHTLY)
    assert most / 4 <= sum(one.wanders is not None for one in found) <= most


@pytest.mark.parametrize("kind", ["random walk", "slow wave"])
def test_what_wanders_has_neither_levels_nor_slopes(kind: str) -> None:
    found = find_changes_many(rows(kind), alpha=NIGHTLY)
    assert sum(bool(one.changes) or one.trend is not None for one in found) <= 1


def test_steps_and_leaks_do_not_wander() -> None:
    values = rows("Gaussian")
    values[:6, 60:] += 10
    values[6:12, 40:] += 0.9 * np.arange(1, 41)
    found = find_changes_many(values, alpha=NIGHTLY)
    assert all(one.wanders is None for one in found)
    assert all(one.indexes for one in found[:6])
    assert all(one.trend for one in found[6:12])


def test_a_step_in_a_series_that_wanders_has_to_stand_out_from_its_movement() -> None:
    """Steps from night to night have a deviation of 0.9."""
    values = rows("random walk")
    values[0, 40:] += 12
    values[1, 40:] += 2
    found = find_changes_many(values, alpha=NIGHTLY)
    assert found[0].wanders is not None
    assert found[0].indexes == [40]
    assert found[1].indexes == []


def test_the_range_holds_nine_points_in_ten() -> None:
    values = rows("random walk")
    for row, one in zip(values, find_changes_many(values, alpha=NIGHTLY), strict=True):
        if one.wanders is not None:
            low, high = one.wanders
            assert np.mean((low <= row) & (row <= high)) == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_a_figure_that_flickers_between_two_values_has_no_levels(share: float) -> None:
    """Its neighbours hardly differ, but often by a whole digit."""
    random = np.random.default_rng(3)
    values = np.where(random.random((40, 100)) < share, 0.036, 0.034)
    found = find_changes_many([*values, *rows("Gaussian")], alpha=NIGHTLY)
    assert sum(bool(one.changes) for one in found) <= 1


@pytest.mark.parametrize(("noise", "step"), [(0.002, 1.0), (0.01, 0.0), (0.02, 1.0)])
def test_a_figure_in_whole_units_does_not_wander(noise: float, step: float) -> None:
    random = np.random.default_rng(3)
    values = 20 * np.exp(random.normal(0, noise, (60, 100))) + step * (np.arange(100) >= 60)
    alone = find_changes_many(np.round(values), alpha=NIGHTLY, families=range(60))
    together = find_changes_many(np.round(values), alpha=NIGHTLY)
    assert sum(one.wanders is not None for one in (*alone, *together)) <= 2


def test_what_comes_back_after_two_points_is_no_step() -> None:
    values = np.full((20, 100), 0.1106)
    values[:, 79:81] = 0.169
    values[:10, 30] = 0.169
    assert not any(one.changes for one in find_changes_many(values, alpha=NIGHTLY))


@cases
def test_short_series_are_steady(points: int) -> None:
    found = find_changes_many([np.arange(points, dtype=float), np.full(points, 7.0)])
    assert [one.wanders for one in found] == [None, None]
