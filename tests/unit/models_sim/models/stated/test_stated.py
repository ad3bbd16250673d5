"""Stated figures match their tables and agree with each other."""

from __future__ import annotations

import polars as pl
import pytest

from models_sim.base import published
from models_sim.base.parameters import load
from models_sim.models.stated.systems import STATED_SYSTEMS
from models_sim.predict import predict, predict_with

CELLS = published.cells()


def test_stated_figures_match_the_tables() -> None:
    cells = CELLS.filter(STATED_SYSTEMS.covers(CELLS))
    assert cells.height == 52 + 4
    value = predict_with(STATED_SYSTEMS, cells, load(STATED_SYSTEMS.file)).value
    assert value == pytest.approx(cells["value"].to_numpy(), rel=1e-12)


def test_stated_figures_agree_with_each_other() -> None:
    s = load(STATED_SYSTEMS.file)
    assert s["001 csm csm_total_3"] == s["001 csm csm_total_1"] + s["001 csm csm_total_2"]
    used = s["001 free Mem: used"] + s["001 free Mem: free"] / 1024 + s["001 free Mem: buff/cache"]
    assert used == pytest.approx(s["001 free Mem: total"], abs=0.1)
    times = [
        s[f"001 amqsrua log_{k}_bytes"] / s[f"001 amqsrua log_{k}_rate"]
        for k in ("physical", "logical")
    ]
    assert times[0] == pytest.approx(times[1], rel=1e-4)  # one interval


def test_unstated_figure_is_not_predicted() -> None:
    got = predict(
        pl.DataFrame({"document": "004", "table_id": "machine", "metric": "L1", "machine": "z17"})
    )
    assert got["predicted"].null_count() == 1
    assert got["reason"][0] == "no document states this figure"
