"""What the address spaces and service classes of a campaign used."""

from __future__ import annotations

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.site import CAPTURE, SITE
from models_sim.simulator.campaigns.systems.split import split
from models_sim.simulator.zos.machine import ON_CP, Frames

__all__ = ["address_spaces", "class_periods"]

_US = 1_000_000
_KEY = ["system", "interval"]
_QUIET = 0.021  # CPU seconds per processor and second when nothing runs: document 000, section 3
_SAMPLES_A_SECOND = 4  # taken by WLM
_USED = (*ON_CP, "ziip_us", "ziip_on_cp_us")


def address_spaces(
    runs: pl.DataFrame, spread: pl.DataFrame, data_sets: pl.DataFrame
) -> pl.DataFrame:
    """Return one row per interval and address space: what it used, by kind of CPU time."""
    described = pl.DataFrame(
        [
            {
                "system": s.name,
                "job": space.job,
                "address_space_id": 1 + number if space.system_space else 40 + number,
                "program": space.program,
                "work": space.work,
                "system_space": space.system_space,
                "service_class": space.service_class,
                "report_class": space.report_class,
                "idle": space.idle,
                "srb_part": space.srb / (space.tcb + space.srb),
                "storage_mb": space.storage_mb,
            }
            for s in SITE.systems
            for number, space in enumerate(s.spaces)
        ]
    )
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds() / _US
    quiet = _QUIET * pl.col("cps") * length * pl.col("idle") * CAPTURE
    requests = data_sets.group_by(*_KEY, "job").agg(pl.col("requests").sum())
    joined = (
        spread.join(described, on="system", maintain_order="left_right")
        .join(
            split(runs),
            on=["run_no", "system", "job"],
            how="left",
            maintain_order="left",
        )
        .join(requests, on=[*_KEY, "job"], how="left", maintain_order="left")
        .join(
            runs.select("run_no", "offload"),
            on="run_no",
            how="left",
            maintain_order="left",
        )
        .with_columns(
            cpu=pl.when(pl.col("run_no").is_null())
            .then(quiet)
            .otherwise(pl.col("cpu_seconds").fill_null(0.0)),
            eligible=pl.col("eligible_seconds").fill_null(0.0),
            requests=pl.col("requests").fill_null(0),
            offload=pl.col("offload").fill_null(0.0),
        )
    )
    interrupts = (
        (pl.col("requests") * 7.0)
        .clip(upper_bound=(pl.col("cpu") - pl.col("eligible")) * _US * 0.3)
        .round()
    )
    left = pl.col("cpu") * _US - interrupts
    on_ziip = (pl.col("eligible") * pl.col("offload") * _US).round()
    on_cp = (pl.col("eligible") * _US).round() - on_ziip
    srb = (left * pl.col("srb_part")).clip(upper_bound=left - on_cp - on_ziip).round()
    nothing = pl.lit(0, pl.Int64)
    return joined.select(
        *("system", "interval", "job", "address_space_id", "program", "work", "system_space"),
        pl.lit(SITE.ipl).alias("step_start"),
        *("service_class", "report_class", "start", "end"),
        ends=pl.lit(False),
        tcb_us=(left - srb - on_ziip).round().cast(pl.Int64),
        srb_us=srb.cast(pl.Int64),
        initiator_tcb_us=nothing,
        io_interrupt_us=interrupts.cast(pl.Int64),
        region_control_us=nothing,
        hiperspace_us=nothing,
        ziip_us=(on_ziip * 256 / SITE.ziip_factor).round().cast(pl.Int64),
        ziip_on_cp_us=on_cp.cast(pl.Int64),
        enclave_us=nothing,
        enclave_ziip_us=nothing,
        enclave_ziip_on_cp_us=nothing,
        java_on_ziip_us=(on_ziip * 256 / SITE.ziip_factor).round().cast(pl.Int64),
        storage_mb=pl.col("storage_mb"),
        requests=pl.col("requests"),
    )


def class_periods(frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval and class; each class has one period."""
    rows = pl.concat(
        frames["address_space"]
        .group_by(*_KEY, column, maintain_order=True)
        .agg(
            pl.col(*_USED, "requests").sum(),
            spaces=pl.len().cast(pl.Int64),
            contributes=pl.col("service_class").last(),
            heterogeneous=pl.col("service_class").n_unique() > 1,
        )
        .rename({column: "class"})
        .with_columns(report=pl.lit(column == "report_class"), period=pl.lit(1, pl.Int64))
        for column in ("service_class", "report_class")
    )
    cpu = (pl.col("tcb_us") + pl.col("srb_us")) / _US * _SAMPLES_A_SECOND
    on_cp = pl.col("ziip_on_cp_us") / _US * _SAMPLES_A_SECOND
    sampled = rows.with_columns(
        using_cpu=cpu.round().cast(pl.Int64),
        using_ziip=(pl.col("ziip_us") / _US * _SAMPLES_A_SECOND).round().cast(pl.Int64),
        using_ziip_on_cp=on_cp.round().cast(pl.Int64),
        using_io=(pl.col("requests") * 400e-6 * _SAMPLES_A_SECOND).round().cast(pl.Int64),
    )
    waits = rng.poisson((sampled["using_cpu"] * 0.12).to_numpy())
    io = rng.poisson((sampled["using_io"] * 0.05).to_numpy())
    return sampled.with_columns(
        delayed_cpu=pl.Series(waits),
        delayed_ziip=pl.lit(0, pl.Int64),
        delayed_io=pl.Series(io),
        idle=pl.col("spaces") * 60,
        unknown=pl.col("spaces") * 6,
        transactions=pl.lit(0, pl.Int64),
        response_us=pl.lit(0.0),
        execution_us=pl.lit(0.0),
        response_squared_us=pl.lit(0.0),
    )
