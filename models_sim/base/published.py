"""The published figures of this checkout: what models are fitted to and compared with."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from models_sim.base.cells import normalise

ROOT = Path(__file__).parents[2]
#: In a checkout, or of a wheel.
_FOLDERS = (ROOT / "data" / "published", ROOT / "perfhouse" / "files" / "data" / "published")
_FOLDER = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[0])


def cells() -> pl.DataFrame:
    """Return the published cells that have a figure, in the columns of `CELL_COLUMNS`."""
    raw = pl.read_csv(_FOLDER / "cells.csv", infer_schema=False)
    return normalise(raw).filter(pl.col("value").is_not_null())


def claims() -> pl.DataFrame:
    """Return the figures that the documents give in prose; `document` is text."""
    return pl.read_csv(_FOLDER / "claims.csv", schema_overrides={"document": pl.String})
