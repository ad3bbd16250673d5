"""Shrunken effects: zero without data, the mean with much data, none for unknown levels."""

import numpy as np
import polars as pl
import pytest

from models_sim.base import effects
from models_sim.base.effects import KNOTS, Term

TERM = Term("path", ("source",), 0.0)


def rows(source: str, size: int, count: int) -> pl.DataFrame:
    return pl.DataFrame({"source": [source] * count, "file_size_mb": [size] * count})


def fitted(frame: pl.DataFrame, residual: float, sd: float = 0.1, noise: float = 0.1):
    found = effects.fit(
        frame,
        np.full(frame.height, residual),
        np.full(frame.height, noise),
        (TERM,),
        {"path": sd},
        0.0,
        [str(i) for i in range(frame.height)],
    )
    return {p.name: p.value for p in effects.as_parameters("rate", found, "table 1")}


@pytest.mark.parametrize("count", [1, 4, 100])
def test_an_effect_is_the_mean_shrunk_by_its_variance(count):
    # n observations of variance v, prior variance s: mean * n s / (n s + v)
    parameters = fitted(rows("USS", 10, count), 0.2)
    expected = 0.2 * count * 0.01 / (count * 0.01 + 0.01)
    assert parameters["rate path: USS @ 10 MB"] == pytest.approx(expected)
    assert parameters["rate path: USS @ 1 MB"] == pytest.approx(0.0)


def test_an_unknown_level_has_no_effect():
    parameters = fitted(rows("USS", 10, 5), 0.2)
    total, known = effects.apply(rows("xLinux", 10, 2), "rate", (TERM,), parameters)
    assert total.tolist() == [0.0, 0.0]
    assert known["path"].tolist() == [0.0, 0.0]


def test_an_effect_between_knots_is_linear_in_log_size():
    weights = effects.hats(np.array([1.0, 10.0**0.5, 10.0, 1e6, 0.1]))
    assert weights[1] == pytest.approx([0.5, 0.5, 0.0, 0.0])
    assert weights.sum(axis=1) == pytest.approx(np.ones(5))
    assert weights[0] == pytest.approx([1, 0, 0, 0])
    assert weights[3] == pytest.approx([0, 0, 0, 1])  # flat outside
    assert weights.shape == (5, len(KNOTS))


def test_rows_of_one_session_count_less_than_rows_of_several():
    frame = rows("USS", 10, 4)
    arguments = (frame, np.full(4, 0.2), np.full(4, 0.05), (TERM,), {"path": 0.1}, 0.1)
    one = effects.fit(*arguments, ["a"] * 4)["path", "USS", 10]
    many = effects.fit(*arguments, ["a", "b", "c", "d"])["path", "USS", 10]
    assert 0 < one < many < 0.2
