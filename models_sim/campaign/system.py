"""What the sysplex did in a campaign, as the frames that the records of z/OS are made of.

The columns are those of models_sim.zos.simulate. Each run is one interval on every LPAR, and so is
each quiet time between two runs of a session.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.campaign.plan import MB
from models_sim.campaign.site import CAPTURE, SITE, SOURCE, TARGET, agent
from models_sim.campaign.split import split
from models_sim.zos.profile import System
from models_sim.zos.simulate import Frames

__all__ = ["intervals", "simulate"]

_US = 1_000_000
_QUIET = 0.021  # CPU seconds of a processor and second where nothing runs: document 000, section 3
_WITHOUT_ZHPF = 1.5  # of the time of a request: invented
_SAMPLES_A_SECOND = 4  # of WLM
_KEY = ["system", "interval"]
_USED = ("tcb_us", "srb_us", "initiator_tcb_us", "io_interrupt_us", "region_control_us",
         "hiperspace_us", "ziip_us", "ziip_on_cp_us")  # fmt: skip


def intervals(runs: pl.DataFrame) -> pl.DataFrame:
    """One row an interval of the sysplex: `interval`, `run_no` (null: quiet), `start`, `end`.

    While runs of Linux alone are under way nothing is recorded.
    """
    numbered = runs.select("start", "stop", "quiet", "document").with_row_index("run_no")
    numbered = numbered.filter(pl.col("document") != "002")
    busy = numbered.select("run_no", "start", end="stop")
    quiet = numbered.filter(pl.col("quiet") > 0).select(
        pl.lit(None, pl.UInt32).alias("run_no"),
        pl.col("stop").alias("start"),
        (pl.col("stop") + pl.duration(seconds=pl.col("quiet").cast(pl.Int64))).alias("end"),
    )
    both = pl.concat([busy, quiet]).sort("start").with_row_index("interval")
    return both.with_columns(pl.col("interval", "run_no").cast(pl.Int64))


def simulate(runs: pl.DataFrame, seed: int) -> Frames:
    """The frames of a campaign; CPU times sum to each run's cost."""
    rng = np.random.default_rng([seed, *b"system"])
    spans = intervals(runs)
    systems = pl.DataFrame([{"system": s.name, "cps": s.cps} for s in SITE.systems])
    spread = spans.join(systems, how="cross", maintain_order="left_right")
    frames: Frames = {
        "interval": spread.select(
            *("system", "interval", "start", "end"),
            planned_end="end",
            load=pl.when(pl.col("run_no").is_null()).then(0.0).otherwise(0.5),
            skipped=pl.lit(False),
        )
    }
    frames["data_set"] = _data_sets(runs, spans, rng)
    frames["address_space"] = _spaces(runs, spread, frames["data_set"])
    frames["volume"] = _volumes(frames, rng)
    frames["class_period"] = _class_periods(frames, rng)
    frames["processor"] = _processors(runs, spans, frames, rng)
    frames["partition"] = _partitions(frames["processor"], frames["interval"])
    frames["cf_request"] = _requests(runs, spans, frames["interval"], rng)
    frames["cf_processor"] = _cf_processors(frames)
    frames["counter"] = _counters(frames["processor"], rng)
    return _without_lost(frames, runs, spans)


def _without_lost(frames: Frames, runs: pl.DataFrame, spans: pl.DataFrame) -> Frames:
    """The frames without what a system should have recorded of a run, and did not."""
    numbered = runs.select("lost").with_row_index("run_no")
    lost = (
        numbered.explode("lost", empty_as_null=False)
        .select(pl.col("run_no").cast(pl.Int64), system="lost")
        .join(spans, on="run_no")
        .select(*_KEY)
    )
    if not lost.height:
        return frames
    return {
        name: frame.join(lost, on=_KEY, how="anti", maintain_order="left")
        if "system" in frame.columns
        else frame
        for name, frame in frames.items()
    }


# --- address spaces


def _spaces(runs: pl.DataFrame, spread: pl.DataFrame, data_sets: pl.DataFrame) -> pl.DataFrame:
    """One row an interval and address space: what it used, by kind of CPU time."""
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
    offload = runs.select(pl.col("offload").fill_null(0.0)).with_row_index("run_no")
    joined = (
        spread.join(described, on="system", maintain_order="left_right")
        .join(
            split(runs).with_columns(pl.col("run_no").cast(pl.Int64)),
            on=["run_no", "system", "job"],
            how="left",
            maintain_order="left",
        )
        .join(requests, on=[*_KEY, "job"], how="left", maintain_order="left")
        .join(
            offload.with_columns(pl.col("run_no").cast(pl.Int64)),
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


# --- data sets and volumes


def _data_sets(runs: pl.DataFrame, spans: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """One row an interval, address space and data set: the bytes moved by block, and logs."""
    ends = (
        (SOURCE, "source", 1.0),
        (TARGET, "target", 0.0),
    )
    kinds = {"z/OS": "PAYLOAD", "USS": "ZFS"}
    slower = pl.lit(1.0)
    if "zhpf" in runs.columns:
        slower = pl.when(pl.col("zhpf").eq_missing("N")).then(_WITHOUT_ZHPF).otherwise(1.0)
    busy = (
        runs.select(
            *("bytes", "source", "target", "seconds"), dasd_factor=pl.col("dasd_factor") * slower
        )
        .with_row_index("run_no")
        .join(spans.select(pl.col("run_no").cast(pl.UInt32), "interval"), on="run_no")
    )
    made = []
    for system, side, reads in ends:
        for kind, suffix in kinds.items():
            (data_set,) = [
                d
                for space in _system(system).spaces
                for d in space.data_sets
                if d.name.endswith(suffix)
            ]
            rows = busy.filter(pl.col(side) == kind).select(
                "interval",
                system=pl.lit(system),
                job=pl.lit(agent(system)),
                data_set=pl.lit(data_set.name),
                requests=(pl.col("bytes") / data_set.block).ceil().cast(pl.Int64),
                part=pl.lit(reads),
                factor=pl.col("dasd_factor"),
            )
            made.append(rows)
        for space in _system(system).spaces:
            logs = [d for d in space.data_sets if "LOGCOPY" in d.name]
            made += [
                busy.select(
                    "interval",
                    system=pl.lit(system),
                    job=pl.lit(space.job),
                    data_set=pl.lit(d.name),
                    requests=(pl.col("seconds") * 6 + pl.col("bytes") / (256 * MB))
                    .ceil()
                    .cast(pl.Int64),
                    part=pl.lit(0.02),
                    factor=pl.lit(1.0),
                )
                for d in logs
            ]
    described = pl.DataFrame(
        [
            {
                "data_set": d.name,
                "volume": d.volume,
                "connect": d.connect,
                "pending": d.pending,
                "disconnect": d.disconnect,
                "organization": d.organization,
                "block": d.block,
            }
            for s in SITE.systems
            for space in s.spaces
            for d in space.data_sets
        ]
    )
    rows = pl.concat(made).sort("interval", "system", "job", "data_set")
    noise = np.exp(0.03 * rng.standard_normal((4, rows.height)))
    joined = rows.join(described, on="data_set", how="left", maintain_order="left")

    def us(name: str, i: int) -> pl.Expr:
        return (pl.col(name) * pl.col("factor") * pl.Series(noise[i])).round().cast(pl.Int64)

    timed = joined.with_columns(
        connect=us("connect", 0),
        pending=us("pending", 1),
        disconnect=us("disconnect", 2),
        queue=(4 * pl.Series(noise[3])).round().cast(pl.Int64),
        reads=(pl.col("requests") * pl.col("part")).round().cast(pl.Int64),
    )
    parts = ("connect", "pending", "disconnect", "queue")
    response = pl.sum_horizontal(*parts)
    return timed.select(
        *("system", "interval", "job", "data_set", "volume", "requests", "reads"),
        *((pl.col(name) * pl.col("requests")).alias(f"{name}_us") for name in parts),
        (response * pl.col("requests")).alias("response_us"),
        (response * 8).alias("longest_us"),
        "organization",
        "block",
    )


def _system(name: str) -> System:
    return next(s for s in SITE.systems if s.name == name)


def _volumes(frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """One row a system, interval and volume: its data sets' requests and those of no data set."""
    parts = ["connect_us", "pending_us", "disconnect_us"]
    sums = frames["data_set"].group_by(*_KEY, "volume").agg(pl.col("requests", *parts).sum())
    grid = (
        frames["interval"]
        .select(*_KEY, "start", "end")
        .join(
            pl.DataFrame({"volume": list(SITE.volumes)}), how="cross", maintain_order="left_right"
        )
        .join(sums, on=[*_KEY, "volume"], how="left", maintain_order="left")
        .with_columns(pl.col("requests", *parts).fill_null(0))
    )
    length = ((grid["end"] - grid["start"]).dt.total_microseconds() / _US).to_numpy()
    others = pl.Series(rng.poisson(0.4 * length))
    requests = pl.col("requests") + others
    busy = (pl.col("requests") / pl.Series(length)).clip(upper_bound=2000)
    return grid.select(
        *_KEY,
        "volume",
        requests=requests,
        ios_queue_us=(pl.col("requests") * busy * 0.01).round().cast(pl.Int64),
        pending_us=pl.col("pending_us") + others * 88,
        connect_us=pl.col("connect_us") + others * 145,
        disconnect_us=pl.col("disconnect_us") + others * 20,
        command_response_us=requests * 14,
        device_busy_us=requests * 3,
    )


# --- classes


def _class_periods(frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """One row a system, interval and class; none has more than one period."""
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


# --- processors and partitions


def _processors(
    runs: pl.DataFrame, spans: pl.DataFrame, frames: Frames, rng: np.random.Generator
) -> pl.DataFrame:
    """One row a system, interval and logical processor; zIIPs are offline but in some runs.

    Dispatched is what the address spaces used divided by the capture ratio.
    """
    used = pl.sum_horizontal(name for name in _USED if not name.startswith("ziip"))
    sums = (
        frames["address_space"]
        .group_by(_KEY, maintain_order=True)
        .agg(CP=used.sum() / CAPTURE, zIIP=pl.col("ziip_us").sum() / CAPTURE)
    )
    online = runs.select(has_ziips=pl.col("offload").is_not_null()).with_row_index("run_no")
    of_span = spans.join(
        online.with_columns(pl.col("run_no").cast(pl.Int64)), on="run_no", how="left"
    )
    logical = pl.DataFrame(
        [
            {"system": s.name, "processor": i, "of_kind": i if i < s.cps else i - s.cps,
             "count": s.cps if i < s.cps else s.ziips, "chip": s.partition,
             "processor_type": "CP" if i < s.cps else "zIIP"}
            for s in SITE.systems
            for i in range(s.cps + s.ziips)
        ]
    )  # fmt: skip
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    is_cp = pl.col("processor_type") == "CP"
    rows = (
        frames["interval"]
        .select(*_KEY, "start", "end", "load")
        .join(sums, on=_KEY, maintain_order="left")
        .join(of_span.select("interval", "has_ziips"), on="interval", maintain_order="left")
    )
    # Of two processors the first takes a little more, and the second what is left.
    more = pl.Series("more", rng.normal(0.51, 0.01, rows.height))
    placed = (
        rows.with_columns(more)
        .join(logical, on="system", maintain_order="left_right")
        .with_columns(
            busy=pl.when(is_cp).then("CP").otherwise("zIIP"),
            online_us=pl.when(is_cp | pl.col("has_ziips").fill_null(False))
            .then(length)
            .otherwise(0),
        )
    )
    first = (pl.col("busy") * pl.col("more")).round()
    shared = pl.when(pl.col("of_kind") == 0).then(first).otherwise(pl.col("busy") - first)
    busy = pl.when(pl.col("count") == 1).then("busy").otherwise(shared).round().cast(pl.Int64)
    idle = (pl.col("online_us") - (pl.col("effective_us") * 1.01).round()).clip(0)
    return placed.with_columns(
        effective_us=pl.when(pl.col("online_us") > 0).then(busy).otherwise(0)
    ).select(
        *_KEY,
        "processor",
        "processor_type",
        "online_us",
        parked_us=pl.lit(0, pl.Int64),
        effective_us=pl.col("effective_us"),
        dispatched_us=pl.col("effective_us"),
        wait_us=idle.cast(pl.Int64),
        polarization=pl.lit(0, pl.Int64),
        load=pl.col("load"),
        chip=pl.col("chip"),
        drawer=pl.lit(1, pl.Int64),
    )


def _partitions(processors: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """One row a partition, interval and logical processor, as PR/SM sees them."""
    columns = ["processor_type", "processor", "online_us", "effective_us", "dispatched_us"]
    extra = ["polarization", "chip", "drawer"]
    known = processors.select(pl.col("system").alias("partition"), "interval", *columns, *extra)
    others = [(SITE.cf_name, "ICF", i, 0.996) for i in range(SITE.physical["ICF"])]
    others += [
        ("PHYSICAL", kind, i, 0.002)
        for kind, number in SITE.physical.items()
        for i in range(number)
    ]
    schema = ["partition", "processor_type", "processor", "part"]
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    made = (
        spans.filter(pl.col("system") == SOURCE)
        .select("interval", online_us=length)
        .join(
            pl.DataFrame(others, schema=schema, orient="row"),
            how="cross",
            maintain_order="left_right",
        )
        .with_columns(dispatched_us=(pl.col("online_us") * pl.col("part")).round().cast(pl.Int64))
        .select(
            *("partition", "interval", "processor_type", "processor", "online_us"),
            effective_us=pl.when(pl.col("partition") == "PHYSICAL")
            .then(0)
            .otherwise("dispatched_us"),
            dispatched_us=pl.col("dispatched_us"),
            polarization=pl.lit(0, pl.Int64),
            chip=pl.lit(3, pl.Int64),
            drawer=pl.lit(1, pl.Int64),
        )
    )
    return pl.concat([known, made], how="vertical_relaxed")


# --- coupling facility


def _requests(
    runs: pl.DataFrame, spans: pl.DataFrame, by_system: pl.DataFrame, rng: np.random.Generator
) -> pl.DataFrame:
    """One row a system, interval and structure: its requests, and the sums of their times."""
    queue = pl.col("queue").fill_null("") if "queue" in runs.columns else pl.lit("")
    shared = runs.select("bytes", "cf_factor", shared=queue.str.starts_with("Shared"))
    numbered = shared.with_row_index("run_no").with_columns(pl.col("run_no").cast(pl.Int64))
    structures = pl.DataFrame(
        [
            {"structure": s.name, "kind": s.kind, "rate": s.rate, "async_part": s.asynchronous,
             "sync_mean": s.sync_us, "async_mean": s.async_us, "entries": s.entries,
             "elements": s.elements, "used": s.used}
            for s in SITE.structures
        ]
    )  # fmt: skip
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds() / _US
    data = pl.col("structure").str.contains("MFT")
    works = pl.col("system").is_in([SOURCE, TARGET])
    # A message of 256 KB on a shared queue is put and got in parts of 64 KB, and logged in between.
    messages = pl.when(data & works & pl.col("shared").fill_null(False)).then(
        pl.col("bytes").fill_null(0) / (64 * 1024) * 2
    )
    rows = (
        by_system.select(*_KEY, "start", "end")
        .join(spans.select("interval", "run_no"), on="interval", maintain_order="left")
        .join(numbered, on="run_no", how="left", maintain_order="left")
        .join(structures, how="cross", maintain_order="left_right")
        .with_columns(expected=pl.col("rate") * length + messages.otherwise(0.0))
    )
    total = rng.poisson(rows["expected"].to_numpy())
    slow = rng.binomial(total, rows["async_part"].to_numpy())
    changed = rng.binomial(slow, 0.35)
    queued = rng.binomial(slow, 0.02)
    none = np.zeros_like(total)
    contention = np.where(rows["kind"].to_numpy() == 3, rng.binomial(total, 0.002), none)
    sync_mean, async_mean = rows["sync_mean"].to_numpy(), rows["async_mean"].to_numpy()
    noise = np.exp(0.04 * rng.standard_normal((2, rows.height)))
    noise = noise * rows["cf_factor"].fill_null(1.0).to_numpy()
    times = {
        "sync": (total - slow, sync_mean * noise[0], 0.25),
        "async": (slow, async_mean * noise[1], 0.5),
        "queued": (queued, np.full(len(total), 20.0), 0.8),
        "monopolized": (none, np.full(len(total), 22.0), 0.6),
    }
    timed: dict[str, NDArray[np.int64]] = {}
    for name, (count, mean, deviation) in times.items():
        us = np.rint(count * mean)
        squares = np.divide(
            us**2 * (1 + deviation**2), count, out=np.zeros(len(us)), where=count > 0
        )
        timed |= {f"{name}_requests": count, f"{name}_us": us.astype(np.int64),
                  f"{name}_squared_us": np.rint(squares).astype(np.int64)}  # fmt: skip
    used = 0.05 + 0.3 * pl.col("shared").fill_null(False).cast(pl.Float64) * data.cast(pl.Float64)
    return rows.select(
        *_KEY,
        "structure",
        "kind",
        requests=pl.Series(total),
        changed_requests=pl.Series(changed),
        **{name: pl.Series(values) for name, values in timed.items()},
        contention=pl.Series(contention),
        false_contention=pl.Series(contention // 3),
        entries_in_use=(pl.col("entries") * used).round().cast(pl.Int64),
        elements_in_use=(pl.col("elements") * used).round().cast(pl.Int64),
        execution_us=pl.Series(total * sync_mean * 0.32),
    )


def _cf_processors(frames: Frames) -> pl.DataFrame:
    """One row an interval and processor of the coupling facility: what all requests took."""
    work = frames["cf_request"].group_by("interval").agg(pl.col("execution_us").sum())
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    count = SITE.physical["ICF"]
    return (
        frames["interval"]
        .filter(pl.col("system") == SOURCE)
        .select("interval", length=length)
        .join(work, on="interval", maintain_order="left")
        .join(pl.DataFrame({"processor": range(count)}), how="cross", maintain_order="left_right")
        .with_columns(busy_us=(pl.col("execution_us") / count).round().cast(pl.Int64))
        .select("interval", "processor", "busy_us", wait_us=pl.col("length") - pl.col("busy_us"))
    )


# --- hardware counters

_CYCLES_PER_US = 5200
_INSTRUCTIONS = 1 / 2.6  # a cycle
_MISSES = 0.03  # of level 1, an instruction
# Counters of z15 by the part of the level 1 misses that they count: L2, L3, L4, memory.
_SOURCES = {133: 0.50, 136: 0.26, 144: 0.13, 146: 0.05, 147: 0.035, 153: 0.005, 145: 0.02}


def _counters(processors: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """One row a system, interval, processor and counter that is not zero: its increase."""
    online = processors.filter(pl.col("online_us") > 0)
    noise = np.exp(0.02 * rng.standard_normal((2, online.height)))
    cycles = online["effective_us"].to_numpy() * float(_CYCLES_PER_US)
    instructions = cycles * _INSTRUCTIONS * noise[0]
    misses = instructions * _MISSES * noise[1]
    values = {
        0: cycles,
        1: instructions,
        2: misses * 0.42,
        3: cycles * 0.15,
        4: misses * 0.58,
        5: cycles * 0.27,
        32: cycles * 0.71,
        33: instructions * 0.68,
        **{number: misses * part for number, part in _SOURCES.items()},
    }
    key = online.select(*_KEY, "processor", "processor_type")
    return pl.concat(
        key.with_columns(
            counter=pl.lit(number, pl.Int64), increase=pl.Series(np.rint(v).astype(np.int64))
        )
        for number, v in values.items()
    )
