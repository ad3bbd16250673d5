"""Calibration of the zIIP share: one parameter, from two sentences of document 000."""

from __future__ import annotations

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.base.family import Floats
from models_sim.base.parameters import Parameter, Parameters
from models_sim.models.ziip.family import parts

SMALL = 60.0  # percent, files below 100 MB: document 000, section 6, claim 52
LARGE = 40.0  # percent, files of 100 MB and more: claim 53


def fit(cells: pl.DataFrame, weights: Floats, start: Parameters) -> Parameters:
    """Find the share for opening files that gives 60 % for files of 1 and 10 MB."""
    moving, opening, _, _ = parts(examples([1, 10], "binary"))
    total = moving + opening
    of_opening = float(np.mean((SMALL * total - LARGE * moving) / (100.0 * opening)))
    where = "document 000, section 6"
    return Parameters(
        [
            Parameter(
                "moving", LARGE / 100.0, "ratio", source=f"{where}: files of 100 MB and more"
            ),
            Parameter("gateway", 0.98, "ratio", source="document 000, section 5: zCX, above 98 %"),
            Parameter(
                "opening", of_opening, "ratio", fitted=f"{where}: files below 100 MB", start=0.6
            ),
        ]
    )


def examples(sizes: list[int], mode: str) -> pl.DataFrame:
    """Return cells of transfers between xLinux and data sets, over 1 and 10 Gb.

    Both directions; text goes to z/OS only.
    """
    ways = [("xLinux", "z/OS"), ("z/OS", "xLinux")][: 1 if mode == "text" else 2]
    rows = [
        {"document": "000", "metric": "ziip_share", "source": s, "target": t, "network": n,
         "mode": mode, "file_size_mb": size}
        for s, t in ways for n in ("1Gb", "10Gb") for size in sizes
    ]  # fmt: skip
    return normalise(pl.DataFrame(rows))
