"""Shifts of figures in whole units, by counts."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector.counts import count_p_value, last_digit
from tests.kit.cases import cases


@cases
def test_p_values_are_hypergeometric(before: list[int], after: list[int], chance: float) -> None:
    assert count_p_value(before, after, 1) == pytest.approx(chance)
    assert count_p_value(before, after, 7) == pytest.approx(min(7 * chance, 1))


def test_p_values_are_not_too_small_without_a_shift() -> None:
    random = np.random.default_rng(1)
    counts = random.binomial(2, 0.2, (4000, 40))
    p = np.array([count_p_value(row[:25], row[25:], 1) for row in counts])
    for level in (0.2, 0.05, 0.01):
        assert np.mean(p <= level) <= level


@cases
def test_the_last_digit_is_that_of_the_finest_value(values: list[float], unit: float) -> None:
    assert last_digit(values) == pytest.approx(unit, rel=1e-9, abs=0)
