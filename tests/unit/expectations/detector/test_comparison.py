"""compare: a candidate against a baseline, with few runs."""

import math

import numpy as np
import pytest
from scipy import stats

from expectations.detector import Noise, compare, compare_matched, noise_of
from tests.bench.detector import noise
from tests.kit.cases import cases


def test_interval_is_welchs():
    a, b = [100.0, 103, 99, 101], [108.0, 111, 104, 107, 110]
    result = compare(a, b, more_is_better=True)
    reference = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    interval = reference.confidence_interval(0.95)
    assert result.p_value == pytest.approx(reference.pvalue)
    assert (result.low, result.high) == pytest.approx(
        (math.exp(interval.low), math.exp(interval.high))
    )
    assert result.ratio == pytest.approx(stats.gmean(b) / stats.gmean(a))
    assert result.superiority == 1.0


def test_few_permutations_are_all_evaluated():
    result = compare([100, 101, 99], [110, 112, 109], more_is_better=True)
    assert result.permutation_p_value == pytest.approx(2 / 20)


@cases
def test_verdicts(baseline, candidate, more_is_better, verdict):
    result = compare(baseline, candidate, more_is_better=more_is_better)
    assert result.verdict == verdict
    assert (result.more_runs == 0) == (verdict != "not enough runs")


def test_one_run_per_side_gives_no_noise():
    result = compare([100], [110], more_is_better=True)
    assert (result.low, result.high) == (0.0, math.inf)
    assert math.isnan(result.noise)
    assert math.isnan(result.effect)
    assert result.more_runs == 2


def test_known_noise_is_used():
    result = compare([100], [120], more_is_better=True, known_noise=0.02, known_runs=50)
    assert result.verdict == "better"
    assert result.low > 1.1
    loud = compare([100], [120], more_is_better=True, known_noise=0.2, known_runs=50)
    assert loud.verdict == "not enough runs"


def test_more_runs_settle_the_comparison():
    random = np.random.default_rng(3)
    result = compare([100, 104, 97], [105, 108, 103], more_is_better=True)
    assert result.verdict == "not enough runs"
    runs = 3 + result.more_runs
    settled = sum(
        compare(
            100 * np.exp(result.noise * random.normal(size=runs)),
            100 * result.ratio * np.exp(result.noise * random.normal(size=runs)),
            more_is_better=True,
        ).verdict
        == "better"
        for _ in range(40)
    )
    assert settled >= 15  # about half: the observed difference stands for the true one
    assert result.more_runs <= 20


def test_failed_runs_do_not_count():
    result = compare([100, math.nan, 101], [99, 100, math.nan], more_is_better=True)
    assert (result.baseline_runs, result.candidate_runs) == (2, 2)


@cases
def test_invalid_runs_are_rejected(wrong):
    with pytest.raises(ValueError, match="candidate"):
        compare([1.0, 2.0], wrong, more_is_better=True)


@pytest.mark.parametrize(("kind", "runs"), [("Gaussian", 3), ("Student t3", 5), ("bimodal", 3)])
def test_equal_sides_are_seldom_called_different(kind, runs):
    sets = np.exp(0.02 * noise(kind, 200, runs, np.random.default_rng(11)))
    result = [
        compare(a, b, more_is_better=True) for a, b in zip(sets[::2], sets[1::2], strict=True)
    ]
    assert sum(c.verdict in {"better", "worse"} for c in result) <= 8


@pytest.mark.filterwarnings("error")
def test_very_noisy_runs_leave_a_wide_interval_and_no_warning():
    result = compare([1e-300, 1e300], [1e-300, 2e300], more_is_better=True)
    assert (result.low, result.high) == (0.0, math.inf)
    assert result.verdict == "not enough runs"


def test_sampled_permutations_are_reproducible():
    random = np.random.default_rng(5)
    a, b = np.exp(0.02 * random.normal(size=(2, 30)))
    first, second = (compare(a, 1.05 * b, more_is_better=True) for _ in range(2))
    assert first == second
    assert first.verdict == "better"
    assert first.permutation_p_value == pytest.approx(1e-4)


# --- the noise between builds ---------------------------------------------------------------


def builds_of(random, builds, runs, between, within=0.01):
    """Return runs (builds x runs) around 100 with noise between builds and within."""
    of_build = between * random.normal(size=(builds, 1))
    return 100 * np.exp(of_build + within * random.normal(size=(builds, runs)))


@cases
def test_equal_builds_are_seldom_different_with_their_history(between, runs):
    random, false = np.random.default_rng(4), 0
    for _ in range(200):
        rows = builds_of(random, 62, runs, between)
        names = [str(i) for i in range(60) for _ in range(runs)]
        history = noise_of(rows[:60].ravel(), names)
        result = compare(rows[60], rows[61], more_is_better=True, history=history)
        false += result.verdict in {"better", "worse"}
    assert false <= 16  # 5 % of 200, and three standard errors


def test_repetitions_of_one_build_do_not_show_the_noise_between_builds():
    random = np.random.default_rng(4)
    pairs = [builds_of(random, 2, 5, 0.02) for _ in range(100)]
    alone = [compare(a, b, more_is_better=True).verdict for a, b in pairs]
    assert sum(verdict != "not enough runs" for verdict in alone) > 30


def test_history_is_measured_and_not_moved_by_level_shifts():
    rows = builds_of(np.random.default_rng(2), 80, 4, 0.02)
    rows[40:] *= 1.3
    noise = noise_of(rows.ravel(), [str(i) for i in range(80) for _ in range(4)])
    assert noise.between == pytest.approx(0.02, rel=0.3)
    assert noise.within == pytest.approx(0.01, rel=0.15)
    assert noise_of([100.0] * 5, list("abcde")) is None


def test_one_run_a_side_is_decided_by_sixty_nights():
    nights = builds_of(np.random.default_rng(2), 60, 1, 0.02).ravel()
    history = noise_of(nights, [str(i) for i in range(60)])
    assert compare([100], [115], more_is_better=True, history=history).verdict == "better"
    undecided = compare([100], [103], more_is_better=True, history=history)
    assert undecided.verdict == "not enough runs"
    assert 1 <= undecided.more_runs <= 20


def test_more_runs_are_those_of_the_whole_family():
    weak = ([100, 104, 97, 101], [104, 107, 103, 101])
    random = np.random.default_rng(1)
    others = [100 * np.exp(0.02 * random.normal(size=(2, 4))) for _ in range(40)]
    alone = compare(*weak, more_is_better=True)
    family = compare_matched(
        [weak[0], *(a for a, _ in others)], [weak[1], *(b for _, b in others)], [True] * 41
    )[0]
    assert alone.verdict == family.verdict == "not enough runs"
    assert family.more_runs > alone.more_runs


HISTORY = Noise(between=0.02, within=0.01, freedom=20.0, within_freedom=60.0, builds=40)


def test_an_outlier_decides_nothing_though_the_history_has_none() -> None:
    runs = [100.0, 101.0, 99.0, 100.5, 100.0]
    slower = [*runs[:4], 150.0]
    assert judged(runs, slower, history=HISTORY) == "not enough runs"
    assert judged(slower, runs, history=HISTORY) == "not enough runs"
    # A side with the usual noise is judged with the noise of the history.
    assert judged(runs, [1.15 * run for run in runs], history=HISTORY) == "better"


def test_noise_of_runs_counts_once_where_builds_were_run_once() -> None:
    """Their differences have the noise of a run in them: the more runs, the less of it counts."""
    once = Noise(between=0.03, within=0.0, freedom=60.0, within_freedom=0.0, builds=120)
    runs = [98.0, 102.0, 100.0, 101.0, 99.0]
    found = compare(runs, [1.1 * run for run in runs], more_is_better=True, history=once)
    alone = compare(runs[2:3], [110.0], more_is_better=True, history=once)
    assert found.verdict == "better"
    assert alone.low < found.low < 1.1 < found.high < alone.high


@cases
def test_builds_of_which_nothing_is_known_vary_as_assumed(
    assumed: float, verdict: str, more: int | None
) -> None:
    runs = [100.0, 101.0, 99.0, 100.5, 100.0]
    found = compare(runs, [1.1 * run for run in runs], more_is_better=True, assumed=assumed)
    assert (found.verdict, found.more_runs) == (verdict, more)
    assert found.low < 1.1 < found.high
    many = compare(
        runs, [1.1 * run for run in runs], more_is_better=True, assumed=assumed, builds=(9, 9)
    )
    assert many.verdict == "better"


def judged(baseline: list[float], candidate: list[float], *, history: Noise) -> str:
    return compare(baseline, candidate, more_is_better=True, history=history).verdict
