"""What runs cost, from the raw records alone.

It follows docs/cost-method.md and the field descriptions of the manuals: MVS System Management
Facilities for type 30, the RMF interface for types 70 and 72. It reads the views of `raw` and has
nothing in common with the models of dbt, so that an error in one does not hide it in the other.
It does not know every case of real records: no multithreading, no records in parts, no duplicates.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import polars as pl
from duckdb import DuckDBPyConnection

__all__ = ["Recomputed", "known", "recompute"]

_GIB = 1 << 30
_ROUNDED = 1.0  # seconds: RMF's starts are whole seconds, so nearer moments count as equal
_SYSTEM = ["sysplex", "system_id"]
_USED = ["general_purpose", "ziip", "ziip_at_cp_speed", "ziip_on_cp"]

# Local start of an interval less the offset of local time, and its length.
_INTERVAL = """
    smf{0}sid AS system_id, smf{0}xnm AS sysplex,
    smf{0}dat + smf{0}ist - smf{0}lgo AS start, epoch(smf{0}int) AS length
"""

# The sections of a partition's logical processors are smf70bdn, after smf70bds others.
_PROCESSORS = f"""
    SELECT source_id, record_no, {_INTERVAL.format(70)}, smf70snm AS system_name,
        smf70lpm AS partition_name, smf70cin AS kind, control.smf70nrm / 256 AS speed,
        smf70cpc_type AS machine_type, smf70mdl AS machine_model, 16e6 / smf70adj AS su_second,
        bool_or(smf70bps = 65535 OR smf70wsa) AS keeps_processor, sum(epoch(smf70ont)) AS online,
        sum(epoch(smf70edt)) AS dispatched
    FROM raw.smf70_1_product
    JOIN raw.smf70_1_header USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_control AS control USING (source_id, record_no)
    JOIN raw.smf70_1_prsm_partition AS partition USING (source_id, record_no)
    JOIN raw.smf70_1_prsm_logical_processor AS processor USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_identification AS kind USING (source_id, record_no)
    WHERE smf70lpn = smf70ptn AND NOT smf70iss AND smf70cix = kind.section_no
        AND processor.section_no BETWEEN smf70bds + 1 AND smf70bds + smf70bdn
    GROUP BY ALL
"""
_WAITING = """
    SELECT source_id, record_no, CASE smf70typ WHEN 0 THEN 'CP' WHEN 2 THEN 'IIP' END AS kind,
        sum(epoch(smf70wat) + epoch(smf70pat)) AS waiting
    FROM raw.smf70_1_cpu_data GROUP BY ALL
"""
_PERIODS = f"""
    SELECT {_INTERVAL.format(72)}, r723nffs / 256 AS speed,
        r723madj / (1600 * r723mcpu) AS unit, r723madj / (1600 * r723msrb) AS srb_unit,
        sum(r723ccpu) AS cpu, sum(r723csrb) AS srb, sum(r723csup) AS ziip_service,
        sum(r723csuc) AS on_cp_service, sum(r723crct + r723ciit + r723chst) / 1e6 AS others
    FROM raw.smf72_3_product
    JOIN raw.smf72_3_header USING (source_id, record_no)
    JOIN raw.smf72_3_workload_manager_control USING (source_id, record_no)
    JOIN raw.smf72_3_service_report_class_period USING (source_id, record_no)
    WHERE NOT r723mrcl AND NOT smf72iss
    GROUP BY ALL
"""
_JOBS = """
    SELECT smf30syp AS sysplex, smf30sid AS system_id, smf30jbn AS job, smf30asi AS address_space,
        smf30stp = 6 AS since_ipl, smf30iss AS start, smf30iet AS end, smf30snf / 256 AS speed,
        epoch(smf30cpt + smf30cps + smf30icu + smf30isb + smf30iip + smf30rct + smf30hpt)
            AS general_purpose,
        epoch(smf30_time_on_ziip) AS ziip, epoch(smf30_time_ziip_on_cp) AS ziip_on_cp
    FROM raw.smf30_header
    JOIN raw.smf30_subsystem USING (source_id, record_no)
    JOIN raw.smf30_identification USING (source_id, record_no)
    JOIN raw.smf30_performance USING (source_id, record_no)
    JOIN raw.smf30_processor_accounting USING (source_id, record_no)
    WHERE smf30stp IN (2, 3, 6)
"""


_MACHINE = ["machine_type", "machine_model", "su_second"]

# What RMF reported on each interval: whether processors, and which service classes are complete.
_THERE = """
    WITH record AS (
        SELECT source_id, record_no, smf70sid AS system_id, smf70dat + smf70ist - smf70lgo AS start,
            epoch(smf70int) AS length, smf70iss OR smf70m3r AS left_out, true AS processors
        FROM raw.smf70_1_product JOIN raw.smf70_1_header USING (source_id, record_no)
        UNION ALL
        SELECT source_id, record_no, smf72sid, smf72dat + smf72ist - smf72lgo, epoch(smf72int),
            smf72iss OR smf72m3r, false
        FROM raw.smf72_3_product JOIN raw.smf72_3_header USING (source_id, record_no)
    ), told AS (
        SELECT *, count(smf72rsq) OVER (PARTITION BY system_id, start) AS parts
        FROM record
        LEFT JOIN raw.smf72_3_workload_manager_control USING (source_id, record_no)
        LEFT JOIN raw.smf72_3_reassembly USING (source_id, record_no)
    )
    SELECT system_id, start, length, bool_or(processors AND NOT left_out) AS processors,
        list(DISTINCT r723mcnm) FILTER (
            NOT r723mrcl AND NOT left_out AND NOT coalesce(r723mcaa, false) AND r723mcpu > 0
            AND coalesce(smf72rbr, 1) <= greatest(parts, 1)
        ) AS classes
    FROM told GROUP BY ALL
"""


class Recomputed(NamedTuple):
    """Frames of figures: one row per run; per run and system; per run, system and job.

    `bounds` has what a run used of each system at least and at most, and `speed` the machine.
    `unseen` names the runs that have no record of one of their systems: no frame has them.

    Times are in seconds; costs are CPU seconds per GiB and CPU microseconds per transaction.
    """

    total: pl.DataFrame
    system: pl.DataFrame
    address_space: pl.DataFrame
    bounds: pl.DataFrame
    speed: pl.DataFrame
    unseen: list[str]


def recompute(db: DuckDBPyConnection, names: Collection[str] = ()) -> Recomputed:
    """Return the figures of all declared runs, or of those named, from the views of `raw`."""
    runs = _runs(db).filter(pl.col("run_id").is_in(names) if names else pl.lit(value=True))
    machine = _machine(db)
    scope = _scope(db, runs, machine)
    seen = _shares(machine, scope).select("run_id", *_SYSTEM).unique()
    unseen = scope.join(seen, on=["run_id", *_SYSTEM], how="anti")["run_id"].unique().sort()
    scope = scope.filter(~pl.col("run_id").is_in(unseen.implode()))
    classes = _classes(db)
    work = _in_runs(classes, scope, ["run_id", *_SYSTEM])
    system = _systems(_in_runs(machine, scope, ["run_id", *_SYSTEM]), work, runs)
    spaces = _in_runs(_address_spaces(db), scope, ["run_id", *_SYSTEM, "job"])
    bounds = _bounds(_shares(machine.join(classes, on=[*_SYSTEM, "start"], suffix=" of classes"),
                             scope), runs)  # fmt: skip
    return Recomputed(
        _totals(system, runs), system, _figures(spaces, runs), bounds,
        _speeds(_shares(machine, scope), runs), unseen.to_list(),
    )  # fmt: skip


def known(db: DuckDBPyConnection, names: Collection[str]) -> dict[str, tuple[bool, bool]]:
    """Return of runs of one system whether its CPU time and its eligible time are known.

    Type 70 has to cover them, and type 72 to have in each interval all classes of the system.
    """
    there = db.sql(_THERE).pl().explode("classes", empty_as_null=True, keep_nulls=True)
    found: dict[str, tuple[bool, bool]] = {}
    for run, begin, stop, system in db.sql(
        "SELECT run_id, start_utc, stop_utc, name FROM raw.bench_run "
        "JOIN raw.bench_run_scope USING (source_id, run_id) WHERE kind = 'lpar'"
    ).fetchall():
        if run in names:
            own = there.filter(system_id=system)
            inside = own.filter(pl.col("start").is_between(begin, stop, closed="left"))
            intervals = inside.unique("start")
            covered = (
                intervals.filter("processors")["length"].sum()
                >= 0.99 * (stop - begin).total_seconds()
            )
            expected = intervals.height * own["classes"].drop_nulls().n_unique()
            found[run] = covered, covered and inside["classes"].count() == expected
    return found


def _runs(db: DuckDBPyConnection) -> pl.DataFrame:
    """Return run_id, begin, stop, seconds, bytes moved or given, and transactions."""
    runs = db.sql("SELECT run_id, start_utc AS begin, stop_utc AS stop FROM raw.bench_run").pl()
    moved = db.sql(
        """
        SELECT done.time_utc AS moment, sum(item.source_bytes)::DOUBLE AS bytes
        FROM raw.bench_mft_transfer AS done
        JOIN raw.bench_mft_item AS item USING (source_id, record_no)
        WHERE done.action = 'completed' AND item.result_code = 0 GROUP BY ALL
        """
    ).pl()
    of_run = (
        runs.join_where(moved, pl.col("moment").is_between(pl.col("begin"), pl.col("stop")))
        .group_by("run_id")
        .agg(pl.col("bytes").sum())
    )
    given = db.sql(
        "SELECT run_id, sum(value) FILTER (metric = 'transactions') AS transactions, "
        "sum(value) FILTER (metric = 'bytes') AS given FROM raw.bench_measurement "
        "WHERE metric IN ('bytes', 'transactions') GROUP BY run_id"
    ).pl()
    return (
        runs.join(of_run, on="run_id", how="left")
        .join(given, on="run_id", how="left")
        .with_columns(
            pl.coalesce("bytes", "given").alias("bytes"),
            seconds=_seconds(pl.col("stop") - pl.col("begin")),
        )
    )


def _scope(db: DuckDBPyConnection, runs: pl.DataFrame, machine: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, begin, stop and each system that the run names by any of its names."""
    named = db.sql("SELECT run_id, name FROM raw.bench_run_scope WHERE kind = 'lpar'").pl()
    names = ("system_id", "system_name", "partition_name")
    known = pl.concat(machine.select(*_SYSTEM, name=pl.col(column)) for column in names).unique()
    return runs.join(named, on="run_id").join(known, on="name").drop("name").unique()


def _machine(db: DuckDBPyConnection) -> pl.DataFrame:
    """Return what each system used of its processors in an interval, and its names (type 70).

    A partition that keeps a processor while it waits is dispatched without a break: it was busy
    when it was online, not waiting and not parked.
    """
    rows = db.sql(_PROCESSORS).pl().join(
        db.sql(_WAITING).pl(), on=["source_id", "record_no", "kind"], how="left"
    )  # fmt: skip
    used = pl.when("keeps_processor").then(pl.col("online") - pl.col("waiting"))
    # An offline processor waits for nothing.
    used = used.otherwise("dispatched").clip(0)
    ziip = pl.col("used").filter(kind="IIP").sum()
    return (
        rows.with_columns(used=pl.when(pl.col("online") > 0).then(used).otherwise(0))
        .group_by(*_SYSTEM, "system_name", "partition_name", "start", "length", "speed", *_MACHINE)
        .agg(
            cp_most=pl.col("online").filter(kind="CP").sum(),
            ziip_most=pl.col("online").filter(kind="IIP").sum(),
            general_purpose=pl.col("used").filter(kind="CP").sum(),
            ziip=ziip,
            ziip_at_cp_speed=ziip * pl.col("speed").first(),
            ziip_on_cp=pl.lit(0.0),
        )
        .with_columns(end=_after(pl.col("start"), pl.col("length")))
    )


def _classes(db: DuckDBPyConnection) -> pl.DataFrame:
    """Return the CPU time charged to all service classes of a system in an interval (type 72)."""
    ziip = pl.col("ziip_service") * pl.col("unit")
    # CPU service includes zIIPs', at the speed of CPs.
    tasks = pl.col("cpu") * pl.col("unit") - ziip * pl.col("speed")
    return db.sql(_PERIODS).pl().select(
        *_SYSTEM,
        "start",
        "speed",
        end=_after(pl.col("start"), pl.col("length")),
        general_purpose=tasks + pl.col("srb") * pl.col("srb_unit") + pl.col("others"),
        ziip=ziip,
        ziip_at_cp_speed=ziip * pl.col("speed"),
        ziip_on_cp=pl.col("on_cp_service") * pl.col("unit"),
    )  # fmt: skip


def _address_spaces(db: DuckDBPyConnection) -> pl.DataFrame:
    """Return the CPU time of each job in an interval (type 30).

    Records of system address spaces count since IPL: what counts is the increase since the one
    before.
    """
    rows = db.sql(_JOBS).pl().sort("end")
    kinds = ["general_purpose", "ziip", "ziip_on_cp"]
    life = [*_SYSTEM, "job", "address_space"]
    growing = rows.filter("since_ipl").with_columns(
        pl.col("end").shift().over(life).alias("start"),
        *(pl.col(kind).diff().over(life) for kind in kinds),
    )
    intervals = rows.filter(~pl.col("since_ipl"))
    return pl.concat([intervals, growing.drop_nulls("start")]).with_columns(
        ziip_at_cp_speed=pl.col("ziip") * pl.col("speed")
    )


def _in_runs(intervals: pl.DataFrame, scope: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Return the sums over a run: an interval counts by the share of it that is in the run."""
    speed = pl.col("speed") if "speed" in intervals.columns else pl.lit(1.0)
    return (
        _shares(intervals, scope)
        .group_by(key)
        .agg(
            *((pl.col(name) * pl.col("share")).sum() for name in _USED),
            # Eligible work as long as it takes on zIIPs.
            eligible_on_ziips=(
                (pl.col("ziip") + pl.col("ziip_on_cp") / speed) * pl.col("share")
            ).sum(),
        )
    )


def _bounds(intervals: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the least and the most that runs can have used of each system, as `NAME low`.

    Of an interval that a run has in part, what is in the run is no more than its processors give in
    that time, and so is what is outside. `ziip_on_cp of classes` is that of type 72.
    """
    share = pl.col("share")

    def bounds(used: pl.Expr, most: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
        possible = pl.max_horizontal(most, used)
        low = pl.max_horizontal(used - possible * (1 - share), 0.0)
        high = pl.min_horizontal(used, possible * share)
        whole = pl.when(share >= 1).then(used)
        return whole.otherwise(low), whole.otherwise(high)

    cp_most, ziip_most, speed = pl.col("cp_most"), pl.col("ziip_most"), pl.col("speed of classes")
    general, on_cp = pl.col("general_purpose"), pl.col("ziip_on_cp of classes")
    sums: dict[str, pl.Expr] = {}
    for place, bound in enumerate(("low", "high")):
        ziip = bounds(pl.col("ziip"), ziip_most)[place]
        parts = {
            "general_purpose": bounds(general, cp_most)[place],
            "ziip": ziip,
            "ziip_at_cp_speed": ziip * speed,
            "eligible": ziip * speed + bounds(on_cp, cp_most)[place],
            "eligible_on_ziips": ziip + bounds(on_cp / speed, cp_most / speed)[place],
            "after_offload": bounds(general - on_cp, cp_most)[place],
        }
        sums |= {f"{name} {bound}": part.sum() for name, part in parts.items()}
    amounts = runs.select("run_id", "bytes", "transactions", "seconds")
    of_runs = (
        intervals.group_by("run_id", *_SYSTEM).agg(**sums, partial=(share < 1).any())
        .join(amounts, on="run_id")
    )  # fmt: skip
    for bound, other in (("low", "high"), ("high", "low")):
        cpu = pl.col(f"general_purpose {bound}") + pl.col(f"ziip_at_cp_speed {bound}")
        eligible, after = pl.col(f"eligible {bound}"), pl.col(f"after_offload {other}")
        of_runs = of_runs.with_columns(
            cpu.alias(f"cpu {bound}"),
            (cpu / (pl.col("bytes") / _GIB)).alias(f"cost_per_GB {bound}"),
            (1e6 * cpu / pl.col("transactions")).alias(f"cost_per_transaction_us {bound}"),
            (100 * eligible / (eligible + after)).fill_nan(None).alias(f"ziip_share {bound}"),
            (pl.col(f"eligible_on_ziips {bound}") / pl.col("seconds")).alias(f"ziips {bound}"),
        )
    return of_runs


def _speeds(intervals: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return each system's machine, its service units, and the share of the run on record."""
    cpu = (pl.col("general_purpose") + pl.col("ziip_at_cp_speed")) * pl.col("share")
    covered = _seconds(pl.min_horizontal("stop", "end") - pl.max_horizontal("begin", "start"))
    alike = [pl.col(name).n_unique().alias(f"{name} count") for name in _MACHINE]
    return (
        intervals.group_by("run_id", *_SYSTEM)
        .agg(pl.col(*_MACHINE).first(), *alike, service_units=(cpu * pl.col("su_second")).sum(),
             covered=covered.sum())
        .join(runs.select("run_id", "seconds"), on="run_id")
        .with_columns(
            pl.when(pl.col(f"{name} count") == 1).then(name).alias(name) for name in _MACHINE
        )
    )  # fmt: skip


def _shares(intervals: pl.DataFrame, scope: pl.DataFrame) -> pl.DataFrame:
    """Return intervals with each run of their systems and the share of it that is in the run."""
    near = pl.duration(seconds=_ROUNDED)

    def moved_to(run: str, moment: str) -> pl.Expr:
        off = (pl.col(moment) - pl.col(run)).abs()
        return pl.when(off < near).then(run).otherwise(moment)

    begins = pl.max_horizontal("begin", "from")
    ends = pl.min_horizontal("stop", "to")
    share = _seconds(ends - begins) / _seconds(pl.col("to") - pl.col("from"))
    return (
        scope.join(intervals, on=_SYSTEM)
        .with_columns(moved_to("begin", "start").alias("from"), moved_to("stop", "end").alias("to"))
        .with_columns(share=share)
        .filter(pl.col("share") > 0)
    )


def _systems(machine: pl.DataFrame, work: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the figures by run and system: type 70, and eligible time on CPs of type 72."""
    key = ["run_id", *_SYSTEM]
    dispatched = machine.drop("ziip_on_cp", "eligible_on_ziips")
    charged = work.select(
        *key,
        "ziip_on_cp",
        on_cp_as_ziip=pl.col("eligible_on_ziips") - pl.col("ziip"),
        captured=pl.col("general_purpose") + pl.col("ziip_at_cp_speed"),
    )
    both = dispatched.join(charged, on=key, how="left", nulls_equal=True).with_columns(
        eligible=pl.col("ziip_at_cp_speed") + pl.col("ziip_on_cp"),
        eligible_on_ziips=pl.col("ziip") + pl.col("on_cp_as_ziip"),
    )
    return _costs(both, runs)


def _figures(used: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the figures of jobs, whose eligible time is their own."""
    return _costs(
        used.with_columns(eligible=pl.col("ziip_at_cp_speed") + pl.col("ziip_on_cp")), runs
    )


def _totals(system: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the figures by run: the sums over its systems."""
    sums = [*_USED, "eligible", "eligible_on_ziips", "captured"]
    return _costs(system.group_by("run_id").agg(pl.col(sums).sum()), runs)


def _costs(used: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Add CPU time, what remains after offload, what was not charged, zIIPs needed and costs."""
    cpu = pl.col("general_purpose") + pl.col("ziip_at_cp_speed")
    gib, us = pl.col("bytes") / _GIB, 1e6 / pl.col("transactions")
    amounts = runs.select("run_id", "bytes", "transactions", "seconds")
    known = used.join(amounts, on="run_id").with_columns(
        cpu=cpu, after_offload=cpu - pl.col("eligible")
    )
    if "captured" in known.columns:
        known = known.with_columns(uncaptured=pl.col("cpu") - pl.col("captured"))
    return known.with_columns(
        cost_per_GB=pl.col("cpu") / gib,
        cost_per_GB_after_offload=pl.col("after_offload") / gib,
        cost_per_transaction_us=pl.col("cpu") * us,
        cost_per_transaction_after_offload_us=pl.col("after_offload") * us,
        ziip_share_percent=(100 * pl.col("eligible") / pl.col("cpu")).fill_nan(None),
        ziips_needed=pl.col("eligible_on_ziips") / pl.col("seconds"),
    )


def _seconds(duration: pl.Expr) -> pl.Expr:
    return duration.dt.total_microseconds() / 1e6


def _after(moment: pl.Expr, seconds: pl.Expr) -> pl.Expr:
    return moment + pl.duration(microseconds=(seconds * 1e6).round())
