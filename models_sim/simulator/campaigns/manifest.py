"""The manifest of a campaign: what each run was, when it ran and on what, but no results.

The rows are those of raw.bench_run and its companions.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.campaigns.plan import FACTORS
from models_sim.simulator.campaigns.site import SITE, SOURCE, TARGET, agent, manager

__all__ = ["manifest"]


def manifest(runs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the rows of a manifest's tables for runs with the columns of a plan."""
    keyed = runs.with_row_index("record_no", offset=1)
    labels = {c: c.removeprefix("label_") for c in runs.columns if c.startswith("label_")}
    factors = [name for name in runs.columns if name in FACTORS or name.startswith("x_")]
    local = pl.col("start") + SITE.offset
    return {
        "bench_run": keyed.select(
            "run_id",
            "campaign",
            "repetition",
            start_utc="start",
            stop_utc="stop",
            start_local=local,
            time_zone=pl.lit(f"{SITE.local_hours:+03d}:00"),
        ),
        "bench_run_factor": _long(keyed, factors, "factor").with_columns(
            number=pl.col("value").cast(pl.Float64, strict=False)
        ),
        "bench_run_label": _long(keyed, list(labels), "label").with_columns(
            pl.col("label").replace(labels)
        ),
        "bench_run_scope": _scope(keyed),
        "bench_measurement": pl.concat(
            [_measured(keyed.filter(~pl.col("by_harness"))), _messages(keyed), *_given(keyed)],
            how="diagonal",
        ),
    }


def _measured(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the transactions of driven runs, and the duration if their number was fixed."""
    told = (("transactions", "transactions", "count"), ("transfer_time", "seconds", "s"))
    driven = runs.filter(pl.col("transactions").is_not_null())
    return pl.concat(
        driven.filter(pl.col("counted") | (metric == "transactions")).select(
            "record_no",
            "run_id",
            metric=pl.lit(metric),
            value=pl.col(column).cast(pl.Float64),
            unit=pl.lit(unit),
        )
        for metric, column, unit in told
    ).sort("record_no", maintain_order=True).drop("record_no")  # fmt: skip


def _messages(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the messages of the runs whose manifest gives them."""
    return runs.filter("gives_messages").select(
        "run_id",
        metric=pl.lit("messages"),
        value=(pl.col("transactions") * pl.col("each")).cast(pl.Float64),
        unit=pl.lit("messages"),
    )


def _given(runs: pl.DataFrame) -> list[pl.DataFrame]:
    """Return what people measured, if the scenario says so: metric, value, unit, more_is_better."""
    if "measured" not in runs.columns:
        return []
    listed = runs.select("run_id", "measured").explode("measured")
    return [listed.filter(pl.col("measured").is_not_null()).unnest("measured")]


def _long(runs: pl.DataFrame, columns: list[str], name: str) -> pl.DataFrame:
    """Return one row per run and column that is not null."""
    texts = runs.select("record_no", "run_id", *(pl.col(c).cast(pl.String) for c in columns))
    long = texts.unpivot(columns, index=["record_no", "run_id"], variable_name=name)
    order = pl.col(name).replace_strict(
        {c: i for i, c in enumerate(columns)}, return_dtype=pl.Int64
    )
    kept = long.filter(pl.col("value").is_not_null()).sort("record_no", order)
    return kept.drop("record_no")


def _scope(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the LPARs, address spaces and report classes of each run."""
    on_zos = pl.col("document") != "002"
    made = [_names(runs, on_zos, "lpar", [s.name for s in SITE.systems])]
    for system, side in ((SOURCE, "source"), (TARGET, "target")):
        works = ~pl.col(side).is_in(["xLinux", "Linux"])  # null for runs of a driver
        spaces = [agent(system), f"{manager(system)}MSTR", f"{manager(system)}CHIN"]
        made.append(_names(runs, works, "address_space", spaces))
    if "scope_spaces" in runs.columns:
        named = runs.select("record_no", "run_id", name="scope_spaces").explode("name")
        made.append(
            named.filter(pl.col("name").is_not_null()).select(
                "record_no", "run_id", pl.lit("address_space").alias("kind"), "name"
            )
        )
    made.append(_names(runs, on_zos, "report_class", ["RMFT", "RMQ"]))
    return pl.concat(made).sort("record_no", maintain_order=True).drop("record_no")


def _names(runs: pl.DataFrame, condition: pl.Expr, kind: str, names: list[str]) -> pl.DataFrame:
    named = pl.DataFrame({"kind": [kind] * len(names), "name": names})
    return runs.filter(condition).select("record_no", "run_id").join(named, how="cross")
