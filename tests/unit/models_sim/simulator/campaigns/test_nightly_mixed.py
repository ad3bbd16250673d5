"""The changes that a seed draws for `nightly-mixed`, the runs with them, and TRUTH.json."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ingest.formats.sources import expand
from models_sim.simulator.campaigns.plan import plan
from models_sim.simulator.campaigns.scenarios import SCENARIOS, nightly_mixed
from models_sim.simulator.campaigns.scenarios.changes import (
    TRUTH_FILE,
    Injection,
    read_truth,
    truth_text,
)
from models_sim.simulator.campaigns.scenarios.nightly import (
    CONFIGURATIONS,
    INJECTED,
    NIGHTS,
    night_of,
    revision,
)

SEEDS = range(1, 6)
SCENARIO = nightly_mixed.SCENARIO
NOISE = 0.01


@pytest.fixture(scope="module", params=[1, 4], ids=lambda seed: f"seed {seed}")
def drawn(request: pytest.FixtureRequest) -> tuple[int, pl.DataFrame]:
    """Return a seed, and its runs as planned, with their configuration and night."""
    rng = np.random.default_rng([request.param, *SCENARIO.name.encode()])
    runs = plan(SCENARIO.runs(rng), SCENARIO.name, SCENARIO.start, rng)
    return request.param, runs.with_columns(
        configuration=pl.Series(list(CONFIGURATIONS) * NIGHTS),
        night=pl.int_range(pl.len()) // len(CONFIGURATIONS),
    )


def level(runs: pl.DataFrame, change: Injection, first: int, last: int) -> float:
    """Return the mean of what a change is of, over nights."""
    name = change.metric
    value = pl.col("transactions") / pl.col("seconds") if "trans" in name else pl.col(name)
    own = runs.filter(
        pl.col("configuration") == change.configuration, pl.col("night").is_between(first, last)
    )
    return float(own.select(value.mean()).item())


def test_every_seed_has_every_kind_of_change() -> None:
    for seed in SEEDS:
        kinds = {change.kind for change in nightly_mixed.truth(seed)}
        assert kinds == {"step", "leak", "spike", "values", "unit", "data"}
        assert sum(change.is_told for change in nightly_mixed.truth(seed)) >= 12


def test_seeds_differ_in_place_time_and_size() -> None:
    of_seeds = [nightly_mixed.truth(seed) for seed in range(1, 11)]
    for name in ("configuration", "first", "size"):
        leaks = {getattr(c, name) for of in of_seeds for c in of if c.kind == "leak"}
        assert len(leaks) >= 3
    assert nightly_mixed.truth(3) == nightly_mixed.truth(3)


def test_changes_of_a_seed_leave_nights_before_and_after_them() -> None:
    for seed in range(1, 30):
        for change in nightly_mixed.truth(seed):
            assert 15 <= change.first < NIGHTS
            assert change.last is None or change.first <= change.last < NIGHTS
        both = [c for c in nightly_mixed.truth(seed) if c.name.endswith("of two")]
        assert 4 <= both[1].first - both[0].first <= 8
        assert both[0].configuration == both[1].configuration


def test_the_runs_have_the_steps_that_the_truth_says(drawn: tuple[int, pl.DataFrame]) -> None:
    seed, runs = drawn
    steps = [c for c in nightly_mixed.truth(seed) if c.kind == "step" and c.cause != "ziip"]
    assert len(steps) >= 7
    for change in steps:
        others = [
            c for c in nightly_mixed.truth(seed)
            if c.configuration == change.configuration and c.kind in {"step", "spike"}
        ]  # fmt: skip
        last = NIGHTS - 1 if change.last is None else change.last
        last = min([last, *(c.first - 1 for c in others if c.first > change.first)])
        start = max([0, *(c.first + (c.kind == "spike") for c in others if c.first < change.first)])
        before = level(runs, change, start, change.first - 1)
        ratio = level(runs, change, change.first, last) / before
        first = [c.size for c in others if c.first < change.first and c.kind == "step"]
        # the sizes are of the level without any change
        size = change.size / (1 + sum(first))
        error = 4 * NOISE * (1 / (change.first - start) + 1 / (last - change.first + 1)) ** 0.5
        assert ratio == pytest.approx(1 + size, abs=error + 0.004), change.name


def test_a_leak_grows_night_by_night(drawn: tuple[int, pl.DataFrame]) -> None:
    seed, runs = drawn
    (leak,) = [c for c in nightly_mixed.truth(seed) if c.kind == "leak"]
    before = level(runs, leak, 0, leak.first - 1)
    end = level(runs, leak, NIGHTS - 5, NIGHTS - 1)
    assert end / before == pytest.approx(1 + leak.size_in(NIGHTS - 3), abs=0.03)


def test_measurements_take_another_value_or_unit(drawn: tuple[int, pl.DataFrame]) -> None:
    seed, runs = drawn
    given = runs.explode("measured").unnest("measured")
    for change in nightly_mixed.truth(seed):
        if change.kind not in {"values", "unit"}:
            continue
        own = given.filter(
            pl.col("metric") == change.metric, pl.col("configuration") == change.configuration
        )
        units, values = (
            [own.filter(side)[name].unique().to_list() for side in (
                pl.col("night") < change.first, pl.col("night") >= change.first)]
            for name in ("unit", "value")
        )  # fmt: skip
        if change.kind == "values":
            assert values == [[512.0], [1024.0]]
        else:
            assert [len(of) for of in units] == [1, 1]
            assert units[0] != units[1] == [change.cause]
        other = given.filter(
            pl.col("metric") == change.metric, pl.col("configuration") != change.configuration
        )
        assert other["unit"].n_unique() == 1


def test_the_truth_is_written_and_read_again(tmp_path: Path) -> None:
    for name, changes in (("nightly", INJECTED), (SCENARIO.name, nightly_mixed.truth(3))):
        scenario = SCENARIOS[name]
        assert scenario.truth
        (tmp_path / TRUTH_FILE).write_text(scenario.truth(3))
        found = read_truth(tmp_path)
        assert sorted(found, key=str) == sorted(changes, key=str)
        listed = json.loads((tmp_path / TRUTH_FILE).read_text())["changes"]
        one = listed[0]
        assert datetime.fromisoformat(one["first_utc"]) == night_of(one["first"])
        assert one["first_build"] == revision(one["first"])
        assert one["is_told"] == found[0].is_told


def test_the_truth_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / TRUTH_FILE).write_text(truth_text((), ()))
    (tmp_path / "manifest.json").write_text("{}")
    for named in (tmp_path, tmp_path / "*.json"):
        assert [file.name for file in expand([str(named)]).files] == ["manifest.json"]


@pytest.mark.parametrize("text", ["[]", "{}", '{"changes": [{}]}', '{"changes": 1}', "nonsense"])
def test_a_damaged_truth_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / TRUTH_FILE).write_text(text)
    with pytest.raises(ValueError):
        read_truth(tmp_path)


TOLD = """
    step   rate         -0.05   -  yes
    step   rate          0.05   -  no
    step   cost_per_GB   0.05   -  yes
    step   cost_per_GB   0.01   -  no
    step   cost_per_GB   0.05  36  yes
    step   cost_per_GB   0.05  33  no
    spike  rate         -0.2   30  no
    leak   cost_per_GB   0.003  -  yes
    values heap_mb       1.0    -  yes
    unit   reply_time    0.0    -  no
    unit   queue_depth   1.0    -  yes
    data   cpu_seconds   0.5   30  yes
"""


@pytest.mark.parametrize("case", TOLD.strip().splitlines())
def test_what_lasts_for_the_worse_has_to_be_found(case: str) -> None:
    kind, metric, size, last, told = case.split()
    end = None if last == "-" else int(last)
    change = Injection("x", "between", kind, 30, end, metric, float(size), "cause")
    assert change.is_told == (told == "yes")
