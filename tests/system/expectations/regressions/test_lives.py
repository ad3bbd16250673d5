"""The lives of regressions in a few trials; `python -m tests.bench lives` has many."""

from __future__ import annotations

import pytest

from tests.bench.lives import LIVES, lived

TRIALS, EVERY = 4, 3  # checks: one of so many of the benchmark
MANY = 10  # series of a trial: half as many trials


@pytest.mark.parametrize("name", LIVES)
def test_a_life_is_told_right(name: str) -> None:
    life = LIVES[name]
    trials = TRIALS if life.series < MANY else TRIALS // 2
    told = [life.is_right(story) for story in lived(life, trials, seed=3, every=EVERY)]
    assert sum(told) >= (TRIALS - 1) / TRIALS * trials
