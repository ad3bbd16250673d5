"""CPU Activity and Partition Data, as RMF calculates them from type 70.

Busy times of PR/SM and z/OS are relative to the time that a processor was online. An offline
processor has a line without figures; a type without online processors has no total.
"""

from __future__ import annotations

import polars as pl

from models_sim.simulator.campaigns.reports.heading import HEADING, percent
from models_sim.simulator.zos.profile import DEDICATED, Sysplex

__all__ = ["machines", "partitions", "processors"]

_TYPE = {"CP": "CP", "zIIP": "IIP", "ICF": "ICF"}
_PRIORITY = {1: "LOW", 2: "MED", 3: "HIGH"}  # polarisation
_US = 1e6


def machines(site: Sysplex, heading: pl.DataFrame) -> pl.DataFrame:
    """Return rows of rmf_cpu_machine."""
    return heading.select(
        *HEADING,
        cpu=pl.lit(site.machine),
        model=pl.lit(site.model),
        h_w_model=pl.lit("T34"),
        sequence_code=pl.lit(f"{site.serial:0>16}"),
        hiperdispatch=pl.lit("YES"),
    )


def processors(site: Sysplex, heading: pl.DataFrame, own: pl.DataFrame) -> pl.DataFrame:
    """Return rows of rmf_cpu: the processors of each type, and its total.

    `own` are the processors of each record (zos.cpu.count_interrupts).
    """
    weights = {s.name: s.weight for s in site.systems}
    dedicated = pl.col("system").replace_strict(weights) == DEDICATED
    rows = own.with_columns(
        at=pl.int_range(pl.len()).over("record_no"),
        cpu_num=pl.col("processor").cast(pl.String).replace({str(n): f"{n:X}" for n in range(256)}),
        cpu_type=pl.col("processor_type").replace_strict(_TYPE),
        is_total=pl.lit(False),
        log_proc_share_pct=pl.when(dedicated & (pl.col("online_us") > 0)).then(100.0),
        hiperdispatch_priority=pl.col("polarization").replace_strict(
            _PRIORITY, default=None, return_dtype=pl.String
        ),
    )
    sums = ["online_us", "parked_us", "dispatched_us", "wait_us", "handled", "polled"]
    totals = (
        rows.group_by("record_no", "cpu_type", maintain_order=True)
        .agg(pl.col(sums).sum(), pl.col("at").max())
        .filter(pl.col("online_us") > 0)
        .with_columns(
            cpu_num=pl.lit(None, pl.String),
            is_total=pl.lit(True),
            log_proc_share_pct=pl.lit(None, pl.Float64),
            hiperdispatch_priority=pl.lit(None, pl.String),
        )
    )
    both = pl.concat([rows.select(totals.columns), totals]).sort(
        "record_no", "cpu_type", "at", "is_total", maintain_order=True
    )
    online, free = pl.col("online_us"), pl.col("online_us") - pl.col("parked_us")
    interrupts = pl.col("handled") + pl.col("polled")
    is_cp = (pl.col("cpu_type") == "CP") & (online > 0)
    return both.join(heading, on="record_no", maintain_order="left").select(
        *HEADING,
        "cpu_num",
        "cpu_type",
        "is_total",
        online_pct=pl.when(~pl.col("is_total")).then(
            online / (pl.col("interval_seconds") * _US) * 100
        ),
        lpar_busy_pct=percent(pl.col("dispatched_us"), online),
        mvs_busy_pct=percent(free - pl.col("wait_us"), free),
        parked_pct=pl.when(~pl.col("is_total")).then(percent(pl.col("parked_us"), online)),
        log_proc_share_pct="log_proc_share_pct",
        hiperdispatch_priority="hiperdispatch_priority",
        io_interrupt_rate=pl.when(is_cp).then(interrupts / pl.col("interval_seconds")),
        io_interrupts_via_tpi_pct=pl.when(is_cp).then(
            percent(pl.col("polled"), interrupts).fill_null(0.0)
        ),
    )


def partitions(site: Sysplex, heading: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """Return rows of rmf_partition by type: the partitions, PR/SM's own time, and the total.

    `seen` is the machine as each record has it (zos.cpu.machine_processors).
    """
    types = {kind: n for n, kind in enumerate(_TYPE)}
    physical = pl.col("partition") == "PHYSICAL"

    def us(name: str) -> pl.Expr:
        return (pl.col(name) * pl.col("scale")).round().cast(pl.Int64).sum()

    rows = (
        seen.group_by("record_no", "partition", "processor_type", maintain_order=True)
        .agg(
            pl.col("order").first(),
            online=us("online_us"),
            effective=us("effective_us"),
            total=us("dispatched_us"),
        )
        .filter((pl.col("online") > 0) | physical)
        .with_columns(is_total=pl.lit(False), management=pl.col("total") - pl.col("effective"))
    )
    totals = rows.group_by("record_no", "processor_type", maintain_order=True).agg(
        partition=pl.lit("TOTAL"),
        order=pl.col("order").max(),
        online=pl.lit(0, pl.Int64),
        effective=pl.col("effective").sum(),
        total=pl.col("total").sum(),
        is_total=pl.lit(True),
        management=pl.col("management").sum(),
    )
    both = (
        pl.concat([rows, totals.select(rows.columns)])
        .with_columns(kind=pl.col("processor_type").replace_strict(types))
        .sort("record_no", "kind", "order", "is_total", maintain_order=True)
        .join(heading, on="record_no", maintain_order="left")
    )
    named = ~physical & ~pl.col("is_total")
    weights: dict[str, int] = {s.name: s.weight for s in site.systems}
    weights |= {o.name: o.weight for o in site.others} | {site.cf_name: DEDICATED}
    weight = pl.col("partition").replace_strict(weights, default=None, return_dtype=pl.Int64)
    length = pl.col("interval_seconds") * _US
    machine = pl.col("processor_type").replace_strict(dict(site.physical)) * length

    def only(condition: pl.Expr, value: pl.Expr) -> pl.Expr:
        return pl.when(condition).then(value)

    used = pl.col("effective") / length
    defined = {s.name: s.defined_msu for s in site.systems}
    printed = pl.when(weight == DEDICATED).then(pl.lit("DED")).otherwise(weight.cast(pl.String))
    return both.select(
        *HEADING,
        mvs_partition_name="system",
        name=pl.when(physical).then(pl.lit("*PHYSICAL*")).otherwise("partition"),
        is_total="is_total",
        status=only(named, pl.lit("A")),
        boost_type=only(named, pl.lit("N")),
        weight=only(weight != DEDICATED, weight).cast(pl.Float64),
        weight_printed=only(named, printed),
        msu_defined=only(
            named,
            pl.col("partition").replace_strict(defined, default=0, return_dtype=pl.Float64),
        ),
        msu_actual=only(named & (pl.col("processor_type") == "CP"), site.msu_of_processor * used),
        capping_defined=only(named, pl.lit("N N N")),
        capping_wlm_pct=only(named, pl.lit(0.0)),
        processor_num=only(named, pl.col("online") / length),
        processor_type=pl.col("processor_type").replace_strict(_TYPE),
        effective_dispatch_seconds=only(~physical, pl.col("effective") / _US),
        total_dispatch_seconds=pl.col("total") / _US,
        logical_effective_pct=only(named, percent(pl.col("effective"), pl.col("online"))),
        logical_total_pct=only(named, percent(pl.col("total"), pl.col("online"))),
        physical_lpar_mgmt_pct=percent(pl.col("management"), machine),
        physical_effective_pct=only(~physical, percent(pl.col("effective"), machine)),
        physical_total_pct=percent(pl.col("total"), machine),
    )
