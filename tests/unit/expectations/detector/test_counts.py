"""Shifts of figures in whole units, by counts."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from expectations.detector.counts import count_p_value, last_digit


@pytest.mark.parametrize(
    ("before", "after", "chance"),
    [
        ([20] * 10, [21] * 5, 2 / comb(15, 5)),
        ([21] * 10, [20] * 5, 2 / comb(15, 5)),
        ([20] * 30, [20, 21, 21], 2 * comb(3, 2) / comb(33, 2)),
        ([20] * 10, [20] * 5, 1.0),
        ([20, 21] * 5, [20, 21] * 5, 1.0),
        # Two cuts, of which the better one counts twice.
        ([20] * 10, [21] * 4 + [22], 4 / comb(15, 5)),
    ],
)
def test_p_values_are_hypergeometric(before: list[int], after: list[int], chance: float) -> None:
    assert count_p_value(before, after, 1) == pytest.approx(chance)
    assert count_p_value(before, after, 7) == pytest.approx(min(7 * chance, 1))


def test_p_values_are_not_too_small_without_a_shift() -> None:
    random = np.random.default_rng(1)
    counts = random.binomial(2, 0.2, (4000, 40))
    p = np.array([count_p_value(row[:25], row[25:], 1) for row in counts])
    for level in (0.2, 0.05, 0.01):
        assert np.mean(p <= level) <= level


@pytest.mark.parametrize(
    ("values", "unit"),
    [([20.0, 21.0], 1.0), ([0.14, 0.1], 0.01), ([512.0], 1.0), ([1e-3], 1e-3), ([1 / 3], 1e-12),
     ([1e300, 20.0], 1.0), ([0.0], 1.0)],
)  # fmt: skip
def test_the_last_digit_is_that_of_the_finest_value(values: list[float], unit: float) -> None:
    assert last_digit(values) == pytest.approx(unit)
