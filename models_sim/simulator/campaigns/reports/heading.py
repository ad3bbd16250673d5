"""The heading of each report of an interval."""

from __future__ import annotations

import polars as pl

from models_sim.simulator.zos.profile import Sysplex
from models_sim.simulator.zos.rmf import seconds

__all__ = ["HEADING", "MS", "of_sysplex", "of_systems", "percent"]

HEADING = ("system_id", "sysplex", "interval_start_local", "interval_end_local",
           "interval_seconds", "zos_version", "rmf_version")  # fmt: skip
MS = 1000  # microseconds per millisecond


def of_systems(site: Sysplex, records: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `records` (see intervals_of) with the columns of the heading."""
    return records.with_columns(
        system_id="system", sysplex=pl.lit(None, pl.String), **_heading(site)
    )


def of_sysplex(site: Sysplex, intervals: pl.DataFrame) -> pl.DataFrame:
    """Return one row per interval of all systems: `interval` and the columns of the heading.

    The interval is that of the systems that recorded it.
    """
    return (
        intervals.group_by("interval", maintain_order=True)
        .agg(pl.col("start").min(), pl.col("end").max())
        .with_columns(
            system_id=pl.lit(None, pl.String), sysplex=pl.lit(site.name), **_heading(site)
        )
    )


def _heading(site: Sysplex) -> dict[str, pl.Expr]:
    """Return the heading's columns; start and end are in local time."""
    return {
        "interval_start_local": pl.col("start") + site.offset,
        "interval_end_local": pl.col("end") + site.offset,
        "interval_seconds": seconds(),
        "zos_version": pl.lit("z/OS V2R4"),
        "rmf_version": pl.lit("V2R4"),
    }


def percent(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """Return `part` in percent of `whole`; null if that is zero."""
    return pl.when(whole > 0).then(100 * part / whole)
