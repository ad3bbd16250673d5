"""What the synthetic sysplex did, interval by interval: the truth behind its records.

Everything is counted once here, as frames, and appears in every record that counts it. What address
spaces used is summed to classes and, with the part that no address space accounts for, to
processors and partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.zos import machine
from models_sim.simulator.zos.machine import ON_CP, Frames, noise, rows_of
from models_sim.simulator.zos.profile import (
    INTERVAL_SECONDS,
    PLEX1,
    START,
    DataSet,
    Space,
    Sysplex,
    System,
    WorkClass,
)

__all__ = ["simulate"]

_SECOND = 1_000_000
_SAMPLES_A_SECOND = 4  # taken by WLM
_STARTED_BEFORE = timedelta(days=3, hours=4)
_SKIPPED = ("SY2", 5)  # system and interval whose samples are to be skipped


def simulate(
    seed: int,
    site: Sysplex = PLEX1,
    start: datetime = START,
    skipped: tuple[str, int] | None = _SKIPPED,
) -> Frames:
    """Return the frames of all intervals from `start` (UTC); by default two hours.

    They depend only on the seed. `site` may be PLEX1 with other loads and work; the loads of its
    systems give the number of intervals. Times of CPU and I/O are in microseconds
    (`_us`), moments in UTC. `interval` counts from 0. `skipped` names the system and the interval
    whose samples the records declare invalid.
    """
    systems = site.systems
    frames: Frames = {"interval": _intervals(systems, start, skipped, _generator(seed, "interval"))}
    spaces = _generator(seed, "space")
    steps = [step for s in systems for step in _spaces(site, s, frames["interval"], start, spaces)]
    frames["address_space"] = pl.DataFrame(steps)
    data_sets = {(s.name, a.job): a.data_sets for s in systems for a in s.spaces}
    frames["data_set"] = _data_sets(
        frames["address_space"], data_sets, _generator(seed, "data set")
    )
    frames["volume"] = _volumes(frames, _generator(seed, "volume"))
    frames["class_period"] = _class_periods(site, frames, _generator(seed, "class"))
    frames["processor"] = machine.processors(systems, frames, _generator(seed, "processor"))
    frames["partition"] = machine.partitions(site, frames, _generator(seed, "partition"))
    frames["cf_request"] = machine.cf_requests(
        site, frames["interval"], _generator(seed, "structure")
    )
    frames["cf_processor"] = machine.cf_processors(site, frames)
    frames["crypto"] = machine.card_requests(site, frames["interval"], _generator(seed, "crypto"))
    frames["counter"] = machine.counters(frames["processor"], _generator(seed, "counter"))
    return frames


def _generator(seed: int, what: str) -> np.random.Generator:
    return np.random.default_rng([seed, *what.encode()])


def _intervals(
    systems: Sequence[System],
    begin: datetime,
    skipped: tuple[str, int] | None,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Return one row per system and interval.

    The systems' intervals end some milliseconds apart.
    """
    rows = []
    for system in systems:
        start = begin
        for k, load in enumerate(system.load):
            planned = begin + timedelta(seconds=INTERVAL_SECONDS * (k + 1))
            end = planned + timedelta(milliseconds=int(rng.integers(0, 40)))
            rows.append(
                {
                    "system": system.name,
                    "interval": k,
                    "start": start,
                    "end": end,
                    "planned_end": planned,
                    "load": load,
                    "skipped": (system.name, k) == skipped,
                }
            )
            start = end
    return pl.DataFrame(rows)


# --- address spaces


def _spaces(
    site: Sysplex,
    system: System,
    intervals: pl.DataFrame,
    start: datetime,
    rng: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    for interval in rows_of(intervals, system=system.name):
        for number, space in enumerate(system.spaces):
            begin, end = interval["start"], interval["end"]
            ends = False
            if space.active:
                job_begin, job_end = (start + timedelta(seconds=s) for s in space.active)
                begin, ends = max(begin, job_begin), job_end <= end
                end = min(end, job_end)
            if begin < end:
                yield {
                    "system": system.name,
                    "interval": interval["interval"],
                    "job": space.job,
                    "address_space_id": 1 + number if space.system_space else 40 + number,
                    "program": space.program,
                    "work": space.work,
                    "system_space": space.system_space,
                    "step_start": start + timedelta(seconds=space.active[0])
                    if space.active
                    else start - _STARTED_BEFORE,
                    "service_class": space.service_class,
                    "report_class": space.report_class,
                    "start": begin,
                    "end": end,
                    "ends": ends,
                    **_cpu_and_io(
                        site, space, (end - begin).total_seconds(), interval["load"], rng
                    ),
                }


def _cpu_and_io(
    site: Sysplex, space: Space, seconds: float, load: float, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the CPU time by kind and the I/O of a space in `seconds`."""
    part = 1.0 if space.active else space.idle + (1 - space.idle) * load
    work = seconds * part * noise(rng)
    eligible = space.eligible * work
    on_cp = eligible * (1 - space.offload) * noise(rng)
    tcb = space.tcb * work + on_cp
    srb = space.srb * work
    ziip = eligible * space.offload * 256 / site.ziip_factor
    requests = [int(rng.poisson(d.rate * work)) for d in space.data_sets]
    interrupts = 7e-6 * sum(requests)

    def us(value: float) -> int:
        return round(value * _SECOND)

    return {
        "tcb_us": us(tcb),
        "srb_us": us(srb),
        "initiator_tcb_us": us(0.004 if space.active else 0.0),
        "io_interrupt_us": us(interrupts),
        "region_control_us": us(2e-5 * seconds),
        "hiperspace_us": 0,
        "ziip_us": us(ziip),
        "ziip_on_cp_us": us(on_cp),
        "enclave_us": us(tcb * space.enclave),
        "enclave_ziip_us": us(ziip * space.enclave),
        "enclave_ziip_on_cp_us": us(on_cp * space.enclave),
        "java_on_ziip_us": us(ziip * space.java),
        "storage_mb": round(space.storage_mb * (0.7 + 0.3 * load)),
        "requests": sum(requests),
        "data_set_requests": requests,
    }


# --- data sets and volumes


def _data_sets(
    spaces: pl.DataFrame,
    data_sets: Mapping[tuple[str, str], tuple[DataSet, ...]],
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Return one row per address space, interval and data set; times are sums over its requests."""
    rows = []
    for space in spaces.iter_rows(named=True):
        sets = data_sets[space["system"], space["job"]]
        for data_set, requests in zip(sets, space["data_set_requests"], strict=True):
            if requests:
                key = {k: space[k] for k in ("system", "interval", "job")}
                rows.append(key | _data_set(data_set, requests, rng))
    return pl.DataFrame(rows)


def _data_set(d: DataSet, requests: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the times of a data set.

    They are whole microseconds per request, because records have averages.
    """
    connect, pending, disconnect = (
        round(us * noise(rng)) for us in (d.connect, d.pending, d.disconnect)
    )
    queue = round(4 * noise(rng))
    return {
        "data_set": d.name,
        "volume": d.volume,
        "requests": requests,
        "reads": int(rng.binomial(requests, d.reads)),
        "connect_us": connect * requests,
        "pending_us": pending * requests,
        "disconnect_us": disconnect * requests,
        "queue_us": queue * requests,
        "response_us": (connect + pending + disconnect + queue) * requests,
        "longest_us": round((connect + pending + disconnect + queue) * (6 + 4 * rng.random())),
        "organization": d.organization,
        "block": d.block,
    }


def _volumes(frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval and volume: requests to its data sets, and others.

    Both systems see every volume; a row has only what the volume did for its system.
    """
    parts = ["connect_us", "pending_us", "disconnect_us"]
    by_volume = (
        frames["data_set"]
        .group_by("system", "interval", "volume")
        .agg(pl.col("requests", *parts).sum())
    )
    every = frames["data_set"].select("volume").unique().sort("volume")
    grid = frames["interval"].select("system", "interval", "start", "end").join(every, how="cross")
    joined = grid.join(by_volume, on=["system", "interval", "volume"], how="left").fill_null(0)
    rows = []
    for row in joined.sort("system", "interval", "volume").iter_rows(named=True):
        others = int(rng.poisson(0.4 * (row["end"] - row["start"]).total_seconds()))
        requests = row["requests"] + others
        busy = row["requests"] / (row["end"] - row["start"]).total_seconds()
        rows.append(
            {k: row[k] for k in ("system", "interval", "volume")}
            | {
                "requests": requests,
                "ios_queue_us": round(requests * busy * 0.02 * noise(rng)),
                "pending_us": row["pending_us"] + others * 88,
                "connect_us": row["connect_us"] + others * 145,
                "disconnect_us": row["disconnect_us"] + others * 20,
                "command_response_us": requests * 14,
                "device_busy_us": requests * 3,
            }
        )
    return pl.DataFrame(rows)


# --- classes


def _class_periods(site: Sysplex, frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval, class and period; report classes have one period."""
    used = [*ON_CP, "ziip_us", "ziip_on_cp_us"]
    by_class = {c.name: c for c in site.classes}
    intervals = {(row["system"], row["interval"]): row for row in rows_of(frames["interval"])}
    rows = []
    for column in ("service_class", "report_class"):
        sums = (
            frames["address_space"]
            .group_by("system", "interval", column, maintain_order=True)
            .agg(
                pl.col(*used, "requests").sum(),
                pl.len().alias("spaces"),
                pl.col("ends").sum().alias("jobs"),
                pl.col("service_class").last().alias("contributes"),
                (pl.col("service_class").n_unique() > 1).alias("heterogeneous"),
            )
        )
        if column == "service_class":  # RMF writes every class of the policy in every interval
            sums = _with_idle(sums, frames["interval"])
        for row in sums.iter_rows(named=True):
            name, report = row[column], column == "report_class"
            work = by_class[row["contributes"]]
            shares = (1.0,) if report else work.shares
            interval = intervals[row["system"], row["interval"]]
            counts = _transactions(by_class["ONLINE"], row["jobs"], name, interval, report=report)
            for period, share in enumerate(shares, start=1):
                ended = counts.get(period, 0)
                busy = share * (row["tcb_us"] + row["srb_us"]) / _SECOND
                ziip = share * row["ziip_us"] / _SECOND
                rows.append(
                    {
                        "system": row["system"],
                        "interval": row["interval"],
                        "class": name,
                        "report": report,
                        "period": period,
                        "contributes": row["contributes"],
                        "heterogeneous": row["heterogeneous"],
                        "spaces": row["spaces"],
                        **{u: row[u] * share for u in used},
                        "requests": round(row["requests"] * share),
                        **_samples(busy, ziip, row, share, interval, work.goals[period - 1], rng),
                        **_responses(ended, work.response, period, rng),
                    }
                )
    return pl.DataFrame(rows)


def _with_idle(sums: pl.DataFrame, intervals: pl.DataFrame) -> pl.DataFrame:
    """Return sums of service classes with rows of zeros where a class of the system did nothing."""
    classes = sums.select("system", "service_class").unique(maintain_order=True)
    every = intervals.select("system", "interval").join(classes, on="system")
    idle = every.join(sums, on=["system", "interval", "service_class"], how="anti").with_columns(
        contributes="service_class", heterogeneous=False
    )
    return pl.concat([sums, idle], how="diagonal").with_columns(
        pl.col(name).fill_null(0) for name, kind in sums.schema.items() if kind.is_numeric()
    )


def _transactions(
    online: WorkClass, jobs: int, name: str, interval: dict[str, Any], *, report: bool
) -> dict[int, int]:
    """Return the transactions that ended, by period.

    The transactions of a batch class are jobs; all end in its last period.
    """
    if name in {"ONLINE", "RCICS"}:
        seconds = (interval["end"] - interval["start"]).total_seconds()
        size = {"SY1": 1.0, "SY2": 0.6}[interval["system"]]
        return {1: round(online.transactions * size * seconds * (0.02 + 0.98 * interval["load"]))}
    if name in {"BATCH", "RBATCH"}:
        return {1 if report else 3: jobs}
    return {}


def _samples(
    busy: float,
    ziip: float,
    row: dict[str, Any],
    share: float,
    interval: dict[str, Any],
    goal: Any,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return WLM's samples: what work was using and what delayed it.

    Less important work waits more.
    """
    rate = _SAMPLES_A_SECOND / (2 if interval["skipped"] else 1)
    waits = {"system": 0.02, "velocity": 0.12, "percentile": 0.15, "average": 0.5}
    wait = waits.get(goal.kind, 1.4) * (0.2 + interval["load"]) * max(goal.importance, 1) ** 0.5
    io = row["requests"] * share * 400e-6
    using = {"cpu": busy, "ziip": ziip, "ziip_on_cp": row["ziip_on_cp_us"] * share / _SECOND}
    return {
        **{f"using_{k}": round(v * rate) for k, v in using.items()},
        "using_io": round(io * rate),
        "delayed_cpu": int(rng.poisson(busy * rate * wait)),
        "delayed_ziip": int(rng.poisson(ziip * rate * wait * 0.4)),
        "delayed_io": int(rng.poisson(io * rate * 0.05)),
        "idle": int(rng.poisson(row["spaces"] * 600 * share)),
        "unknown": int(rng.poisson(row["spaces"] * 40 * share)),
    }


def _responses(
    ended: int, means: tuple[float, ...], period: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the sums of response times, and the transactions by share of the midpoint."""
    mean = means[min(period, len(means)) - 1]
    times = rng.gamma(2.5, mean / 2.5, min(ended, 20_000)) if ended and mean else np.zeros(0)
    weight = ended / len(times) if len(times) else 0.0
    return {
        "transactions": ended,
        "response_us": float(times.sum() * weight * _SECOND),
        "execution_us": float(times.sum() * weight * _SECOND * 0.93),
        "response_squared_us": float((times**2).sum() * weight * _SECOND**2),
        "response_quantiles": np.quantile(times, np.linspace(0, 1, 201)).tolist()
        if len(times)
        else [],
    }
