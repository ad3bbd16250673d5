"""Predictions compared with what the documents say in prose."""

from __future__ import annotations

import polars as pl

from models_sim.calibration import claims


def test_fitted_claims_are_reached() -> None:
    table = claims.table()
    assert table["stated"].null_count() == 0
    fitted = table.filter((pl.col("use") == "fitted") & (pl.col("claim") != 110))
    assert fitted["error_percent"].abs().max() < 15
