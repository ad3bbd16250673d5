"""Figures of one's own runs, in the factors and metrics that a plan asks for."""

from __future__ import annotations

from typing import Any

import polars as pl

from app.results.reader import Reader
from expectations.verdicts.prints import DOCUMENT_NOISE
from ingest.base.errors import RequestError
from ingest.formats.bench.factors import FACTORS

__all__ = ["figures", "settings"]


def figures(reader: Reader) -> pl.DataFrame:
    """Return one row per configuration and metric: factors, machine, runs, and its figure.

    metric: rate, cost_per_GB or ziip_share; predicted: the geometric mean of compared runs; low,
    high: the 10-90 % band of a run, which has the noise of the documents where it is alone.
    """
    return reader.frame(
        f"""
        with one as (
            select
                configuration_id, metric, count(*) as runs, exp(avg(ln(value))) as predicted,
                coalesce(stddev_samp(ln(value)), {DOCUMENT_NOISE}) as noise,
                exp(1.2816 * greatest(noise, 0.02)) as spread
            from marts.fct_measurement
            where metric in ('rate', 'cost_per_GB', 'ziip_share') and is_compared and value > 0
            group by all
        )

        select
            configuration.*, one.metric, one.runs, predicted, predicted / spread as low,
            predicted * spread as high
        from one inner join marts.dim_configuration as configuration using (configuration_id)
        """
    )


def settings(reader: Reader, run_id: str) -> dict[str, Any]:
    """Return the factors and the machine of a run that are known. Raises RequestError."""
    rows = reader.frame(
        """
        select configuration.*
        from marts.fct_run as run
        inner join marts.dim_configuration as configuration using (configuration_id)
        where run.run_id = ?
        """,
        (run_id,),
    ).to_dicts()
    if not rows:
        raise RequestError(f"no run {run_id}; 'perfhouse sql \"FROM marts.fct_run\"' lists them")
    known = (*FACTORS, "machine")
    return {name: rows[0][name] for name in known if rows[0].get(name) is not None}
