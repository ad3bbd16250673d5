"""Shifts in the last runs of a series."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from expectations.detector.early import Early, early_shifts, last_runs
from tests.bench.detector import noise

SERIES, BEFORE = 400, 60


def alarms(rows: np.ndarray, family: int = 100) -> list[Early | None]:
    of = len(rows)
    signs = [1.0] * of
    runs = last_runs(list(rows), [0] * of, [0.0] * of, signs)
    families = [i // family for i in range(of)]
    return early_shifts(runs, [rows.shape[1]] * of, signs, families, Counter(families))


def shifted(size: float, runs: int) -> np.ndarray:
    rows = np.random.default_rng(1).normal(size=(SERIES, BEFORE + runs))
    rows[:, BEFORE:] += size
    return rows


@pytest.mark.parametrize(("size", "runs", "least"), [(5, 2, 0.9), (20, 1, 1.0)])
def test_a_clear_shift_is_found_in_its_first_runs(size: float, runs: int, least: float) -> None:
    found = [one for one in alarms(shifted(size, runs)) if one]
    assert len(found) >= least * SERIES
    assert np.mean([one.index == BEFORE for one in found]) > 0.95
    assert np.mean([one.after - one.before for one in found]) == pytest.approx(size, abs=0.3)


@pytest.mark.parametrize("size", [0.0, -20.0])
def test_noise_and_shifts_for_the_better_are_not_found(size: float) -> None:
    assert not any(alarms(shifted(size, 2)))


@pytest.mark.parametrize("kind", ["Student t3", "log-normal", "rare mode"])
def test_noise_with_a_long_tail_is_suspected_in_few_looks(kind: str) -> None:
    """A family of a hundred series shows its tail: without that, it is in one look of five."""
    rows = noise(kind, 20_000, BEFORE, np.random.default_rng(2))
    found = np.array([one is not None for one in alarms(rows)]).reshape(-1, 100)
    assert found.any(axis=1).mean() <= 0.05


def test_a_run_as_far_off_as_an_earlier_one_is_not_found() -> None:
    rows = shifted(15.0, 1)
    rows[:, 7] += 12
    assert not any(alarms(rows))


def test_a_short_level_has_no_shift() -> None:
    assert not any(alarms(shifted(20.0, 1)[:, -12:]))
