"""What a regression costs a week of its campaign."""

from __future__ import annotations

from datetime import datetime

import polars as pl
import pytest

from expectations.regressions.finding import Key
from expectations.regressions.losses import Losses
from tests.kit.cases import cases
from tests.kit.regression_rows import NIGHTS as STARTS
from tests.kit.regression_rows import series

NIGHTS = 20
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
NO_RUNS = pl.DataFrame(
    schema={"origin": str, "campaign": str, "configuration_id": str, "start_utc": datetime}
)


@pytest.fixture(scope="module")
def losses() -> Losses:
    runs = [
        ("simulated", "n", name, start)
        for night, start in enumerate(STARTS[:NIGHTS])
        for name in ("c1", *(["c2"] if night < 10 else []), "c3", "c3")
    ]
    columns = ["origin", "campaign", "configuration_id", "start_utc"]
    told = [
        series(
            [value] * (10 if name == "c2" else NIGHTS), Key("simulated", "n", name, metric), unit
        )
        for (name, metric, unit), value in FIGURES.items()
    ]
    return Losses(told, pl.DataFrame(runs, schema=columns, orient="row"))


@cases
def test_a_loss_is_the_share_of_a_week_of_the_campaign(
    losses: Losses,
    configuration: str,
    metric: str,
    before: float | None,
    after: float | None,
    unit: str,
    percent: float,
) -> None:
    event = {"origin": "simulated", "campaign": "n", "configuration_id": configuration,
             "kind": "level" if metric else "data", "metric": metric, "before": before,
             "after": after, "unit": unit, "more_is_better": metric == "rate"}  # fmt: skip
    assert losses.percent(event) == pytest.approx(percent)
    assert Losses([], NO_RUNS).percent(event) == 0.0
