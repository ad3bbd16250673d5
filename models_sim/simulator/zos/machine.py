"""What the machine of the synthetic sysplex did: processors, coupling facility, cards, counters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.zos.profile import Sysplex, System

__all__ = ["ON_CP", "Frames", "card_requests", "cf_processors", "cf_requests", "counters", "noise",
           "partitions", "processors", "rows_of", "select"]  # fmt: skip

Frames = dict[str, pl.DataFrame]
#: Columns of address spaces with time on general purpose processors, by kind.
ON_CP = ("tcb_us", "srb_us", "initiator_tcb_us", "io_interrupt_us", "region_control_us",
         "hiperspace_us")  # fmt: skip
_SECOND = 1_000_000
_NOISE = 0.06  # log-normal sigma of a rate between intervals
_MHZ = 5200
_MANAGEMENT = 0.004  # PR/SM's own time, as a share of the dispatched time
# Counters of z15 for the source of a miss, and each source's share of all misses: L2, L3, L4 of
# this drawer, L4 of another drawer, memory.
_L1_SOURCES = (
    ((133, 136), 0.724),
    ((144, 146, 162, 164), 0.19),
    ((147, 149, 150, 152, 156, 158, 165, 167, 168, 170, 174), 0.06),
    ((153, 155, 157, 171, 173, 175), 0.006),
    ((145, 148, 151, 154, 163, 166, 169, 172), 0.02),
)


def noise(rng: np.random.Generator) -> float:
    """Return a factor on a rate of an interval."""
    return float(rng.lognormal(0.0, _NOISE))


def select(frame: pl.DataFrame, **values: Any) -> pl.DataFrame:
    """Return the rows of a frame with these values."""
    return frame.filter(*(pl.col(k) == v for k, v in values.items())) if values else frame


def rows_of(frame: pl.DataFrame, **values: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame with these values."""
    return select(frame, **values).iter_rows(named=True)


def processors(systems: Sequence[System], frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval and logical processor of a z/OS system.

    Dispatched time is what the address spaces used divided by the capture ratio.
    """
    rows = []
    for interval in frames["interval"].iter_rows(named=True):
        system = next(s for s in systems if s.name == interval["system"])
        key = {"system": system.name, "interval": interval["interval"]}
        used = select(frames["address_space"], **key)
        on_cp = used.select(pl.sum_horizontal(ON_CP).sum()).item()
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


def partitions(site: Sysplex, frames: Frames, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per partition, interval and logical processor, as PR/SM sees them.

    The intervals of the machine are those of the first system.
    """
    columns = ["processor_type", "processor", "online_us", "effective_us", "dispatched_us"]
    extra = ["polarization", "chip", "drawer"]
    reporting = frames["processor"].select(
        pl.col("system").alias("partition"), "interval", *columns, *extra
    )
    rows = []
    for interval in rows_of(frames["interval"], system=site.systems[0].name):
        length = (interval["end"] - interval["start"]) // timedelta(microseconds=1)
        made: list[tuple[str, str, int, float]] = []
        for other in site.others:
            kinds = ["CP"] * other.cps + ["zIIP"] * other.ziips
            for i, kind in enumerate(kinds):
                part = other.busy * noise(rng) * (1 if kind == "CP" else 0.2)
                made.append((other.name, kind, i, part * length))
        made += [(site.cf_name, "ICF", i, length * (1 - _MANAGEMENT))
                 for i in range(site.physical["ICF"])]  # fmt: skip
        physical = [k for k in ("CP", "zIIP", "ICF") for _ in range(site.physical[k])]
        made += [
            ("PHYSICAL", kind, i, length * 0.003 * noise(rng)) for i, kind in enumerate(physical)
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


def cf_requests(site: Sysplex, intervals: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
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
    total = round(count * mean * noise(rng))
    squares = round(total**2 / count * (1 + spread**2)) if count else 0
    return {f"{name}_requests": count, f"{name}_us": total, f"{name}_squared_us": squares}


def cf_processors(site: Sysplex, frames: Frames) -> pl.DataFrame:
    """Return one row per interval and coupling facility processor: its busy and wait time."""
    rows = []
    work = frames["cf_request"].group_by("interval").agg(pl.col("execution_us").sum())
    execution_us = dict(work.iter_rows())
    for interval in rows_of(frames["interval"], system=site.systems[0].name):
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


def card_requests(site: Sysplex, intervals: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per interval, card and operation, for the whole machine."""
    rows = []
    for interval in rows_of(intervals, system=site.systems[0].name):
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
                        "execution_us": round(count * duration * _SECOND * noise(rng)),
                    }
                )
    return pl.DataFrame(rows)


def counters(processors: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return one row per system, interval, processor and non-zero counter: its increase."""
    rows = []
    for p in processors.iter_rows(named=True):
        cycles = p["effective_us"] * _MHZ
        instructions = round(cycles / ((2.6 if p["processor_type"] == "CP" else 3.1) * noise(rng)))
        misses = round(instructions * (0.026 + 0.018 * p["load"]) * noise(rng))
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
