"""A leak is one regression, although it shows in many series, at many times, and as steps first."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector.drift import (
    is_part_of_drift,
    is_step_alone,
    is_step_as_well,
    looks_like_drift,
)
from tests.kit.cases import cases

NIGHTS, BEGINS = 70, 40
AT = np.arange(NIGHTS)
LEAK = np.maximum(AT - BEGINS + 1, 0)


def series(shape: np.ndarray, noise: float = 1.0) -> list[float]:
    """Return a series around 100 with a shape in it."""
    noises = np.random.default_rng(4).normal(0, noise, NIGHTS)
    return [float(value) for value in 100 + shape + noises]


def step(at: int, size: float = 6.0) -> np.ndarray:
    return size * (at <= AT)


@cases
def test_a_change_is_part_of_a_drift_if_one_line_says_as_much(
    shape: np.ndarray, onset: int, is_slope: bool, expected: bool
) -> None:
    assert is_part_of_drift(series(shape), BEGINS, onset, is_slope=is_slope) == expected
    if not is_slope:
        assert is_part_of_drift(series(shape), onset, BEGINS) == expected


@cases
def test_a_shift_that_goes_on_growing_looks_like_a_drift(shape: np.ndarray, expected: bool) -> None:
    assert looks_like_drift(series(shape), BEGINS, 55) == expected
    assert looks_like_drift(series(shape), 55, BEGINS) == expected  # the later one was told first


@cases
def test_a_slope_is_a_step_if_a_known_one_says_as_much(shape: np.ndarray, expected: bool) -> None:
    assert is_step_as_well(series(shape), BEGINS, 0) == expected


@cases
def test_a_step_stands_alone_if_no_drift_says_more(shape: np.ndarray, expected: bool) -> None:
    assert is_step_alone(series(shape), BEGINS, BEGINS - 2) == expected


@pytest.mark.parametrize("values", [np.zeros(NIGHTS), 0.3 * LEAK])
def test_series_without_noise_are_judged(values: np.ndarray) -> None:
    assert is_part_of_drift(series(values, 0.0), BEGINS, 52)
