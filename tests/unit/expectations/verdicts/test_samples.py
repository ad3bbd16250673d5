"""Two samples: a candidate against a baseline, with few runs, zeros, counts and shares."""

import math

import numpy as np
import pytest
from scipy import stats

from expectations.detector import Noise, noise_of
from expectations.metrics import measure_of
from expectations.verdicts.measure import COUNT, DIFFERENCE, SHARE, Measure
from expectations.verdicts.samples import Between, compare, compare_many
from tests.bench.detector import noise
from tests.kit.cases import cases

RATE, TIME = Measure(more_is_better=True), Measure(more_is_better=False)
ERRORS, OFFSET = Measure(COUNT, False), Measure(DIFFERENCE, None, "ms")
SUCCESS = Measure(SHARE, True, "%")


def test_interval_is_welchs():
    a, b = [100.0, 103, 99, 101], [108.0, 111, 104, 107, 110]
    result = compare(a, b, RATE)
    reference = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    interval = reference.confidence_interval(0.95)
    assert result.p_value == pytest.approx(reference.pvalue)
    ends = (interval.low, math.log(stats.gmean(b) / stats.gmean(a)), interval.high)
    assert (result.low, result.estimate, result.high) == pytest.approx(
        [100 * math.expm1(end) for end in ends]
    )
    assert (result.unit, result.noise_source) == ("%", "own runs")


@cases
def test_verdicts(baseline, candidate, measure, verdict):
    result = compare(baseline, candidate, measure)
    assert result.verdict == verdict
    assert (result.more_runs == 0) == (verdict != "undecided")


@cases
def test_every_figure_is_judged(baseline, candidate, measure, verdict, estimate, unit):
    """Zeros, figures of both signs, counts and shares, in the unit that the verdict names."""
    result = compare(baseline, candidate, measure)
    assert (result.verdict, result.unit) == (verdict, unit)
    assert result.estimate == pytest.approx(estimate, rel=0.01, abs=1e-9)
    assert result.low <= result.estimate <= result.high
    assert (result.baseline, result.candidate) == pytest.approx(
        (np.mean(baseline), np.mean(candidate)), rel=0.01
    )


@pytest.mark.parametrize("rate", [0.0, 0.5, 8.0])
def test_counts_of_equal_rates_are_seldom_different(rate):
    random = np.random.default_rng(2)
    sets = random.poisson(rate, (300, 2, 6))
    assert sum(compare(*both, ERRORS).verdict in {"better", "worse"} for both in sets) <= 12
    sets = random.negative_binomial(1, 1 / (1 + rate), (300, 2, 12))  # they come in bursts
    assert sum(compare(*both, ERRORS).verdict in {"better", "worse"} for both in sets) <= 21


def test_an_outlier_takes_no_power_and_is_named():
    random = np.random.default_rng(6)
    judged = []
    for _ in range(100):
        x, y = 100 * np.exp(0.01 * random.normal(size=(2, 5)))
        y *= 1.1
        y[random.integers(5)] *= random.choice([1.5, 1 / 1.5])
        judged.append(compare(x, y, RATE))
    assert sum(judgement.verdict == "better" for judgement in judged) >= 95
    assert "1 of 5 runs of the candidate left out as outliers" in judged[0].reason
    assert all(abs(judgement.estimate - 10) < 5 for judgement in judged)


@pytest.mark.parametrize("kind", ["Gaussian", "Student t3", "bimodal"])
def test_what_may_be_left_out_costs_little(kind):
    sets = np.exp(0.02 * noise(kind, 600, 5, np.random.default_rng(1)))
    judged = [compare(a, b, RATE) for a, b in zip(sets[::2], sets[1::2], strict=True)]
    assert sum("outliers" in judgement.reason for judgement in judged) <= 30
    assert (
        sum(judgement.verdict in {"better", "worse"} for judgement in judged) <= 22
    )  # 5 % and 2 errors


@pytest.mark.parametrize(
    ("runs", "apart", "least"), [(5, 3, 0.96), (5, 0, 0), (4, 4, 0.9), (10, 2, 0.95), (10, 0, 0)]
)
def test_power_and_size_of_two_builds(runs, apart, least):
    """Of noise of 3 % a run, for differences in units of it."""
    sets = 100 * np.exp(0.03 * np.random.default_rng(runs).normal(size=(300, 2, runs)))
    verdicts = [compare(x, y * math.exp(0.03 * apart), RATE).verdict for x, y in sets]
    share = np.mean([verdict in {"better", "worse"} for verdict in verdicts])
    assert share >= least if apart else share <= 0.07


def test_one_run_per_side_gives_no_noise():
    result = compare([100], [110], RATE)
    assert (result.low, result.high) == (-math.inf, math.inf)
    assert math.isnan(result.noise)
    assert math.isnan(result.effect)
    assert result.more_runs == 2


def test_more_runs_settle_the_comparison():
    random = np.random.default_rng(3)
    result = compare([100, 104, 97], [105, 108, 103], RATE)
    assert result.verdict == "undecided"
    runs = 3 + result.more_runs
    settled = sum(
        compare(
            100 * np.exp(result.noise * random.normal(size=runs)),
            100 * (1 + result.estimate / 100) * np.exp(result.noise * random.normal(size=runs)),
            RATE,
        ).verdict
        == "better"
        for _ in range(40)
    )
    assert settled >= 15  # about half: the observed difference stands for the true one
    assert result.more_runs <= 20


def test_failed_runs_do_not_count():
    result = compare([100, math.nan, 101], [99, 100, math.nan], RATE)
    assert (result.baseline_runs, result.candidate_runs) == (2, 2)


@cases
def test_invalid_runs_are_rejected(wrong):
    with pytest.raises(ValueError, match="candidate"):
        compare([1.0, 2.0], wrong, RATE)


@pytest.mark.parametrize(("kind", "runs"), [("Gaussian", 3), ("Student t3", 5), ("bimodal", 3)])
def test_equal_sides_are_seldom_called_different(kind, runs):
    sets = np.exp(0.02 * noise(kind, 200, runs, np.random.default_rng(11)))
    result = [compare(a, b, RATE) for a, b in zip(sets[::2], sets[1::2], strict=True)]
    assert sum(c.verdict in {"better", "worse"} for c in result) <= 8


@pytest.mark.filterwarnings("error")
def test_very_noisy_runs_leave_a_wide_interval_and_no_warning():
    result = compare([1e-300, 1e300], [1e-300, 2e300], RATE)
    assert (result.low, result.high) == (-100, math.inf)
    assert result.verdict == "undecided"


def test_sampled_permutations_are_reproducible():
    random = np.random.default_rng(5)
    a, b = np.exp(0.02 * random.normal(size=(2, 30)))
    first, second = (compare(a, 1.05 * b, RATE) for _ in range(2))
    assert first == second
    assert first.verdict == "better"


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
        result = compare(rows[60], rows[61], RATE, between=Between(history))
        false += result.verdict in {"better", "worse"}
    assert false <= 16  # 5 % of 200, and three standard errors


def test_repetitions_of_one_build_do_not_show_the_noise_between_builds():
    random = np.random.default_rng(4)
    pairs = [builds_of(random, 2, 5, 0.02) for _ in range(100)]
    alone = [compare(a, b, RATE).verdict for a, b in pairs]
    assert sum(verdict != "undecided" for verdict in alone) > 30


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
    assert compare([100], [115], RATE, between=Between(history)).verdict == "better"
    undecided = compare([100], [103], RATE, between=Between(history))
    assert undecided.verdict == "undecided"
    assert 1 <= undecided.more_runs <= 20


def test_more_runs_are_those_of_the_whole_family():
    weak = ([100, 104, 97, 101], [104, 107, 103, 101])
    random = np.random.default_rng(1)
    others = [100 * np.exp(0.02 * random.normal(size=(2, 4))) for _ in range(40)]
    alone = compare(*weak, RATE)
    family = compare_many(
        [weak[0], *(a for a, _ in others)], [weak[1], *(b for _, b in others)], [RATE] * 41
    )[0]
    assert alone.verdict == family.verdict == "undecided"
    assert family.more_runs > alone.more_runs


HISTORY = Noise(between=0.02, within=0.01, freedom=20.0, within_freedom=60.0, builds=40)


def test_an_outlier_decides_nothing_though_the_history_has_none() -> None:
    runs = [100.0, 101.0, 99.0, 100.5, 100.0]
    slower = [*runs[:4], 150.0]
    assert judged(runs, slower) == "undecided"
    assert judged(slower, runs) == "undecided"
    # A side with the usual noise is judged with the noise of the history.
    assert judged(runs, [1.15 * run for run in runs]) == "better"


def test_noise_of_runs_counts_once_where_builds_were_run_once() -> None:
    """Their differences have the noise of a run in them: the more runs, the less of it counts."""
    once = Noise(between=0.03, within=0.0, freedom=60.0, within_freedom=0.0, builds=120)
    runs = [98.0, 102.0, 100.0, 101.0, 99.0]
    wide = compare(runs, [1.1 * run for run in runs], RATE, between=Between(once))
    alone = compare(runs[2:3], [110.0], RATE, between=Between(once))
    assert wide.verdict == "better"
    assert alone.low < wide.low < 10 < wide.high < alone.high


@cases
def test_builds_of_which_nothing_is_known_vary_as_assumed(
    assumed: float, verdict: str, more: int | None
) -> None:
    runs = [100.0, 101.0, 99.0, 100.5, 100.0]
    wide = compare(runs, [1.1 * run for run in runs], RATE, between=Between(assumed=assumed))
    assert (wide.verdict, wide.more_runs) == (verdict, more)
    assert wide.low < 10 < wide.high
    many = compare(
        runs, [1.1 * run for run in runs], RATE, between=Between(assumed=assumed, builds=(9, 9))
    )
    assert many.verdict == "better"


def judged(baseline: list[float], candidate: list[float]) -> str:
    return compare(baseline, candidate, RATE, between=Between(HISTORY)).verdict


@cases
def test_the_measure_of_a_metric(
    metric: str, unit: str, more_is_better: bool | None, kind: str
) -> None:
    assert measure_of(metric, unit, more_is_better).kind == kind
