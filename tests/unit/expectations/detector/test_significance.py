"""p-values corrected for the search and for many series."""

import numpy as np
import pytest

from expectations.detector.significance import (
    adjust_for_many,
    excursion_p_value,
    normal_score,
    search_p_value,
)


def test_search_p_values_agree_with_andrews_table():
    # Critical values of sup-Wald at 5 % and 1 %, 15 % trimmed, one parameter: D. W. K. Andrews,
    # Econometrica 61 (1993), table 1, as corrected in 71 (2003).
    p = search_p_value(np.sqrt([8.68, 12.16]), 1000, 150)
    assert p == pytest.approx([0.05, 0.01], rel=0.15)


def test_noise_reaches_a_score_no_more_often_than_its_p_value():
    rows = np.random.default_rng(2).normal(size=(4000, 200))
    sums = np.cumsum(rows - rows.mean(axis=1, keepdims=True), axis=1)[:, 4:195]
    left = np.arange(5, 196)
    best = np.max(np.abs(sums) / np.sqrt(left * (200 - left) / 200), axis=1)
    share = np.mean(search_p_value(best, 200, 5) <= 0.05)
    assert share == pytest.approx(0.05, abs=0.01)  # three standard errors


def test_noise_has_an_excursion_no_more_often_than_its_p_value():
    count, least = 60, 3
    rows = np.random.default_rng(2).normal(size=(4000, count))
    sums = np.cumsum(np.pad(rows - rows.mean(axis=1, keepdims=True), ((0, 0), (1, 0))), axis=1)
    best = np.zeros(len(rows))
    for size in range(least, count - least + 1):
        means = np.abs(sums[:, size:] - sums[:, :-size]).max(axis=1)
        best = np.maximum(best, means * np.sqrt(count / (size * (count - size))))
    for level in (0.05, 0.01):
        share = np.mean(excursion_p_value(best, count, least) <= level)
        assert share == pytest.approx(level, rel=0.4)
    assert excursion_p_value(4.5, count, least) > search_p_value(4.5, count, least)


def test_p_values_fall_with_the_score_and_stay_within_bounds():
    p = search_p_value(np.linspace(0, 50, 200), 200, 5)
    assert np.all(np.diff(p) <= 1e-12)
    assert np.all((p >= 0) & (p <= 1))


def test_two_terms_need_more_evidence_than_one():
    assert search_p_value(4.0, 200, 5, terms=2) > search_p_value(4.0, 200, 5)


def test_t_of_few_points_is_less_significant():
    few, many = normal_score(3.0, [4.0, 1e6])
    assert few == pytest.approx(2.054, abs=0.01)  # t4: 0.0200 in one tail
    assert many == pytest.approx(3.0, abs=1e-3)


def test_benjamini_hochberg_agrees_with_hand_calculation():
    # Three p-values: harmonic number 11/6; p * 3 / rank * 11/6, then the cumulative minimum.
    adjusted = adjust_for_many([0.01, 0.04, 0.03])
    assert adjusted == pytest.approx([0.03, 0.04, 0.04])


def test_adjusted_p_values_keep_order_and_bounds():
    p = np.random.default_rng(1).random(50)
    adjusted = adjust_for_many(p)
    assert np.array_equal(np.argsort(p, kind="stable"), np.lexsort((p, adjusted)))
    assert np.all((adjusted >= p) & (adjusted <= 1))
    assert adjust_for_many([]).size == 0
