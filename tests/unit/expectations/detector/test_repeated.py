"""Which shifts builds that ran again show."""

from __future__ import annotations

from expectations.detector.repeated import shown_by_repeats
from tests.kit.cases import cases


@cases
def test_builds_that_ran_again_part_what_came_with_time(
    repeats: list[tuple[float, int, int]], steps: list[float], shown: list[bool]
) -> None:
    assert shown_by_repeats(repeats, steps, noise=1.0) == shown
