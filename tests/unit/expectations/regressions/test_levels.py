"""Which level shifts count: with coarse figures, and new ones among many series."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
import pytest

from expectations.regressions.finding import LEVEL, SLOPE, Finding, Key
from expectations.regressions.levels import find_level_shifts
from expectations.regressions.triage import triage
from tests.kit.cases import cases
from tests.kit.regression_rows import series

KEY = Key("simulated", "nightly", "c1", "cpu_seconds")


def found_in(plain: Iterable[float], noise: float = 0.0) -> list[Finding]:
    """Return the level shifts of a series with this noise."""
    values = np.array([*plain])
    values += np.random.default_rng(4).normal(0, noise, values.size)
    return find_level_shifts([series(values, KEY)], 1.0)[0]


@cases
def test_shift_of_a_coarse_figure_is_counted(after: float, runs: int, found: int) -> None:
    random = np.random.default_rng(3)
    values = [0.14 + 0.01 * (random.random() < 0.1) for _ in range(20)]
    values += [after + 0.01 * (random.random() < 0.1) for _ in range(runs)]
    findings, _, ranges = find_level_shifts([series(values, KEY)], 1.0)
    assert len(findings) == found
    assert ranges == [None]


@cases
def test_one_unit_more_of_one_run_is_no_suspicion(last: float, found: int) -> None:
    assert len(found_in([20.0] * 30 + [last])) == found


@cases
def test_metric_of_two_values_is_reported(before: float, after: float, size: str | None) -> None:
    findings = found_in([before] * 20 + [after] * 10)
    assert [f.onset_run_id for f in findings] == ["r20"] * (size is not None)
    assert all(size in f.message for f in findings if size)


def test_last_digit_that_flickers_is_no_shift() -> None:
    flickers = [0.0973 + 0.0051 * of for of in (1, 0, 1, 0, 1, 1, 1, 0, 1)]
    assert found_in([0.0973] * 30 + flickers) == []


def test_three_constant_levels_are_no_grid() -> None:
    findings = found_in([256.0] * 15 + [512.0] * 15 + [768.0] * 15)
    assert [f.onset_run_id for f in findings] == ["r15", "r30"]


@cases
def test_a_level_that_was_there_before_is_not_worse(
    levels: tuple[float, ...], found: list[str]
) -> None:
    plain = [of for n, of in zip(levels[::2], levels[1::2], strict=True) for _ in range(int(n))]
    assert [finding.onset_run_id for finding in found_in(plain, 0.05)] == found


@pytest.mark.parametrize(("after", "found"), [(5.0, []), (6.0, ["r40"])])
def test_the_end_of_an_improvement_is_no_regression(after: float, found: list[str]) -> None:
    plain = np.concatenate([np.full(30, 5.0), 5.0 - 0.1 * np.arange(10), np.full(20, after)])
    assert [finding.onset_run_id for finding in found_in(plain, 0.05)] == found


@cases
def test_a_slope_without_a_level_before_it_has_to_be_long(
    level: int, line: int, found: int
) -> None:
    """The first runs of a series that wanders are as straight."""
    plain = np.concatenate([np.full(level, 5.0), 5.0 + 0.1 * np.arange(line)])
    assert [finding.kind for finding in found_in(plain, 0.05)] == [SLOPE] * found


def test_shift_and_adjacent_levels_are_returned() -> None:
    noise = np.random.default_rng(4).normal(0, 0.05, 40)
    values = [5.0 + 2.0 * (i >= 20) + of for i, of in enumerate(noise)]
    findings, levels, _ = find_level_shifts([series(values, KEY)], 1.0)
    (finding,) = findings
    assert (finding.onset_run_id, finding.last_good_run_id, finding.recovery) == (
        "r20",
        "r19",
        None,
    )
    assert finding.before == pytest.approx(np.mean(values[:20]))
    assert finding.after == pytest.approx(np.mean(values[20:]))
    assert [(at.start, at.value) for at in levels[0]] == [(0, finding.before), (20, finding.after)]


@pytest.mark.parametrize(("p_value", "events"), [(1e-4, 0), (4e-6, 1)])
def test_new_findings_are_tested_against_all_series_of_their_campaign(
    p_value: float, events: int
) -> None:
    one = series([1.0] * 40, KEY)
    judged = {Key("simulated", "nightly", f"c{i}"): (one, []) for i in range(1000)}
    judged |= {Key("simulated", "another", f"c{i}"): (one, []) for i in range(20_000)}
    of = (LEVEL, KEY, "A", "r20", one.starts[20], "r20", 21)
    finding = Finding(*of, before=1.0, after=2.0, p_value=p_value)
    runs = pl.DataFrame({"origin": ["simulated"], "campaign": ["nightly"], "run_id": ["r20"],
                         "start_utc": [one.starts[20]], "build_no": [21],
                         "build": ["r20"]})  # fmt: skip
    assert len(triage([finding], [], judged, runs, "b", lambda of: of)) == events
