"""What the data sets, volumes and coupling facility of a campaign did."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.simulator.campaigns.driver import LOG_US, log_writes
from models_sim.simulator.campaigns.plan import MB
from models_sim.simulator.campaigns.site import (
    CAPACITY,
    CARDS,
    CF_LATER_US,
    SITE,
    SOURCE,
    TARGET,
    agent,
)
from models_sim.simulator.campaigns.systems.processors import machines
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Sysplex, System

__all__ = ["card_parts", "card_requests", "cf_processors", "cf_requests", "data_sets", "volumes"]

_US = 1_000_000
_KEY = ["system", "interval"]
_HEADERS, _ELEMENT = 372, 256  # bytes added to a message in a structure, and per element: invented
_WITHOUT_ZHPF = 1.5  # factor on the time of a request: invented


def data_sets(runs: pl.DataFrame, spans: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per interval, address space and data set.

    A row has the blocks of bytes that were moved, or the writes to a log.
    """
    ends = (
        (SOURCE, "source", 1.0),
        (TARGET, "target", 0.0),
    )
    kinds = {"z/OS": "PAYLOAD", "USS": "ZFS"}
    slower = pl.when(pl.col("zhpf").eq_missing("N")).then(_WITHOUT_ZHPF).otherwise(1.0)
    busy = runs.select(
        *("run_no", "bytes", "source", "target", "seconds", "block_size"),
        dasd_factor=pl.col("dasd_factor") * slower,
        log_factor=pl.col("log_us") / LOG_US,
        streams="streams",
        log_writes=log_writes(),
    ).join(spans.select("run_no", "interval"), on="run_no")
    made = []
    for system, side, reads in ends:
        for kind, suffix in kinds.items():
            (data_set,) = [
                d
                for space in _system(system).spaces
                for d in space.data_sets
                if d.name.endswith(suffix)
            ]
            block = pl.lit(data_set.block)
            if (side, kind) == ("target", "z/OS"):
                block = pl.col("block_size").fill_null(data_set.block)
            # An I/O moves as many small blocks as make up a usual one: invented.
            chained = (pl.lit(data_set.block) // block).clip(lower_bound=1)
            rows = busy.filter(pl.col(side) == kind).select(
                "interval",
                block=block.cast(pl.Int64),
                system=pl.lit(system),
                job=pl.lit(agent(system)),
                data_set=pl.lit(data_set.name),
                requests=(pl.col("bytes") / (block * chained)).ceil().cast(pl.Int64),
                part=pl.lit(reads),
                factor=pl.col("dasd_factor"),
            )
            made.append(rows)
        at_target = pl.when("streams").then("log_writes").otherwise(0)
        written = pl.col("log_writes") if system == SOURCE else at_target
        log_factor = pl.col("log_factor") if system == SOURCE else pl.lit(1.0)
        for space in _system(system).spaces:
            logs = [d for d in space.data_sets if "LOGCOPY" in d.name]
            made += [
                busy.select(
                    "interval",
                    block=pl.lit(d.block, pl.Int64),
                    system=pl.lit(system),
                    job=pl.lit(space.job),
                    data_set=pl.lit(d.name),
                    requests=(pl.col("seconds") * 6 + pl.col("bytes") / (256 * MB) + written)
                    .ceil()
                    .cast(pl.Int64),
                    part=pl.lit(0.02),
                    factor=log_factor,
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


def volumes(frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval and volume: requests to its data sets, and others."""
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


def cf_requests(
    site: Sysplex,
    runs: pl.DataFrame,
    spans: pl.DataFrame,
    by_system: pl.DataFrame,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Return one row per system, interval and structure: its requests, and sums of their times."""
    shared = runs.select(
        *("run_no", "bytes", "cf_factor", "fills", "transactions", "message_size_bytes"),
        shared=pl.col("queue").fill_null("").str.starts_with("Shared"),
    )
    structures = pl.DataFrame(
        [
            {"structure": s.name, "kind": s.kind, "rate": s.rate, "async_part": s.asynchronous,
             "sync_mean": s.sync_us, "async_mean": s.async_us, "entries": s.entries,
             "elements": s.elements, "used": s.used}
            for s in site.structures
        ]
    )  # fmt: skip
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds() / _US
    data = pl.col("structure").str.contains("MFT")
    works = pl.col("system").is_in([SOURCE, TARGET])
    # A message of 256 KB on a shared queue is put and got in 64 KB parts, and logged in between.
    messages = pl.when(data & works & pl.col("shared").fill_null(False)).then(
        pl.col("bytes").fill_null(0) / (64 * 1024) * 2
    )
    filled = pl.col("structure") == CAPACITY.name
    stored = pl.when(filled & pl.col("fills")).then("transactions").fill_null(0)
    puts = pl.when(pl.col("system") == SOURCE).then(stored).otherwise(0)
    elements = ((pl.col("message_size_bytes") + _HEADERS) / _ELEMENT).ceil().fill_null(0)
    rows = (
        by_system.select(*_KEY, "start", "end")
        .join(spans.select("interval", "run_no"), on="interval", maintain_order="left")
        .join(shared, on="run_no", how="left", maintain_order="left")
        .join(machines(runs, spans), on="interval", maintain_order="left")
        .join(structures, how="cross", maintain_order="left_right")
        .with_columns(
            expected=pl.col("rate") * length + messages.otherwise(0.0) + puts,
        )
    )
    total = rng.poisson(rows["expected"].to_numpy())
    slow = rng.binomial(total, rows["async_part"].to_numpy())
    changed = rng.binomial(slow, 0.35)
    queued = rng.binomial(slow, 0.02)
    none = np.zeros_like(total)
    contention = np.where(rows["kind"].to_numpy() == 3, rng.binomial(total, 0.002), none)
    later = rows["machine"].replace_strict(CF_LATER_US, default=0.0, return_dtype=pl.Float64)
    sync_mean = (rows["sync_mean"] + later).to_numpy()
    async_mean = (rows["async_mean"] + later).to_numpy()
    noise = np.exp(0.04 * rng.standard_normal((2, rows.height)))
    noise = noise * rows["cf_factor"].fill_null(1.0).to_numpy()
    times = {
        "sync": (total - slow, sync_mean * noise[0], 0.25),
        "async": (slow, async_mean * noise[1], 0.5),
        "queued": (queued, np.full(len(total), 20.0), 0.8),
        "monopolized": (none, none, 0.0),
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
        entries_in_use=pl.when(filled)
        .then(stored)
        .otherwise((pl.col("entries") * used).round())
        .cast(pl.Int64),
        elements_in_use=pl.when(filled)
        .then(stored * elements)
        .otherwise((pl.col("elements") * used).round())
        .cast(pl.Int64),
        execution_us=pl.Series(total * sync_mean * 0.32),
    )


def cf_processors(frames: Frames) -> pl.DataFrame:
    """Return one row per interval and coupling facility processor: its busy and wait time."""
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


def card_requests(runs: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return one row per interval with requests, card and operation, for the whole machine."""
    requests = (
        runs.select("run_no", "crypto")
        .explode("crypto", empty_as_null=False)
        .unnest("crypto")
        .join(spans.select("run_no", "interval"), on="run_no")
        .select(
            "interval",
            "card",
            "operation",
            operations="number",
            execution_us=(pl.col("number") * pl.col("us")).round(),
        )
    )
    if not requests.height:
        return requests
    # The cards' other operations are counted too, and are zero.
    every = pl.DataFrame(
        [(card.number, operation) for card in CARDS for operation, *_ in card.operations],
        schema={"card": pl.Int64, "operation": pl.String},
        orient="row",
    )
    spent = requests.select("interval").unique(maintain_order=True)
    return (
        spent.join(every, how="cross", maintain_order="left_right")
        .join(requests, on=["interval", "card", "operation"], how="left", maintain_order="left")
        .with_columns(pl.col("operations", "execution_us").fill_null(0))
    )


def card_parts(runs: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return each system's share of the requests to cards: both ends of a channel have a half."""
    two = pl.col("streams").cast(pl.Float64) / 2
    of_run = runs.select("run_no", two=two).join(spans, on="run_no")
    return pl.concat(
        of_run.select("interval", system=pl.lit(system), part=part)
        for system, part in ((SOURCE, 1 - pl.col("two")), (TARGET, pl.col("two")))
    )
