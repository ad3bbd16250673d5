"""How much a series varies, and what changes its runs can show."""

from __future__ import annotations

import numpy as np
import pytest

from expectations.detector import noise_of
from expectations.detector.variation import RUNS, SeriesNoise, noises
from expectations.verdicts.measure import Measure
from expectations.verdicts.samples import Between, compare
from tests.kit.cases import cases


def made(
    runs: int = 60, noise: float = 0.02, *, between: float = 0.0, times: int = 1, seed: int = 0
) -> tuple[np.ndarray, list[str]]:
    random = np.random.default_rng(seed)
    of_builds = np.repeat(random.normal(0, between, runs // times), times)
    values = 100 * np.exp(of_builds + random.normal(0, noise, runs))
    return values, [f"b{i // times:03}" for i in range(runs)]


def of(values: np.ndarray, builds: list[str]) -> SeriesNoise:
    (found,) = noises([(values.tolist(), builds)])
    return found


@pytest.mark.parametrize("noise", [0.005, 0.02, 0.06])
def test_the_noise_of_a_run_is_known(noise: float) -> None:
    found = of(*made(noise=noise))
    assert found.run == pytest.approx(100 * noise, rel=0.25)
    assert (found.runs, found.builds, found.modes, found.shifts) == (60, 60, 1, 0)
    assert (found.within, found.between) == (None, None)  # one run a build tells nothing of them
    assert found.behaviour == "steady"


@cases
def test_the_noise_between_builds_is_told_from_that_of_their_runs(
    within: float, between: float
) -> None:
    found = of(*made(150, within, between=between, times=3))
    assert found.within == pytest.approx(100 * within, rel=0.25)
    assert found.between == pytest.approx(100 * between, abs=1.0)


def test_a_change_of_the_level_is_no_noise() -> None:
    values, builds = made(noise=0.01)
    values[30:] *= 1.3
    found = of(values, builds)
    assert found.shifts == 1
    assert found.run == pytest.approx(1.0, rel=0.3)
    assert np.allclose([found.levels[0], found.levels[-1]], [100, 130], rtol=0.01)


def test_two_modes_are_told_with_their_distance() -> None:
    values, builds = made(noise=0.004)
    values[np.random.default_rng(1).random(60) < 0.4] *= 1.06
    found = of(values, builds)
    assert found.modes == 2
    assert found.modes_apart == pytest.approx(6, abs=0.5)


@pytest.mark.parametrize("seed", range(5))
def test_normal_noise_has_one_mode(seed: int) -> None:
    assert of(*made(seed=seed)).modes == 1


def test_a_series_that_wanders_and_one_that_drifts_are_told_from_a_steady_one() -> None:
    random = np.random.default_rng(2)
    values = 100 * np.exp(np.cumsum(random.normal(0, 0.02, 100)))
    assert of(values, [str(i) for i in range(100)]).behaviour in {"wanders", "drifts"}
    leak = 100 * 1.01 ** np.arange(60) * np.exp(random.normal(0, 0.01, 60))
    assert of(leak, [str(i) for i in range(60)]).behaviour == "drifts"


@pytest.mark.parametrize("runs", RUNS)
def test_the_smallest_change_is_shown_by_so_many_runs_in_nine_cases_of_ten(runs: int) -> None:
    """Over histories whose noise is known as well as 120 builds tell it; one run a build."""
    random = np.random.default_rng(runs)
    shown = []
    for seed in range(40):
        values, builds = made(120, 0.03, seed=seed)
        smallest, history = of(values, builds).smallest[runs], noise_of(values, builds)
        assert smallest is not None
        for _ in range(5):
            before, after = (100 * np.exp(random.normal(0, 0.03, runs)) for _ in "12")
            judged = compare(
                before, (1 + smallest / 100) * after, Measure(more_is_better=True),
                between=Between(history, builds=(runs, runs)), tolerance=0.0,
            )  # fmt: skip
            shown.append(judged.verdict == "better")
    assert 0.82 <= np.mean(shown) <= 0.97


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_few_runs_say_little_and_raise_nothing(runs: int) -> None:
    found = of(np.full(runs, 3.0), ["a"] * runs)
    assert found.behaviour == ""
    assert found.run in {None, 0.0}
    assert len(found.levels) == runs
