"""Runs that are far off more often than before."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector import find_changes_many
from expectations.detector.outliers import more_outliers
from expectations.detector.significance import NIGHTLY

SERIES, BEFORE, AFTER = 20, 60, 80


@pytest.mark.parametrize(
    ("before", "after", "size", "least", "most"),
    [
        (0.0, 0.3, 0.1, 12, 20),  # three nights in ten from then on
        (0.3, 0.3, 0.1, 0, 1),  # from the start on
        (0.0, 0.3, -0.1, 0, 1),  # better
        (0.0, 0.0, 0.1, 0, 1),
    ],
)
def test_runs_that_are_far_off_more_often_are_found(
    before: float, after: float, size: float, least: int, most: int
) -> None:
    random = np.random.default_rng(3)
    shares = np.repeat([before, after], [BEFORE, AFTER])
    far = random.random((SERIES, BEFORE + AFTER)) < shares
    rows = np.exp(random.normal(0, 0.02, far.shape)) * (1 + size * far)
    found = find_changes_many(rows, alpha=NIGHTLY, families=range(SERIES))
    told = [more_outliers(list(row), one, 1.0, NIGHTLY)
            for row, one in zip(rows, found, strict=True)]  # fmt: skip
    places = [change.index for change in told if change]
    levels = [one.changes for one in found if one.changes and one.changes[0].after > 1]
    assert least <= len(places) + len(levels) * (least > 0) <= most
    assert all(abs(place - BEFORE) <= 20 for place in places)
