"""The least change worth reporting, by metric and campaign."""

from __future__ import annotations

from pathlib import Path

import pytest

from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from expectations.thresholds import Threshold, Thresholds, read_thresholds
from ingest.base.errors import SettingsError
from tests.kit.cases import cases
from tests.kit.nights import build

RULES = Path(__file__).with_name("thresholds.toml")


@cases
def test_the_last_rule_that_fits_counts(
    metric: str, campaign: str, percent: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_THRESHOLDS", str(RULES))
    thresholds = read_thresholds(1.0)
    assert thresholds.least_percent(metric, campaign) == percent
    assert thresholds.least == 0.5


def test_without_a_file_every_series_has_the_usual_threshold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PERFHOUSE_THRESHOLDS", raising=False)
    assert read_thresholds(1.0) == Thresholds(1.0)


@cases
def test_a_file_that_cannot_be_used_is_refused_in_a_line(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.toml"
    file.write_text(text)
    monkeypatch.setenv("PERFHOUSE_THRESHOLDS", str(file))
    with pytest.raises(SettingsError, match=reason) as caught:
        read_thresholds(1.0)
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("PERFHOUSE_THRESHOLDS", str(tmp_path / "none"))
    with pytest.raises(SettingsError, match="no such file"):
        read_thresholds(1.0)


@cases
def test_smaller_changes_are_not_told(
    percent: float | None, told: set[str], tmp_path: Path
) -> None:
    """CHIN is 30 % dearer, so a GB costs 12 % more."""
    thresholds = None
    if percent is not None:
        thresholds = Thresholds(1.0, [Threshold("cost_per_GB", percent)])
    with build(40, lambda *at: 1.3 if at[2] == "CHIN" and at[3] >= 30 else 1.0) as db:
        events = judge_build(db, tmp_path, "b", read_limits(), thresholds).events
    assert {event["address_space"] for event in events} == told


def test_builds_with_few_runs_have_the_threshold_too(tmp_path: Path) -> None:
    thresholds = Thresholds(1.0, [Threshold("rate", 40.0)])
    with build(3, lambda *at: 0.7 if at[1] == "rate" and at[3] >= 2 else 1.0, repetitions=3) as db:
        without = judge_build(db, tmp_path / "a", "b", read_limits()).events
        events = judge_build(db, tmp_path / "b", "b", read_limits(), thresholds).events
    assert {event["metric"] for event in without} == {"rate"}
    assert events == ()
