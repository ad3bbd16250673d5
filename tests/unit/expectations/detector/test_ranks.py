"""Shifts and slopes are confirmed by ranks, which outliers cannot move far."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector.find import ALPHA, find_changes_many
from expectations.detector.memory import USUAL
from expectations.detector.piecewise_constant import judge_levels
from expectations.detector.prepare import prepare
from expectations.detector.ranks import confirmed_shifts, is_confirmed_jump, is_confirmed_slope
from tests.bench.detector import noise
from tests.kit.cases import cases

FLAT = np.random.default_rng(3).normal(size=60)
LEAST = 3


def followed_by(*values: float) -> np.ndarray:
    return np.concatenate([FLAT, values])


@cases
def test_a_level_is_no_run_of_outliers(values: tuple[float, ...], is_confirmed: bool) -> None:
    kept = confirmed_shifts(followed_by(*values), [60], LEAST)
    assert kept == ([60] if is_confirmed else [])


def test_the_end_of_a_level_that_is_none_is_left_out_too() -> None:
    values = np.concatenate([FLAT[:30], [9.0, -0.5, 9.0, 0.1, 9.0], FLAT[30:], FLAT[:20] + 6])
    assert confirmed_shifts(values, [30, 35, 65], LEAST) == [65]


@cases
def test_a_jump_between_lines_shows_beside_it(after: list[float], is_confirmed: bool) -> None:
    assert is_confirmed_jump(FLAT, np.array(after), 70, LEAST) == is_confirmed


@cases
def test_a_slope_is_in_the_order_of_its_values(
    values: np.ndarray, slope: float, is_confirmed: bool
) -> None:
    assert is_confirmed_slope(values, slope, 80, LEAST) == is_confirmed


def test_what_is_left_after_a_neighbour_is_dropped_is_judged_without_it() -> None:
    random = np.random.default_rng(1)
    rows = [100 + 3 * row for row in noise("rare mode", 150, 80, random)]
    for row in rows:
        row[int(random.integers(20, 60)) :] += 6
    found = find_changes_many(rows, families=range(len(rows)))
    of = [(one, ready) for one, ready in zip(found, prepare(rows), strict=True) if one.changes
          and one.shape == "levels" and not one.wanders and not one.period]  # fmt: skip
    assert len(of) > 100
    starts = [np.array([change.index for change in one.changes]) for one, _ in of]
    again = judge_levels([ready.row for _, ready in of], starts, ALPHA, [USUAL] * len(of))
    same = [
        levels.p_values.tolist()
        == pytest.approx([change.p_value for change in one.changes], abs=1e-8)
        for (one, _), levels, places in zip(of, again, starts, strict=True)
        if levels.starts.tolist() == places.tolist()
    ]
    assert len(same) > 100  # others were dated again
    assert all(same)
