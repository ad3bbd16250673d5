"""Quantiles of mixtures compared with closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models_sim.models.linux import mixtures
from tests.kit.cases import cases


@cases
def test_normal_cdf(x: float, expected: float) -> None:
    assert mixtures.normal_cdf(np.array([x]))[0] == pytest.approx(expected, abs=1e-6)


@given(st.floats(-6, 6))
def test_normal_cdf_matches_the_error_function(x: float) -> None:
    exact = 0.5 * math.erfc(-x / math.sqrt(2))
    assert mixtures.normal_cdf(np.array([x]))[0] == pytest.approx(exact, abs=2e-7)


def test_single_state_is_log_normal() -> None:
    got = mixtures.quantile(np.array([[10.0]]), np.ones((1, 1)), np.array([0.1]), 0.9)
    assert got[0] == pytest.approx(10.0 * math.exp(0.128155), rel=1e-5)


def test_distant_states_are_separated() -> None:
    median, weights = np.array([[1.0, 100.0]]), np.array([[0.7, 0.3]])
    sd = np.array([0.01])
    low, middle, high = (mixtures.quantile(median, weights, sd, q)[0] for q in (0.1, 0.5, 0.9))
    assert low == pytest.approx(1.0, rel=0.02)
    assert middle == pytest.approx(1.0, rel=0.02)
    assert high == pytest.approx(100.0, rel=0.02)


def test_smallest_of_equal_figures() -> None:
    """The median of the smallest of n is the quantile 1 - 2^(-1/n) of one."""
    sd = np.full((1, 4), 0.2)
    got = mixtures.smallest_quantile(np.full((1, 4, 1), 5.0), np.ones((1, 4, 1)), sd, 0.5)
    one = mixtures.quantile(np.array([[5.0]]), np.ones((1, 1)), np.array([0.2]), 1 - 0.5 ** (1 / 4))
    assert got[0] == pytest.approx(one[0], rel=1e-6)


def test_probabilities_of_being_the_smallest() -> None:
    sd = np.full((2, 3), 0.1)
    median = np.array([[[5.0], [5.0], [5.0]], [[1.0], [5.0], [9.0]]])
    chance = mixtures.chance_of_smallest(median, np.ones((2, 3, 1)), sd)
    assert chance.sum(axis=1) == pytest.approx([1.0, 1.0])
    assert chance[0] == pytest.approx(np.full(3, 1 / 3), abs=1e-3)
    assert chance[1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)


def test_probability_for_two_figures_matches_the_normal_difference() -> None:
    sd = np.array([[0.1, 0.1]])
    chance = mixtures.chance_of_smallest(np.array([[[1.0], [1.1]]]), np.ones((1, 2, 1)), sd)
    exact = 0.5 * math.erfc(-math.log(1.1) / (0.1 * math.sqrt(2)) / math.sqrt(2))
    assert chance[0, 0] == pytest.approx(exact, abs=2e-3)
