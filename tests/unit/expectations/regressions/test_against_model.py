"""Which levels are called outside the band of a model, of many that are judged at once."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from expectations.regressions.against_model import find_outside_band
from expectations.regressions.finding import Key
from expectations.regressions.present import Level
from tests.kit.cases import cases
from tests.kit.regression_rows import series as series_of

END = NormalDist().inv_cdf(0.9)  # of a 10-90 % band, in standard deviations


def outside(errors: list[float], *, more_is_better: bool = False) -> list[int]:
    """Return which of these levels are named, off by so many standard deviations for the worse."""
    sign = -1 if more_is_better else 1
    series = [
        series_of([100 + sign * error] * 3, Key("measured", "n", f"{n}", "rate"),
                  more_is_better=more_is_better)
        for n, error in enumerate(errors)
    ]  # fmt: skip
    bands = pl.DataFrame({
        "configuration_id": [f"{n}" for n in range(len(errors))], "metric": "rate", "unit": "s",
        "predicted": 100.0, "low": 100 - END, "high": 100 + END,
    })  # fmt: skip
    levels = [[Level(0, one.values[0])] for one in series]
    return [int(f.key.configuration_id) for f in find_outside_band(series, levels, bands)]


@pytest.mark.parametrize("more_is_better", [False, True])
@cases
def test_more_levels_need_more_evidence_each(
    errors: list[float], named: list[int], more_is_better: bool
) -> None:
    assert outside(errors, more_is_better=more_is_better) == named


def test_a_right_model_is_contradicted_in_one_build_in_twenty() -> None:
    random = np.random.default_rng(1)
    named = [bool(outside(random.normal(size=20).tolist())) for _ in range(1000)]
    assert np.mean(named) == pytest.approx(0.05, abs=0.02)
