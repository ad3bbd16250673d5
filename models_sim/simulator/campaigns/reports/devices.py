"""Direct Access Device Activity, as RMF calculates it from type 74-1.

The time in the I/O supervisor's queue is the mean length of the sampled queue over the rate;
response is the sum of queue, pending, disconnect and connect time.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.campaigns.reports.heading import HEADING, MS
from models_sim.simulator.zos.devices import ALIASES, volumes_of
from models_sim.simulator.zos.profile import Sysplex

__all__ = ["devices"]

_US = 1e6
_UNIT = 128  # microseconds per unit of type 74-1
_TIMES = ("pending_us", "connect_us", "disconnect_us", "command_response_us", "device_busy_us")


def devices(site: Sysplex, heading: pl.DataFrame, volumes: pl.DataFrame) -> pl.DataFrame:
    """Return rows of rmf_dasd, in the order of the volumes."""
    rows = (
        volumes.join(heading, on=["system", "interval"], maintain_order="left")
        .join(volumes_of(site), on="volume", maintain_order="left")
        .sort("record_no", "volume")
        .with_columns(
            (pl.col(_TIMES) / _UNIT).round() * _UNIT, exposures=1 + ALIASES / pl.col("samples")
        )
    )
    length = pl.col("interval_seconds")

    def ms(us: pl.Expr) -> pl.Expr:
        each = pl.when(pl.col("requests") > 0).then(us / pl.col("requests") / MS)
        return each.fill_null(0.0)

    def pct(us: pl.Expr) -> pl.Expr:
        return 100 * us / (length * _US * pl.col("exposures"))

    # Waiting requests are counted in whole samples, one per second.
    waiting = (pl.col("ios_queue_us") / _US).round() / pl.col("samples") * length * _US
    connect, busy = pl.col("connect_us"), pl.col("connect_us") + pl.col("disconnect_us")
    return rows.select(
        *HEADING,
        storage_group="storage_group",
        dev_num=pl.col("number").map_elements("0{:04X}".format, return_dtype=pl.String),
        device_type="device_type",
        number_of_cyl=pl.col("cylinders").cast(pl.Float64),
        volume_serial="volume",
        pav=pl.concat_str(pl.col("exposures").round(1).cast(pl.String), pl.lit("H")),
        pav_number=pl.col("exposures").round(1),
        lcu=pl.col("lcu").map_elements("{:04X}".format, return_dtype=pl.String),
        device_activity_rate=pl.col("requests") / length,
        avg_resp_time_ms=ms(waiting + pl.col("pending_us") + busy),
        avg_iosq_time_ms=ms(waiting),
        avg_cmr_dly_ms=ms(pl.col("command_response_us")),
        avg_db_dly_ms=ms(pl.col("device_busy_us")),
        avg_int_dly_ms=pl.lit(0.0),
        avg_pend_time_ms=ms(pl.col("pending_us")),
        avg_disc_time_ms=ms(pl.col("disconnect_us")),
        avg_conn_time_ms=ms(connect),
        dev_conn_pct=pct(connect),
        dev_util_pct=pct(busy),
        dev_resv_pct=pl.lit(0.0),
        avg_nmbr_alloc=1 / pl.col("samples"),
        any_alloc_pct=pl.lit(100.0),
    )
