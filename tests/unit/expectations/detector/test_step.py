"""The last step upwards."""

from __future__ import annotations

import pytest

from expectations.detector.step import last_step

FLAT = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("values", "start"),
    [
        (FLAT, 0),
        ([*FLAT, *(v + 9 for v in FLAT)], 6),
        ([*FLAT, *(v - 9 for v in FLAT)], 0),
        ([*FLAT, *(v + 9 for v in FLAT), *(v + 18 for v in FLAT)], 12),
        ([*FLAT, 900.0, *FLAT], 0),
        ([1.0, 2.0], 0),
    ],
)
def test_the_last_step_upwards_is_found(values: list[float], start: int) -> None:
    assert last_step(values, noise=0.5, level=1e-3) == start
