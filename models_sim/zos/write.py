"""Write the synthetic dumps of z/OS and RMF, and tell what was put into them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ingest.binary.write import frame_records
from models_sim.zos.counters import add_counters
from models_sim.zos.cpu import add_cpu, add_crypto
from models_sim.zos.devices import add_coupling, add_devices
from models_sim.zos.jobs import add_data_sets, add_jobs
from models_sim.zos.log import Log
from models_sim.zos.profile import SYSTEMS, System
from models_sim.zos.simulate import Frames, simulate
from models_sim.zos.workload import add_workload

__all__ = ["records_of", "truth", "write_zos_samples"]


def truth(seed: int) -> Frames:
    """What the dumps of a seed were made of; see `simulate.simulate`."""
    return simulate(seed)


def records_of(system: System, frames: Frames, seed: int) -> list[bytes]:
    """All records of a system in the order of their times, within a dump's own two."""
    rng = np.random.default_rng([seed, *system.name.encode()])
    log = Log(system.name)
    add_jobs(log, system, frames, rng)
    add_data_sets(log, system, frames)
    add_counters(log, system, frames, rng)
    for interval in frames["interval"].iter_rows(named=True):
        if interval["system"] == system.name:
            add_cpu(log, system, interval, frames, rng)
            add_crypto(log, system, interval, frames)
            add_workload(log, system, interval, frames)
            add_devices(log, system, interval, frames)
            add_coupling(log, system, interval, frames)
    return log.compose()


def write_zos_samples(folder: Path, seed: int) -> list[Path]:
    """Write a dump of each system, whose bytes depend on the seed alone; return their paths."""
    frames = simulate(seed)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for system in SYSTEMS:
        path = folder / f"zos-{system.name}.smf"
        path.write_bytes(b"".join(frame_records(records_of(system, frames, seed))))
        paths.append(path)
    return paths
