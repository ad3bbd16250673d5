"""RMF's printed reports of a campaign, for the same intervals as its SMF records.

Each LPAR has a file with its CPU Activity, Partition Data and Direct Access Device Activity; the
sysplex has one with its Workload and Coupling Facility Activity. All figures come from the frames
behind the records, calculated as RMF calculates them from records, so both agree. What the volumes'
records count in whole units is truncated here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.reports.coupling import coupling
from models_sim.simulator.campaigns.reports.cpu import machines, partitions, processors
from models_sim.simulator.campaigns.reports.devices import devices
from models_sim.simulator.campaigns.reports.heading import of_sysplex, of_systems
from models_sim.simulator.campaigns.reports.workload import classes, goals
from models_sim.simulator.zos.cpu import count_interrupts, machine_processors
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Sysplex
from models_sim.simulator.zos.rmf import intervals_of

__all__ = ["reports"]


def reports(
    parts: Iterable[tuple[Sysplex, Frames]], seed: int
) -> Iterator[tuple[str, dict[str, pl.DataFrame]]]:
    """Yield the name of each LPAR and then of the sysplex, with the tables of its reports.

    `parts` are the frames of the intervals on each machine; `seed` is that of the records.
    """
    parts = list(parts)
    by_system = _concatenate(_of_systems(site, frames, seed) for site, frames in parts)
    for system in sorted(set(by_system["rmf_cpu"]["system_id"])):
        is_system = pl.col("system_id") == system
        yield system, {table: frame.filter(is_system) for table, frame in by_system.items()}
    site = parts[0][0]
    yield site.name, _concatenate(_of_sysplex(site, frames) for site, frames in parts)


def _of_systems(site: Sysplex, frames: Frames, seed: int) -> dict[str, pl.DataFrame]:
    records = intervals_of(site, frames["interval"])
    heading = of_systems(site, records)
    # The same random draws as for the records: see simulator.zos.cpu.
    rng = np.random.default_rng([seed, *b"cpu"])
    interrupts = count_interrupts(frames["processor"], records, rng)
    return {
        "rmf_cpu_machine": machines(site, heading),
        "rmf_cpu": processors(site, heading, interrupts),
        "rmf_partition": partitions(
            site, heading, machine_processors(site, frames["partition"], records)
        ),
        "rmf_dasd": devices(site, heading, frames["volume"]),
    }


def _of_sysplex(site: Sysplex, frames: Frames) -> dict[str, pl.DataFrame]:
    heading = of_sysplex(site, frames["interval"])
    by_system = intervals_of(site, frames["interval"])
    return {
        "rmf_workload": classes(site, heading, by_system, frames["class_period"]),
        "rmf_workload_goal": goals(site, heading, frames["class_period"]),
        **(coupling(site, heading, frames) if site.structures else {}),
    }


def _concatenate(parts: Iterable[dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Return the tables of all machines, one interval after the other."""
    parts = list(parts)
    return {
        table: pl.concat(part[table] for part in parts).sort(
            "interval_start_local", maintain_order=True
        )
        for table in parts[0]
    }
