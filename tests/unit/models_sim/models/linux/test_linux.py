"""Transfers between Linux machines: limits, levels of stalled runs, targets of the calibration."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from models_sim.base import published
from models_sim.base.cells import normalise
from models_sim.base.parameters import Parameters, load
from models_sim.models.linux import fit as linux_fit
from models_sim.models.linux import mechanism as linux
from models_sim.models.linux.family import BINDINGS, CLIENT, Linux
from models_sim.models.linux.mechanism import CHUNKS, Factors
from models_sim.predict import predict_with

CELLS = published.cells()


def rows(metric: str | list[str] = "transfer_time", **columns: object) -> pl.DataFrame:
    base = {
        "document": "002", "connection": "client", "transfer": "single",
        "md5": "N", "mode": "binary", "file_size_MB": 10, "chunk_size": 262144,
    }  # fmt: skip
    given = {**base, "metric": metric, **columns}
    longest = max((len(v) for v in given.values() if isinstance(v, list)), default=1)
    return normalise(
        pl.DataFrame({k: v if isinstance(v, list) else [v] * longest for k, v in given.items()})
    )


def answer(family: Linux, cells: pl.DataFrame) -> np.ndarray:
    return predict_with(family, cells, load(family.file)).value


def errors(family: Linux, transfer: str, metric: str) -> tuple[float, float]:
    """Median and 90th percentile of the error in percent, each table predicted from the others."""
    cells = CELLS.filter(family.covers(CELLS))
    tables = cells["table_id"].to_numpy()
    wanted = ((cells["metric"] == metric) & (cells["transfer"] == transfer)).to_numpy()
    found = []
    for table in np.unique(tables[wanted]):
        out = tables == table
        weights = np.where(out, 0.0, 1.0)
        fitted = linux_fit.fit(family.connection, cells, weights, Parameters([]))
        held = cells.filter(pl.Series(out & wanted))
        value = predict_with(family, held, fitted).value
        found.append(np.abs(value / held["value"].to_numpy() - 1.0))
    every = 100 * np.concatenate(found)
    return float(np.median(every)), float(np.quantile(every, 0.9))


@pytest.mark.parametrize("family", [CLIENT, BINDINGS], ids=lambda f: f.name)
def test_every_published_figure_is_predicted(family: Linux) -> None:
    cells = CELLS.filter(
        (pl.col("document") == "002") & (pl.col("connection") == family.connection)
    )
    assert cells.height > 400
    assert family.covers(cells).all()
    prediction = predict_with(family, cells, load(family.file))
    low, high = prediction.band()
    assert np.isfinite(prediction.value).all()
    assert (low <= prediction.value).all()
    assert (prediction.value <= high).all()
    inside = (low <= cells["value"].to_numpy()) & (cells["value"].to_numpy() <= high)
    assert inside.mean() > 0.85


@pytest.mark.parametrize(
    ("family", "transfer", "most"),
    [(CLIENT, "single", (2.5, 9.0)), (CLIENT, "multi", (1.7, 3.5)), (BINDINGS, "single", (4, 12))],
    ids=["client single", "client multi", "bindings single"],
)
def test_a_table_is_predicted_from_the_others(
    family: Linux, transfer: str, most: tuple[float, float]
) -> None:
    median, p90 = errors(family, transfer, "transfer_time")
    assert median <= most[0]
    assert p90 <= most[1]


def test_time_falls_with_file_size_and_rises_with_md5_and_text() -> None:
    sizes = [0.5, 1, 2, 5, 10, 30, 100, 300, 1000]
    for family in (CLIENT, BINDINGS):
        p = load(family.file)
        size = np.array(sizes)
        same = np.ones_like(size)
        plain = Factors(size, 65536 * same, 0 * same, 0 * same)
        for transfer in ("single", "multi"):
            time = linux.run_time(family.connection, transfer, plain, p)
            assert (np.diff(time) < 0).all()  # up to the volume of a measurement
            slower = linux.run_time(family.connection, transfer, plain._replace(md5=same), p)
            if transfer == "single":  # ten at once hide the checksum
                assert (slower >= time).all()
            text = linux.run_time(family.connection, transfer, plain._replace(text=same), p)
            assert (text > time).all()


def test_one_huge_file_costs_only_its_bytes() -> None:
    one = np.ones(1)
    huge = Factors(1e12 * one, 65536 * one, 0 * one, 0 * one)
    p = load(CLIENT.file)
    assert linux.client_time(huge, p, "single")[0] == pytest.approx(1e12 * p["single link"])
    b = load(BINDINGS.file)
    assert linux.bindings_time(huge, b)[0] == pytest.approx(1e12 * b["single move"], rel=1e-3)


def test_levels_of_stalled_runs_are_a_quarter_of_the_stall_apart() -> None:
    levels = linux.stall_levels(np.array([12.0, 30.0]), 88.0)
    assert levels[:, 0] == pytest.approx([12.0, 30.0])
    assert levels[:, -1] == pytest.approx([88.0, 88.0])
    assert np.diff(levels, axis=1) == pytest.approx(np.outer([19.0, 14.5], np.ones(4)))


def test_printed_times_lie_near_the_levels() -> None:
    """Measured times of 10 and 100 MB files in bindings mode: each is near one of the levels."""
    cells = CELLS.filter(
        (pl.col("connection") == "bindings") & (pl.col("transfer") == "multi")
        & (pl.col("metric") == "transfer_time") & (pl.col("file_size_mb") > 1)
    )  # fmt: skip
    p = load(BINDINGS.file)
    levels = linux.stall_levels(linux.multi_run_time(linux.factors(cells), p), p["multi stalled"])
    off = np.abs(np.log(cells["value"].to_numpy()[:, None] / levels))
    assert off.min(axis=1).max() < 0.2
    stalled = off.argmin(axis=1)
    assert (stalled[(cells["md5"] == "N").to_numpy()] > 0).sum() == 2
    assert (stalled[(cells["md5"] == "Y").to_numpy()] > 0).sum() == 13


def test_state_probabilities_sum_to_one() -> None:
    p = load(BINDINGS.file)
    classes = ["binary", "text", "md5 1", "md5 10", "md5 100"]
    weights = linux.stall_weights(classes, p)
    assert weights.shape == (5, 5)
    assert weights.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-4)
    assert weights[0, 0] > weights[1, 0] > weights[2, 0]


def test_best_chunk_is_no_slower_than_any() -> None:
    for family in (CLIENT, BINDINGS):
        for transfer in ("single", "multi"):
            best = answer(
                family,
                rows("best_transfer_time", connection=family.connection, transfer=transfer),
            )
            each = answer(
                family,
                rows(chunk_size=list(CHUNKS), connection=family.connection, transfer=transfer),
            )
            assert best[0] <= each.min() * 1.001


def test_rows_without_their_factors_are_not_covered() -> None:
    cells = rows(chunk_size=None)
    assert not CLIENT.covers(cells).any()
    assert CLIENT.covers(cells.with_columns(pl.lit("best_chunk_size").alias("metric"))).all()
    assert not CLIENT.covers(rows(document="000")).any()


def test_cpu_is_in_whole_percents() -> None:
    cpu = answer(CLIENT, rows("Agent2-CPU", chunk_size=list(CHUNKS)))
    assert (cpu == np.rint(cpu)).all()
    assert (cpu > 0).all()


def test_fit_is_repeatable() -> None:
    cells = CELLS.filter(CLIENT.covers(CELLS))
    first = linux_fit.fit("client", cells, np.ones(cells.height), Parameters([]))
    again = linux_fit.fit("client", cells, np.ones(cells.height), Parameters([]))
    assert dict(first) == dict(again)
    stored = load(CLIENT.file)
    for name in ("single link", "multi link", "single open"):
        assert stored[name] == pytest.approx(first[name], rel=1e-3)
