"""Predictions compared with what the documents say in prose."""

from __future__ import annotations

import polars as pl

from models_sim.calibration import claims


def test_withheld_ratios_have_a_band() -> None:
    table = claims.table()
    held = table.filter(pl.col("use") == "withheld")
    assert held["claim"].to_list() == [103, 107]
    assert (held["low"] < held["predicted"]).all()
    assert (held["predicted"] < held["high"]).all()
    fitted = table.filter((pl.col("use") == "fitted") & (pl.col("claim") != 110))
    assert fitted["error_percent"].abs().max() < 15
