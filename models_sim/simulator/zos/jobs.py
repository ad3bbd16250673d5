"""SMF 30 and 42 subtype 6: what address spaces used, and their data sets.

Long-running address spaces write subtype 2 at the end of every interval; jobs write subtype 3 for
their last interval, subtype 4 for the step and 5 for the job. Subtype 6, of system address spaces,
is also written at the end of every interval but counts since the system was loaded. So each
unbroken sequence of intervals begins with one, against which its first interval is measured.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from models_sim.simulator.log import Log, local_time, section
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import CPU_COEFFICIENT, SRB_COEFFICIENT, Sysplex

__all__ = ["add_data_sets", "add_jobs"]

_SUMMED = (
    *("tcb_us", "srb_us", "initiator_tcb_us", "io_interrupt_us", "region_control_us"),
    *("hiperspace_us", "ziip_us", "ziip_on_cp_us", "enclave_us", "enclave_ziip_us"),
    *("enclave_ziip_on_cp_us", "java_on_ziip_us", "requests"),
)
_CONNECT_US = 190  # per request, in the address space's sums
_WRITTEN = timedelta(milliseconds=30)  # after the interval's end
_SPACE = ["system", "job", "address_space_id"]


def add_jobs(log: Log, site: Sysplex, frames: Frames) -> None:
    """Add the records of type 30."""
    workloads = {c.name: c.workload for c in site.classes}
    adjustments = {s.name: s.adjustment for s in site.systems}
    rows = (
        frames["address_space"]
        .with_columns(
            pl.col("service_class").replace_strict(workloads).alias("workload"),
            pl.col("system").replace_strict(adjustments).alias("adjustment"),
        )
        .sort("system", "job", "interval", maintain_order=True)
    )
    jobs = rows.filter(~pl.col("system_space"))
    _add(log, site, jobs.filter(~pl.col("ends")), 2)
    _add(log, site, jobs.filter(pl.col("ends")), 3)
    whole = jobs.group_by(_SPACE, maintain_order=True).agg(
        pl.col("start").first(), pl.col(*_SUMMED).sum(), pl.exclude("start", *_SUMMED).last()
    )
    for subtype in (4, 5):
        _add(log, site, whole.filter(pl.col("ends")), subtype)
    _add(log, site, _since_load(rows.filter(pl.col("system_space")), site), 6)


def _since_load(rows: pl.DataFrame, site: Sysplex) -> pl.DataFrame:
    """Return the counts since the system was loaded, at interval ends and sequence starts.

    In times without intervals, a space uses as little as in its least busy interval.
    """
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    before = pl.col("end").shift(1).over(_SPACE).fill_null(site.ipl)
    marked = rows.with_columns(
        gap=(pl.col("start") - before).dt.total_microseconds(),
        **{f"least_{name}": (pl.col(name) / length).min().over(_SPACE) for name in _SUMMED},
    )
    gaps = marked.filter(pl.col("gap") > 0).with_columns(
        end=pl.col("start"),
        **{name: (pl.col(f"least_{name}") * pl.col("gap")).round() for name in _SUMMED},
    )
    both = pl.concat([gaps, marked], how="vertical_relaxed").sort(*_SPACE, "end", "gap")
    return both.with_columns(
        pl.col(*_SUMMED).cum_sum().over(_SPACE), pl.lit(site.ipl).alias("start")
    )


def _add(log: Log, site: Sysplex, rows: pl.DataFrame, subtype: int) -> None:
    rows = rows.with_row_index("record_no").with_columns(pl.col("record_no").cast(pl.Int64))
    tables = {
        "smf30_subsystem": section(
            rows,
            smf30typ=subtype,
            smf30rvn="05",
            smf30pnm="SMF",
            smf30osl=f"SP7.{site.zos}",
            smf30syn=pl.col("system"),
            smf30syp=site.name,
        ),
        "smf30_identification": _identification(site, rows, subtype),
        "smf30_processor_accounting": _processor(site, rows),
        "smf30_io_activity": _io(rows),
        "smf30_storage": _storage(rows),
        "smf30_performance": _performance(site, rows),
    }
    inside = rows.join(_containers(site), on=["system", "job"])
    if inside.height:
        tables["smf30_container"] = section(
            inside, smf30_container_id=pl.col("container"), smf30_pod_id=pl.col("pod")
        )
    if subtype in {4, 5}:
        tables["smf30_completion"] = section(rows, smf30scc=0)
    written = _WRITTEN + timedelta(milliseconds=subtype)
    records = rows.select(
        "record_no", "system", (pl.col("end") + written).alias("moment"), smf30wid="work"
    )
    log.add(30, subtype, records, tables)


def _containers(site: Sysplex) -> pl.DataFrame:
    """Return the address spaces that run in z/OS containers."""
    rows = [
        (system.name, space.job, space.container, space.pod)
        for system in site.systems
        for space in system.spaces
        if space.container
    ]
    names = ["system", "job", "container", "pod"]
    return pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row")


def _identification(site: Sysplex, rows: pl.DataFrame, subtype: int) -> pl.DataFrame:
    names = {"smf30jbn": pl.col("job"), "smf30asi": pl.col("address_space_id")}
    if subtype == 6:
        return section(rows, **names, smf30iet=pl.col("end"))
    begin = pl.col("step_start")
    read = begin - timedelta(seconds=3)
    job = pl.col("work") == "JES2"
    kind = pl.when(job).then(pl.lit("JOB")).otherwise(pl.lit("STC"))
    number = (4000 + pl.col("address_space_id")).cast(pl.String).str.zfill(5)
    day = (begin + site.offset).dt.date()
    interval = {"smf30iss": pl.col("start"), "smf30iet": pl.col("end")}
    return section(
        rows,
        **names,
        smf30pgm=pl.col("program"),
        smf30stm=pl.when(job).then(pl.lit("STEP1")).otherwise("job"),
        smf30jnm=kind + number,
        smf30stn=1,
        smf30rst=local_time(read, site.offset),
        smf30rsd=day,
        smf30ret=local_time(read + timedelta(seconds=1), site.offset),
        smf30red=day,
        smf30sit=local_time(begin, site.offset),
        smf30std=day,
        smf30rud=pl.when(job).then(pl.lit("SYNBATCH")).otherwise(pl.lit("SYNSTC")),
        smf30cl8=pl.when(job).then(pl.lit("A")).otherwise(pl.lit("")),
        **(interval if subtype in {2, 3} else {}),
    )


def _processor(site: Sysplex, rows: pl.DataFrame) -> pl.DataFrame:
    return section(
        rows,
        smf30tfo=True,
        smf30cpt=pl.col("tcb_us"),
        smf30cps=pl.col("srb_us"),
        smf30icu=pl.col("initiator_tcb_us"),
        smf30ist=local_time(pl.col("start"), site.offset),
        smf30idt=(pl.col("start") + site.offset).dt.date(),
        smf30iip=pl.col("io_interrupt_us"),
        smf30rct=pl.col("region_control_us"),
        smf30hpt=pl.col("hiperspace_us"),
        smf30enc=pl.col("enclave_us"),
        smf30_time_on_ziip=pl.col("ziip_us"),
        smf30_enclave_time_on_ziip=pl.col("enclave_ziip_us"),
        smf30_time_ziip_on_cp=pl.col("ziip_on_cp_us"),
        smf30_enclave_time_ziip_on_cp=pl.col("enclave_ziip_on_cp_us"),
        smf30_time_java_on_ziip=pl.col("java_on_ziip_us"),
    )


def _io(rows: pl.DataFrame) -> pl.DataFrame:
    requests = pl.col("requests")
    return section(
        rows,
        smf30tep=requests.clip(upper_bound=0xFFFF_FFFF),
        smf30tex=requests,
        smf30tcn=requests * _CONNECT_US,
        smf30aic=requests * _CONNECT_US,
        smf30aid=requests * 30,
        smf30aiw=requests * 95,
        smf30ais=requests,
    )


def _storage(rows: pl.DataFrame) -> pl.DataFrame:
    used = pl.col("storage_mb")
    return section(
        rows,
        smf30spk=0x80,
        smf30prv=1200,
        smf30sys=640,
        smf30rgb=9 << 20,
        smf30erg=1500 << 20,
        smf30mem=16_384,
        smf30hvr=used * 200,
        smf30hvh=used * (1 << 20),
        smf30hvo=(used + 24) * (1 << 20),
        smf30_hwmhvreal1m=used,
        smf30_sumreal1m=used * 60,
        smf30_numsamples=60,
    )


def _performance(site: Sysplex, rows: pl.DataFrame) -> pl.DataFrame:
    unit_us = pl.col("adjustment") / 16
    cpu_us = (
        pl.col("tcb_us") + pl.col("initiator_tcb_us") + pl.col("ziip_us") * site.ziip_factor / 256
    )
    cpu = (cpu_us / unit_us * CPU_COEFFICIENT).round().cast(pl.Int64)
    srb = (pl.col("srb_us") / unit_us * SRB_COEFFICIENT).round().cast(pl.Int64)
    service = {"srv": cpu + srb, "csu": cpu, "srb": srb}
    return section(
        rows,
        **{f"smf30{k}": v & 0xFFFF_FFFF for k, v in service.items()},
        **{f"smf30{k}_inv": v > 0xFFFF_FFFF for k, v in service.items()},
        **{f"smf30{k}_l": v for k, v in service.items()},
        smf30sus=pl.col("adjustment"),
        smf30wlm=pl.col("workload"),
        smf30scn=pl.col("service_class"),
        smf30rcn=pl.col("report_class"),
        smf30cpc=round(10 * CPU_COEFFICIENT),
        smf30src=round(10 * SRB_COEFFICIENT),
        smf30znf=256,
        smf30snf=site.ziip_factor,
        smf30_capacity_adjustment_ind=100,
    )


def add_data_sets(log: Log, site: Sysplex, frames: Frames) -> None:
    """Add the records of type 42 subtype 6: one per address space and interval."""
    key = ["system", "job", "interval"]
    space = ["work", "step_start", "service_class", "end", "ends"]
    workloads = {c.name: c.workload for c in site.classes}
    records = (
        frames["data_set"]
        .select(key)
        .unique(maintain_order=True)
        .join(
            frames["address_space"].select(*key, *space), on=key, how="left", maintain_order="left"
        )
        .with_row_index("record_no")
        .with_columns(
            pl.col("record_no").cast(pl.Int64),
            (pl.col("end") + _WRITTEN + timedelta(milliseconds=10)).alias("moment"),
            pl.col("service_class").replace_strict(workloads).alias("workload"),
        )
    )
    rows = (
        frames["data_set"]
        .join(records.select(*key, "record_no"), on=key, maintain_order="left")
        .sort("record_no", maintain_order=True)
        .with_columns(parent_no=pl.int_range(1, pl.len() + 1).over("record_no"))
    )
    begin = pl.col("step_start")
    large = pl.col("volume").replace_strict(dict(site.volumes)) % 2 == 1  # as in volumes_of
    tables = {
        "smf42_6_job_header": section(
            records,
            s42jdjnm=pl.col("job"),
            s42jdrst=local_time(begin - timedelta(seconds=3), site.offset),
            s42jdrsd=(begin + site.offset).dt.date(),
            s42jdcod=pl.when("ends").then(0).otherwise(1),
            s42jdver=1,
            s42jdst1=1,
            s42jdgmo=round(site.offset.total_seconds() / 1.048576),
            s42jdwsc=pl.col("service_class"),
            s42jdwld=pl.col("workload"),
            s42jdstn=pl.when(pl.col("work") == "JES2").then(pl.lit("STEP1")).otherwise("job"),
        ),
        "smf42_6_data_set_header": section(
            rows,
            s42dsn=pl.col("data_set"),
            s42dstyp=pl.col("organization"),
            s42dsvol=pl.col("volume"),
            s42dsdev=pl.col("volume").replace_strict(dict(site.volumes)),
            s42dssc=pl.when(large).then(pl.lit("SCLARGE")).otherwise(pl.lit("SCFAST")),
            s42dsbsz=pl.col("block"),
            s42dstrp=pl.when(large).then(4).otherwise(0),
            s42dsent=pl.when(large).then(0x0100).otherwise(0),
            s42dscmt=pl.when(large).then(3).otherwise(0),
        ),
        "smf42_6_data_set_io_statistics": _data_set_statistics(rows),
        "smf42_6_data_access_method_statistics": _access_method(
            rows.filter(pl.col("organization") == 1)
        ),
    }
    log.add(42, 6, records.select("record_no", "system", "moment", smf42nt=2), tables)


def _data_set_statistics(rows: pl.DataFrame) -> pl.DataFrame:
    requests, reads = pl.col("requests"), pl.col("reads")
    average = {
        name: pl.col(f"{component}_us") // requests
        for name, component in (
            ("r", "response"),
            ("c", "connect"),
            ("p", "pending"),
            ("d", "disconnect"),
            ("q", "queue"),
        )
    }
    hits = pl.when(average["d"] > 0).then((reads * 0.85).round()).otherwise(reads)
    return section(
        rows,
        "parent_no",
        **{f"s42dsio{name}": us for name, us in average.items()},
        **{f"s42ds{name}1u": us for name, us in average.items()},
        s42dsion=requests,
        s42dscnd=reads,
        s42dsshts=hits,
        s42dswcn=requests - reads,
        s42dswhi=requests - reads,
        s42dsseq=reads // 3,
        s42dsb1u=average["p"] // 3,
        s42dsm1u=average["p"] // 2,
        s42dsrdt=reads,
        s42dshrd=reads,
        s42dshwr=requests - reads,
        s42dsmxr=pl.col("longest_us"),
        s42dsmxs=pl.col("longest_us"),
    )


def _access_method(rows: pl.DataFrame) -> pl.DataFrame:
    reads, writes = pl.col("reads"), pl.col("requests") - pl.col("reads")
    return section(
        rows,
        "parent_no",
        s42amsrb=reads,
        s42amsrr=reads * 60,
        s42amswb=writes,
        s42amswr=writes * 75,
        s42amrib=reads * pl.col("block"),
        s42amwib=writes * pl.col("block"),
    )
