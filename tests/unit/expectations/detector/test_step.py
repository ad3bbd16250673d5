"""The last step upwards."""

from __future__ import annotations

from expectations.detector.step import last_step
from tests.kit.cases import cases

FLAT = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]


@cases
def test_the_last_step_upwards_is_found(values: list[float], start: int) -> None:
    assert last_step(values, noise=0.5, level=1e-3) == start
