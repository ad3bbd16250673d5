"""Share of a transfer's cost that zIIP processors can take (document 000, section 6).

The agents are Java and eligible; MQ and TCP/IP are not, and neither are TLS, AMS and compression,
which MQ does. Of the rest of the cost of moving bytes (that of 1 GB files) the document's 40 % is
eligible. Of the cost of opening and closing files, part of which is data set services, the eligible
share is fitted to the document's 60 % for files below 100 MB. Conversion of text by an agent on
z/OS is fully eligible.

This gives 78 to 82 % for converted text, where the document says 90 %. Both cannot be true if MQ
and TCP/IP cost the same for text as for binary (anomaly 21), so the conflict is shown and the claim
of 90 % is not fitted.

Over distance the agents' work is that on a LAN, and the fasp.io gateway in zCX is eligible too. The
cost after offload is the cost without the eligible share.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base import notes
from models_sim.base.family import Floats, Prediction, covered
from models_sim.base.parameters import Parameters, load
from models_sim.models.mft.families import MFT_WAN, MFT_ZOS

_SD = 0.12  # log sd: the document gives approximate shares, in tens of percent
_SD_FAR = 0.35


def parts(cells: pl.DataFrame) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the modelled CPU seconds per GB on a LAN.

    They are those of bytes, of files, of conversion on z/OS, and of TLS, AMS and compression, which
    MQ does.
    """
    costs = load(MFT_ZOS.file)

    def cost(**factors: object) -> Floats:
        changed = [pl.lit(v).cast(cells.schema[k]).alias(k) for k, v in factors.items()]
        rows = cells.with_columns(pl.lit("cost_per_GB").alias("metric"), *changed)
        return MFT_ZOS.predict(rows, costs).value

    plain = {"tls": "N", "ams": "N", "compmsg": "N"}
    messaging = np.maximum(cost() - cost(**plain), 0.0)
    binary = cost(**plain, mode="binary")
    moving = np.minimum(cost(**plain, mode="binary", file_size_mb=1024), binary)
    on_zos = ((cells["mode"] == "text") & (cells["target"] != "xLinux")).fill_null(False).to_numpy()
    convert = np.where(on_zos, np.maximum(cost(**plain) - binary, 0.0), 0.0)
    return moving, binary - moving, convert, messaging


def share(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Return the eligible percentage of each row's cost."""
    far = cells["protocol"].is_not_null().to_numpy()
    lan = cells.with_columns(
        pl.when(pl.col("protocol").is_null()).then("network").otherwise(pl.lit("1Gb")),
        pl.col("source", "target").fill_null("z/OS"),
        pl.lit(None, pl.String).alias("protocol"),
    )
    moving, opening, convert, messaging = parts(lan)
    eligible = p["moving"] * moving + p["opening"] * opening + convert
    total = moving + opening + convert + messaging
    if far.any():
        costs = load(MFT_WAN.file)
        cost_cells = cells.filter(pl.Series(far)).with_columns(metric=pl.lit("cost_per_GB"))
        total[far] = MFT_WAN.predict(cost_cells, costs).value
        fasp = (cost_cells["protocol"] == "FASP").to_numpy()
        gateway = np.where(fasp, p["gateway"] * (costs["cost_fasp"] - costs["cost_tcp"]), 0.0)
        eligible[far] = np.minimum(eligible[far] + gateway, p["gateway"] * total[far])
    return np.asarray(100.0 * eligible / total)


class Ziip:
    """The zIIP share of document 000's transfers."""

    name = "ziip"
    file = Path(__file__).with_name("ziip.toml")
    metrics: tuple[str, ...] = ("ziip_share", "cost_per_GB")
    excluded: frozenset[int] = frozenset({21})
    targets: Mapping[str, tuple[float, float]] = {}

    def mine(self) -> pl.Expr:
        """Shares, and costs after offload, of document 000."""
        after = (pl.col("metric") == "cost_per_GB") & (pl.col("ziip_offload") == "Y")
        return (pl.col("document") == "000") & ((pl.col("metric") == "ziip_share") | after)

    def needs(self) -> Mapping[str, pl.Expr]:
        """The needs of the families of transfers, on a LAN or over distance."""
        near = pl.col("protocol").is_null()
        result: dict[str, pl.Expr] = {}
        for family, ours in ((MFT_ZOS, near), (MFT_WAN, ~near)):
            for name, holds in family.needs().items():
                result[name] = result.get(name, pl.lit(True)) & (~ours | holds.fill_null(False))
        return result

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows whose cost can be modelled."""
        return covered(self, cells)

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """One group: the shares are given in prose, so no cell is fitted."""
        return pl.Series("group", ["ziip"] * cells.height, dtype=pl.String)

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report line of each row."""
        return pl.Series("line", ["zIIP share"] * cells.height, dtype=pl.String)

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Predict the eligible percentage of the cost, or the cost without it."""
        eligible = share(cells, parameters)
        after = (cells["metric"] == "cost_per_GB").to_numpy()
        far = cells["protocol"].is_not_null().to_numpy()
        value, sigma = eligible.copy(), np.where(far, _SD_FAR, _SD)
        caution = cells.select(
            notes.join(
                notes.when(
                    pl.col("protocol").is_not_null(), "no zIIP share was measured over distance"
                ),
                notes.when(
                    pl.col("metric") == "cost_per_GB", "the cost less the modelled zIIP share"
                ),
                self._costs_caution(cells),
            ).alias("caution")
        ).to_series()
        if after.any():
            full = cells.filter(pl.Series(after)).with_columns(
                pl.lit(None, pl.String).alias("ziip_offload")
            )
            cost, sd = np.full((2, full.height), np.nan)
            for family in (MFT_ZOS, MFT_WAN):
                chosen = family.covers(full)
                mine = chosen.to_numpy()
                if mine.any():
                    answer = family.predict(full.filter(chosen), load(family.file))
                    cost[mine], sd[mine] = answer.value, answer.sigma
            left = 1.0 - eligible[after] / 100.0
            value[after] = cost * left
            # An error of the share is one of the rest, enlarged by their ratio.
            sigma[after] = np.hypot(sd, sigma[after] * (1.0 - left) / np.maximum(left, 0.02))
        low, high = Prediction(value, sigma).band()
        high = np.where(after, high, np.minimum(high, 100.0))
        return Prediction(value, sigma, low, high, caution=caution)

    def _costs_caution(self, cells: pl.DataFrame) -> pl.Expr:
        near, far = (
            next(m for m in family.models if m.metric == "cost_per_GB").caution(cells)
            for family in (MFT_ZOS, MFT_WAN)
        )
        caution = pl.when(pl.col("protocol").is_null()).then(near).otherwise(far)
        # This family does use the offload, alone or with another factor.
        caution = caution.str.replace("(, )?ziip_offload(, )?", "").str.replace(
            "^not used: (;|$)", ""
        )
        return pl.when(caution != "").then(caution)


ZIIP = Ziip()
