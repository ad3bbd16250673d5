"""Share of a transfer's cost that zIIP processors can take (document 000, section 6).

The agents are Java and eligible; MQ and TCP/IP are not. Of the cost of moving bytes (that of 1 GB
files) the document's 40 % is eligible. Of the cost of opening and closing files, part of which is
data set services, the eligible share is fitted to the document's 60 % for files below 100 MB.
Conversion of text by an agent on z/OS is fully eligible.

This gives 78 to 82 % for converted text, where the document says 90 %. Both cannot be true if MQ
and TCP/IP cost the same for text as for binary (anomaly 21), so the conflict is shown and the claim
of 90 % is not fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base.family import Floats, Prediction
from models_sim.base.parameters import Parameters, load
from models_sim.models.mft.families import MFT_ZOS

_SD = 0.12  # log sd: the document gives approximate shares, in tens of percent


def parts(cells: pl.DataFrame) -> tuple[Floats, Floats, Floats]:
    """Return the modelled CPU seconds per GB of bytes, of files, and of conversion on z/OS."""
    costs = load(MFT_ZOS.file)

    def cost(**factors: object) -> Floats:
        changed = [pl.lit(v).cast(cells.schema[k]).alias(k) for k, v in factors.items()]
        rows = cells.with_columns(pl.lit("cost_per_GB").alias("metric"), *changed)
        return MFT_ZOS.predict(rows, costs).value

    binary = cost(mode="binary")
    moving = np.minimum(cost(mode="binary", file_size_mb=1024), binary)
    on_zos = ((cells["mode"] == "text") & (cells["target"] != "xLinux")).fill_null(False).to_numpy()
    convert = np.where(on_zos, np.maximum(cost() - binary, 0.0), 0.0)
    return moving, binary - moving, convert


def share(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Return the eligible percentage of each row's cost."""
    moving, opening, convert = parts(cells)
    eligible = p["moving"] * moving + p["opening"] * opening + convert
    return np.asarray(100.0 * eligible / (moving + opening + convert))


class Ziip:
    """The zIIP share of document 000's transfers."""

    name = "ziip"
    file = Path(__file__).with_name("ziip.toml")
    metrics: tuple[str, ...] = ("ziip_share",)
    excluded: frozenset[int] = frozenset({21})
    targets: Mapping[str, tuple[float, float]] = {}

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows whose cost can be modelled."""
        mine = (cells["metric"] == "ziip_share").fill_null(False)
        costs = cells.with_columns(pl.lit("cost_per_GB").alias("metric"))
        return mine & MFT_ZOS.covers(costs)

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """One group: the shares are given in prose, so no cell is fitted."""
        return pl.Series("group", ["ziip"] * cells.height, dtype=pl.String)

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report line of each row."""
        return pl.Series("line", ["zIIP share"] * cells.height, dtype=pl.String)

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Predict the eligible percentage of the cost."""
        return Prediction(share(cells, parameters), np.full(cells.height, _SD))


ZIIP = Ziip()
