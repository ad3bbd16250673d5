"""What a regression costs a week of its campaign."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest

from expectations.regressions.finding import Key
from expectations.regressions.losses import Losses
from expectations.regressions.series import Series
from tests.kit.cases import cases

NIGHTS = 20
STARTS = [datetime(2026, 1, 1) + timedelta(days=night) for night in range(NIGHTS)]
#: Of each night: c1 uses 30 CPU s in 10 s, c2 runs in the first ten nights only, c3 twice a night.
FIGURES = {
    ("c1", "cpu_seconds", "CPU s"): 30.0,
    ("c1", "transfer_time", "s"): 10.0,
    ("c1", "cost_per_GB", "CPU s/GB"): 4.0,
    ("c1", "cost_per_GB_after_offload", "CPU s/GB"): 3.0,
    ("c2", "cpu_seconds", "CPU s"): 500.0,
    ("c3", "cpu_seconds", "CPU s"): 45.0,
    ("c3", "cost_per_GB", "CPU s/GB"): 8.0,
}


def series_of(configuration: str, metric: str, unit: str, value: float) -> Series:
    at = [n for n in range(NIGHTS) if configuration != "c2" or n < 10]
    key, names = Key("simulated", "n", configuration, metric), [f"{n}" for n in at]
    starts = [STARTS[n] for n in at]
    return Series(key, "A", unit, False, [value] * len(at), names, starts, names, at)


@pytest.fixture(scope="module")
def losses() -> Losses:
    runs = [
        ("simulated", "n", name, start)
        for night, start in enumerate(STARTS)
        for name in ("c1", *(["c2"] if night < 10 else []), "c3", "c3")
    ]
    columns = ["origin", "campaign", "configuration_id", "start_utc"]
    series = [series_of(*of, value) for of, value in FIGURES.items()]
    return Losses(series, pl.DataFrame(runs, schema=columns, orient="row"))


def row(
    configuration: str,
    metric: str,
    before: float | None,
    after: float | None,
    unit: str = "CPU s/GB",
    kind: str = "level",
    *,
    more: bool = False,
) -> dict[str, Any]:
    """Return what matters here of an event."""
    return {"origin": "simulated", "campaign": "n", "configuration_id": configuration, "kind": kind,
            "metric": metric, "before": before, "after": after, "unit": unit,
            "more_is_better": more}  # fmt: skip


@cases
def test_a_loss_is_the_share_of_a_week_of_the_campaign(
    losses: Losses, regression: dict[str, Any], percent: float
) -> None:
    assert losses.percent(regression) == pytest.approx(percent)


def test_nothing_is_lost_without_runs() -> None:
    columns = {"origin": pl.String(), "campaign": pl.String(), "configuration_id": pl.String(),
               "start_utc": pl.Datetime("us")}  # fmt: skip
    none = Losses([], pl.DataFrame(schema=columns))
    assert none.percent(row("c1", "cost_per_GB", 4.0, 4.4)) == 0.0
