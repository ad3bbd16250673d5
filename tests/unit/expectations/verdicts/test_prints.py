"""Samples against prints and claims."""

import math

import numpy as np
import pytest

from expectations.verdicts.prints import (
    against_claim,
    against_print,
    figure_of,
    rounding,
)
from tests.kit.cases import cases


@cases
def test_a_print_agrees_or_differs(values, low, high, digits, verdict, source):
    judged = against_print(values, None, low, high, rounding=rounding(digits))
    assert (judged.verdict, judged.noise_source) == (verdict, source)
    assert judged.low <= judged.estimate <= judged.high


@pytest.mark.parametrize("runs", [1, 3, 10])
def test_runs_of_a_document_seldom_differ_from_it_and_others_do(runs):
    """Runs and print with a standard deviation of 2.2 %; then 10 % off."""
    random = np.random.default_rng(runs)
    prints = 100 * np.exp(0.022 * random.normal(size=1_000))
    drawn = 100 * np.exp(0.022 * random.normal(size=(1_000, runs)))
    verdicts = [against_print(row, of).verdict for row, of in zip(drawn, prints, strict=True)]
    off = [against_print(1.1 * row, of).verdict for row, of in zip(drawn, prints, strict=True)]
    assert np.mean([verdict == "differs" for verdict in verdicts]) <= 0.06
    assert np.mean([verdict == "undecided" for verdict in verdicts]) < 0.1
    assert np.mean([verdict == "differs" for verdict in off]) >= 0.8


def test_noisy_runs_are_undecided_and_more_of_them_decide():
    judged = against_print([100, 109, 96], 104)
    assert (judged.verdict, judged.noise_source) == ("undecided", "own runs")
    assert against_print([100, 160, 60], 104).more_runs is None
    assert judged.more_runs is not None
    random = np.random.default_rng(1)
    runs = 3 + judged.more_runs
    reached = [
        against_print(100 * np.exp(judged.noise * random.normal(size=runs)), 100).verdict
        for _ in range(100)
    ]
    assert reached.count("undecided") <= 65  # about half: the noise shown stands for the true one


@cases
def test_a_claim(figures, claim, verdict):
    samples = [figure_of(figure, figure, [[figure]]) for figure in figures]
    judged = against_claim(samples, **claim)
    assert judged.verdict == verdict
    assert judged.low < judged.estimate == judged.candidate < judged.high


def test_runs_that_scatter_decide_no_claim():
    scattered = figure_of(100, 100, [[60, 140]])
    assert scattered.noise_source == "own runs"
    assert against_claim([scattered], 104, 104).verdict == "undecided"
    assert against_claim([figure_of(100, 100, [[99, 101]])], 104, 104).verdict == "agrees"


def test_what_says_nothing_is_refused():
    with pytest.raises(ValueError, match="no runs"):
        against_print([math.nan], 1)
    with pytest.raises(ValueError, match="a bound"):
        against_claim([])
