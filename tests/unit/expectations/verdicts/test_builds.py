"""The noise between builds is that of the pair's own builds, else of its kind's noisiest."""

import math

import pytest

from expectations.detector.history import Noise
from expectations.verdicts.builds import borrow_noise, noise_between
from expectations.verdicts.measure import SHARE, Measure  # noqa: F401 (cases)
from expectations.verdicts.verdict import FAMILY, SERIES  # noqa: F401 (cases)
from tests.kit.cases import cases

NOISES = [Noise(i / 100, 0.01, 20.0, 60.0, 21) for i in (1, 3, 2)]


@cases
def test_a_pair_without_enough_builds_borrows(own, kinds, noise, source):
    """Of the last pair."""
    assert borrow_noise(own, kinds)[-1] == (noise, source)


@cases
def test_builds_that_go_up_and_down_vary_by_that(measure, figures):
    """By two per cent of what is judged, whatever that is: a figure of zero has no logarithm."""
    noise = noise_between([[[figure] for figure in figures]], measure)
    assert noise is not None
    assert noise.between == pytest.approx(math.log(1.02) / 1.645 / 2**0.5, rel=1e-3)
    assert noise_between([[[figure] for figure in figures[:5]]], measure) is None
