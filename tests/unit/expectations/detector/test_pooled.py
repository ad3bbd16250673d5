"""Shifts that many series have at once."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector.pooled import evidence, probabilities, spread_together
from tests.kit.cases import cases

ALARM = np.log(1000)


@cases
def test_shifts_that_none_shows_alone_are_evident_together(
    series: int, moved: int, size: float, least: float
) -> None:
    scores = np.random.default_rng(1).normal(size=(200, series))
    scores[:, :moved] += size
    assert np.mean([evidence(row) >= ALARM for row in scores]) >= least


@pytest.mark.parametrize("series", [5, 200])
def test_alarms_without_a_shift_are_as_rare_as_stated(series: int) -> None:
    scores = np.random.default_rng(1).normal(size=(5_000, series))
    told = np.array([evidence(row) for row in scores])
    for alpha in (0.05, 0.01):
        assert np.mean(told >= -np.log(alpha)) <= alpha


def test_one_series_alone_is_no_evidence() -> None:
    scores = np.full(30, 0.0)
    scores[0] = 40.0
    assert evidence(scores) < ALARM
    scores[1:25] = np.nan
    assert evidence(scores) < ALARM


def test_members_are_likely_and_others_are_not() -> None:
    scores = np.concatenate([np.full(10, 3.0), np.full(20, -0.5), [np.nan]])
    likely = probabilities(scores)
    assert likely[:10].min() > 0.9
    assert likely[10:].max() < 0.1


@pytest.mark.parametrize("common", [0.0, 0.5, 1.0])
def test_what_series_have_in_common_is_measured_with_caution(common: float) -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        rest = random.normal(size=(30, 60)) + common * random.normal(size=60)
        rest[:3, ::2] = np.nan
        assert 0.8 * common <= spread_together(rest) <= 1.5 * common + 0.2


def test_one_build_has_nothing_to_tell() -> None:
    assert spread_together(np.ones((5, 1))) == 0.0
