"""Workload Activity of the sysplex, as RMF calculates it from all systems' type 72-3."""

from __future__ import annotations

import polars as pl

from models_sim.simulator.campaigns.reports.heading import HEADING, MS
from models_sim.simulator.zos.profile import Sysplex
from models_sim.simulator.zos.workload import IO_US, POLICY, class_rows, delays, service_units

__all__ = ["classes", "goals"]

_US = 1e6
_CLASS = ["interval", "report", "class", "period"]
_ORDER = ["interval", "report", "workload", "class", "period"]  # order of the report
_TIMES = ("tcb_us", "initiator_tcb_us", "srb_us", "region_control_us", "io_interrupt_us",
          "hiperspace_us", "ziip_us", "ziip_on_cp_us")  # fmt: skip


def classes(
    site: Sysplex, heading: pl.DataFrame, by_system: pl.DataFrame, periods: pl.DataFrame
) -> pl.DataFrame:
    """Return rows of rmf_workload: each service and report class period, for all systems together.

    Classes that used nothing are left out.
    """
    cpu, srb = service_units(site)
    rows = (
        class_rows(site, periods)
        .join(
            by_system.select("system", "interval", "adjustment"),
            on=["system", "interval"],
            maintain_order="left",
        )
        .group_by(_CLASS, maintain_order=True)
        .agg(
            pl.col("workload", "importance", "goal").first(),
            pl.col(_TIMES).sum(),
            pl.col("spaces", "requests", "transactions", "response_us", "execution_us").sum(),
            cpu_units=cpu.sum(),
            srb_units=srb.sum(),
        )
        .filter(pl.sum_horizontal(*_TIMES, "requests", "transactions") > 0)
        .join(heading, on="interval", maintain_order="left")
        .sort(_ORDER)
    )
    length = pl.col("interval_seconds")
    task = pl.col("tcb_us") + pl.col("initiator_tcb_us")
    others = pl.sum_horizontal("srb_us", "region_control_us", "io_interrupt_us", "hiperspace_us")
    general = task + others
    units = pl.col("cpu_units") + pl.col("srb_units")
    active = pl.col("spaces").cast(pl.Float64)
    ended, requests = pl.col("transactions").cast(pl.Float64), pl.col("requests")
    io = {name: pl.when(requests > 0).then(us / MS).otherwise(0.0) for name, us in IO_US.items()}

    def each(name: str) -> pl.Expr:
        return pl.when(ended > 0).then(pl.col(name) / _US / ended).otherwise(0.0)

    def appl(us: pl.Expr) -> pl.Expr:
        return 100 * us / _US / length

    def second(name: str) -> pl.Expr:
        return pl.col(name) / _US

    nothing = pl.lit(0.0)
    return rows.select(
        *HEADING,
        *_names(site),
        transactions_avg=active,
        transactions_mpl=active,
        transactions_ended=ended,
        transactions_end_s=ended / length,
        trans_time_actual_s=each("response_us"),
        trans_time_execution_s=each("execution_us"),
        service_ioc=nothing,
        service_cpu=pl.col("cpu_units"),
        service_mso=nothing,
        service_srb=pl.col("srb_units"),
        service_tot=units,
        service_sec=units / length,
        service_absrptn=units / (active * length),
        service_trx_serv=units / (active * length),
        service_time_cpu_s=(general + pl.col("ziip_us") * site.ziip_factor / 256) / _US,
        service_time_tcb_s=task / _US,
        service_time_srb_s=second("srb_us"),
        service_time_rct_s=second("region_control_us"),
        service_time_iit_s=second("io_interrupt_us"),
        service_time_hst_s=second("hiperspace_us"),
        service_time_aap_s=nothing,
        service_time_iip_s=second("ziip_us"),
        appl_cp_pct=appl(general),
        appl_aapcp_pct=nothing,
        appl_iipcp_pct=appl(pl.col("ziip_on_cp_us")),
        appl_aap_pct=nothing,
        appl_iip_pct=appl(pl.col("ziip_us")),
        **{f"promoted_{name}_s": nothing for name in ("blk", "enq", "crm", "lck", "sup")},
        dasd_sschrt=requests / length,
        dasd_resp_ms=pl.sum_horizontal(io.values()),
        dasd_conn_ms=io["connect"],
        dasd_disc_ms=io["disconnect"],
        dasd_q_pend_ms=io["wait"],
        dasd_iosq_ms=io["queue"],
    )


def goals(site: Sysplex, heading: pl.DataFrame, periods: pl.DataFrame) -> pl.DataFrame:
    """Return rows of rmf_workload_goal: each system's velocity in periods with a velocity goal."""
    rows = (
        class_rows(site, periods)
        .filter(
            pl.col("goal") == "velocity",
            pl.sum_horizontal(pl.col(*_TIMES, "requests", "transactions").sum().over(_CLASS)) > 0,
        )
        .join(heading, on="interval", maintain_order="left")
        .sort(*_ORDER, "system")
    )
    using = pl.col("using_cpu") + pl.col("using_ziip")
    velocity = pl.when(using + delays() > 0).then(100 * using / (using + delays()))
    return rows.select(
        *HEADING,
        *_names(site),
        goal=pl.format("EXECUTION VELOCITY {}.0%", pl.col("goal_value")),
        system_name="system",
        vel_pct=velocity,
        perf_indx=pl.when(using > 0).then(pl.col("goal_value") / velocity),
        avg_adrsp=pl.col("spaces").cast(pl.Float64),
    )


def _names(site: Sysplex) -> list[pl.Expr]:
    """Return the names of a class period."""
    report = pl.col("report")
    importance = (
        pl.when(pl.col("goal") == "discretionary")
        .then(pl.lit("D"))
        .when(pl.col("importance") > 0)
        .then(pl.col("importance").cast(pl.String))
    )
    return [
        pl.lit(POLICY).alias("policy"),
        pl.lit(site.policy + site.offset).alias("policy_activated_local"),
        pl.when(~report).then("workload").alias("workload"),
        pl.when(~report).then("class").alias("service_class"),
        pl.when(report).then("class").alias("report_class"),
        pl.when(~report).then(pl.lit("*NONE")).alias("resource_group"),
        pl.col("period").cast(pl.Int64).alias("period"),
        importance.alias("importance"),
    ]
