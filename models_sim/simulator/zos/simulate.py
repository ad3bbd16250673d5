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

__all__ = ["Frames", "simulate"]

Frames = dict[str, pl.DataFrame]
_SECOND = 1_000_000
_NOISE = 0.06  # log-normal sigma of a rate between intervals
_SAMPLES_A_SECOND = 4  # taken by WLM
_MHZ = 5200
_MANAGEMENT = 0.004  # PR/SM's own time, as a share of the dispatched time
_STARTED_BEFORE = timedelta(days=3, hours=4)
_SKIPPED = ("SY2", 5)  # system and interval whose samples are to be skipped
# Counters of z15 for the source of a miss, and each source's share of all misses: L2, L3, L4 of
# this drawer, L4 of another drawer, memory.
_L1_SOURCES = (
    ((133, 136), 0.724),
    ((144, 146, 162, 164), 0.19),
    ((147, 149, 150, 152, 156, 158, 165, 167, 168, 170, 174), 0.06),
    ((153, 155, 157, 171, 173, 175), 0.006),
    ((145, 148, 151, 154, 163, 166, 169, 172), 0.02),
)


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
    frames["processor"] = _processors(systems, frames, _generator(seed, "processor"))
    frames["partition"] = _partitions(site, frames, _generator(seed, "partition"))
    frames["cf_request"] = _requests(site, frames["interval"], _generator(seed, "structure"))
    frames["cf_processor"] = _cf_processors(site, frames)
    frames["crypto"] = _crypto(site, frames["interval"], _generator(seed, "crypto"))
    frames["counter"] = _counters(frames["processor"], _generator(seed, "counter"))
    return frames


def _generator(seed: int, what: str) -> np.random.Generator:
    return np.random.default_rng([seed, *what.encode()])


def _noise(rng: np.random.Generator) -> float:
    return float(rng.lognormal(0.0, _NOISE))


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


def _select(frame: pl.DataFrame, **values: Any) -> pl.DataFrame:
    return frame.filter(*(pl.col(k) == v for k, v in values.items())) if values else frame


def _rows(frame: pl.DataFrame, **values: Any) -> Iterator[dict[str, Any]]:
    return _select(frame, **values).iter_rows(named=True)


# --- address spaces


def _spaces(
    site: Sysplex,
    system: System,
    intervals: pl.DataFrame,
    start: datetime,
    rng: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    for interval in _rows(intervals, system=system.name):
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
    work = seconds * part * _noise(rng)
    eligible = space.eligible * work
    on_cp = eligible * (1 - space.offload) * _noise(rng)
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
        own = data_sets[space["system"], space["job"]]
        for data_set, requests in zip(own, space["data_set_requests"], strict=True):
            if requests:
                key = {k: space[k] for k in ("system", "interval", "job")}
                rows.append(key | _data_set(data_set, requests, rng))
    return pl.DataFrame(rows)


def _data_set(d: DataSet, requests: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the times of a data set.

    They are whole microseconds per request, because records have averages.
    """
    connect, pending, disconnect = (
        round(us * _noise(rng)) for us in (d.connect, d.pending, d.disconnect)
    )
    queue = round(4 * _noise(rng))
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
                "ios_queue_us": round(requests * busy * 0.02 * _noise(rng)),
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
    kinds = ["tcb", "srb", "initiator_tcb", "io_interrupt", "region_control", "hiperspace"]
    used = [f"{kind}_us" for kind in (*kinds, "ziip", "ziip_on_cp")]
    by_class = {c.name: c for c in site.classes}
    intervals = {(row["system"], row["interval"]): row for row in _rows(frames["interval"])}
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


# --- processors and partitions


def _processors(
    systems: Sequence[System], frames: Frames, rng: np.random.Generator
) -> pl.DataFrame:
    """Return one row per system, interval and logical processor of a z/OS system.

    Dispatched time is what the address spaces used divided by the capture ratio.
    """
    rows = []
    for interval in frames["interval"].iter_rows(named=True):
        system = next(s for s in systems if s.name == interval["system"])
        key = {"system": system.name, "interval": interval["interval"]}
        used = _select(frames["address_space"], **key)
        on_cp = sum(
            int(used[f"{kind}_us"].sum())
            for kind in (
                "tcb",
                "srb",
                "initiator_tcb",
                "io_interrupt",
                "region_control",
                "hiperspace",
            )
        )
        length = (interval["end"] - interval["start"]) // timedelta(microseconds=1)
        parked = 1 if system.cps > 3 and interval["load"] < 0.3 else 0
        wanted = {
            "CP": (system.cps, on_cp / system.capture, parked),
            "zIIP": (system.ziips, int(used["ziip_us"].sum()) / system.ziip_capture, 0),
        }
        address = 0
        for kind, (count, dispatched, off) in wanted.items():
            weights = rng.dirichlet(np.full(count - off, 60.0))
            for i in range(count):
                is_parked = i >= count - off
                busy = 0 if is_parked else round(dispatched * weights[i])
                ready = round(busy * (0.008 + 0.05 * interval["load"]))
                rows.append(
                    {
                        **key,
                        "processor": address,
                        "processor_type": kind,
                        "online_us": length,
                        "parked_us": length if is_parked else 0,
                        "effective_us": busy,
                        "dispatched_us": round(busy * (1 + _MANAGEMENT)),
                        "wait_us": 0 if is_parked else max(0, length - busy - ready),
                        "polarization": 3 if i < count - 1 - off else 2 if not is_parked else 1,
                        "load": interval["load"],
                        "chip": system.partition + (i // 3 if kind == "CP" else 0),
                        "drawer": 1,
                    }
                )
                address += 1
    return pl.DataFrame(rows)


def _partitions(site: Sysplex, frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per partition, interval and logical processor, as PR/SM sees them.

    The intervals of the machine are those of the first system.
    """
    columns = ["processor_type", "processor", "online_us", "effective_us", "dispatched_us"]
    extra = ["polarization", "chip", "drawer"]
    reporting = frames["processor"].select(
        pl.col("system").alias("partition"), "interval", *columns, *extra
    )
    rows = []
    for interval in _rows(frames["interval"], system=site.systems[0].name):
        length = (interval["end"] - interval["start"]) // timedelta(microseconds=1)
        made: list[tuple[str, str, int, float]] = []
        for other in site.others:
            kinds = ["CP"] * other.cps + ["zIIP"] * other.ziips
            for i, kind in enumerate(kinds):
                part = other.busy * _noise(rng) * (1 if kind == "CP" else 0.2)
                made.append((other.name, kind, i, part * length))
        made += [(site.cf_name, "ICF", i, length * (1 - _MANAGEMENT))
                 for i in range(site.physical["ICF"])]  # fmt: skip
        physical = [k for k in ("CP", "zIIP", "ICF") for _ in range(site.physical[k])]
        made += [
            ("PHYSICAL", kind, i, length * 0.003 * _noise(rng)) for i, kind in enumerate(physical)
        ]
        for partition, kind, number, used in made:
            shared = partition in {other.name for other in site.others}
            rows.append(
                {
                    "partition": partition,
                    "interval": interval["interval"],
                    "processor_type": kind,
                    "processor": number,
                    "online_us": length,
                    "effective_us": 0 if partition == "PHYSICAL" else round(used),
                    "dispatched_us": round(used * (1 + _MANAGEMENT * shared)),
                    "polarization": 0,
                    "chip": 3,
                    "drawer": 1,
                }
            )
    return pl.concat([reporting, pl.DataFrame(rows)])


# --- coupling facility


def _requests(site: Sysplex, intervals: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval and structure: its requests by kind, and their times.

    Times are sums in microseconds, with the sums of their squares.
    """
    rows = []
    for interval in intervals.iter_rows(named=True):
        seconds = (interval["end"] - interval["start"]).total_seconds()
        load = 0.05 + 0.95 * interval["load"]
        size = {"SY1": 1.0, "SY2": 0.7}[interval["system"]]
        for s in site.structures:
            total = int(rng.poisson(s.rate * size * load * seconds))
            slow = int(rng.binomial(total, s.asynchronous))
            changed = int(rng.binomial(slow, 0.35))
            queued = int(rng.binomial(slow, 0.03 * load))
            held = int(rng.binomial(total, 0.002 * load)) if s.kind == 2 else 0
            used = s.used * (0.3 + 0.7 * load)
            times = {
                "sync": (total - slow, s.sync_us * (1 + 0.3 * load), 0.25),
                "async": (slow, s.async_us * (1 + 0.4 * load), 0.5),
                "queued": (queued, 35.0 * load, 0.8),
                "monopolized": (held, 22.0, 0.6),
            }
            contention = int(rng.binomial(total, 0.004 * load)) if s.kind == 3 else 0
            rows.append(
                {
                    "system": interval["system"],
                    "interval": interval["interval"],
                    "structure": s.name,
                    "kind": s.kind,
                    "requests": total,
                    "changed_requests": changed,
                    **{
                        k: v
                        for name, t in times.items()
                        for k, v in _request_times(name, *t, rng).items()
                    },
                    "contention": contention,
                    "false_contention": int(rng.binomial(contention, 0.3)),
                    "entries_in_use": round(s.entries * used),
                    "elements_in_use": round(s.elements * used),
                    "execution_us": total * s.sync_us * 0.32,
                }
            )
    return pl.DataFrame(rows)


def _request_times(
    name: str, count: int, mean: float, spread: float, rng: np.random.Generator
) -> dict[str, int]:
    """Return the requests, the sum of their times and the sum of the squares.

    `spread` is the standard deviation over the mean.
    """
    total = round(count * mean * _noise(rng))
    squares = round(total**2 / count * (1 + spread**2)) if count else 0
    return {f"{name}_requests": count, f"{name}_us": total, f"{name}_squared_us": squares}


def _cf_processors(site: Sysplex, frames: Frames) -> pl.DataFrame:
    """Return one row per interval and coupling facility processor: its busy and wait time."""
    rows = []
    work = frames["cf_request"].group_by("interval").agg(pl.col("execution_us").sum())
    execution_us = dict(work.iter_rows())
    for interval in _rows(frames["interval"], system=site.systems[0].name):
        length = (interval["end"] - interval["start"]) // timedelta(microseconds=1)
        for processor, part in enumerate((0.53, 0.47)):
            busy = round(execution_us[interval["interval"]] * part)
            rows.append(
                {
                    "interval": interval["interval"],
                    "processor": processor,
                    "busy_us": busy,
                    "wait_us": length - busy,
                }
            )
    return pl.DataFrame(rows)


# --- cards and counters


def _crypto(site: Sysplex, intervals: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per interval, card and operation, for the whole machine."""
    rows = []
    for interval in _rows(intervals, system=site.systems[0].name):
        seconds = (interval["end"] - interval["start"]).total_seconds()
        load = 0.03 + 0.97 * interval["load"]
        for card in site.cards:
            for name, rate, duration in card.operations:
                count = int(rng.poisson(rate * load * seconds))
                rows.append(
                    {
                        "interval": interval["interval"],
                        "card": card.number,
                        "kind": card.kind,
                        "operation": name,
                        "operations": count,
                        "execution_us": round(count * duration * _SECOND * _noise(rng)),
                    }
                )
    return pl.DataFrame(rows)


def _counters(processors: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval, processor and non-zero counter: its increase."""
    rows = []
    for p in processors.iter_rows(named=True):
        cycles = p["effective_us"] * _MHZ
        instructions = round(cycles / ((2.6 if p["processor_type"] == "CP" else 3.1) * _noise(rng)))
        misses = round(instructions * (0.026 + 0.018 * p["load"]) * _noise(rng))
        data = round(misses * 0.58)
        penalty = round(cycles * 0.42)
        values = {
            0: cycles,
            1: instructions,
            2: misses - data,
            3: round(penalty * 0.35),
            4: data,
            5: round(penalty * 0.65),
            32: round(cycles * 0.71),
            33: round(instructions * 0.68),
            129: round(instructions * 0.0021),
            130: round(cycles * 0.024),
            134: round(instructions * 0.0011),
            135: round(cycles * 0.013),
            143: round(cycles * 0.37),
            **_sources(misses, 0.45 + 0.7 * p["load"], rng),
        }
        key = {k: p[k] for k in ("system", "interval", "processor", "processor_type")}
        rows += [key | {"counter": n, "increase": v} for n, v in sorted(values.items()) if v]
    return pl.DataFrame(rows)


def _sources(misses: int, far: float, rng: np.random.Generator) -> dict[int, int]:
    """Return the misses by the counter of their source.

    `far` scales the share that comes from beyond L2.
    """
    values = {}
    (near, _), *beyond = _L1_SOURCES
    parts = [(numbers, part * far) for numbers, part in beyond]
    for numbers, part in ((near, 1 - sum(part for _, part in parts)), *parts):
        weights = rng.dirichlet(np.full(len(numbers), 2.0))
        for number, weight in zip(numbers, weights, strict=True):
            values[number] = round(misses * part * weight)
    return values
