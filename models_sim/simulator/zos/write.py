"""Write the synthetic dumps of z/OS and RMF."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ingest.formats.binary.write import frame_records
from models_sim.simulator.log import Log
from models_sim.simulator.zos.counters import add_counters
from models_sim.simulator.zos.cpu import add_cpu
from models_sim.simulator.zos.crypto import add_crypto
from models_sim.simulator.zos.devices import add_coupling, add_devices
from models_sim.simulator.zos.jobs import add_data_sets, add_jobs
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import PLEX1, Sysplex
from models_sim.simulator.zos.simulate import simulate
from models_sim.simulator.zos.workload import add_workload

__all__ = ["add_records", "records_of", "truth", "write_zos_samples"]


def truth(seed: int) -> Frames:
    """Return what the dumps of a seed were made from; see `simulate.simulate`."""
    return simulate(seed)


def records_of(site: Sysplex, frames: Frames, seed: int) -> dict[str, list[bytes]]:
    """Return each system's records in time order, between a dump header and a trailer."""
    log = Log(site.offset)
    add_records(log, site, frames, seed)
    return log.compose()


def add_records(log: Log, site: Sysplex, frames: Frames, seed: int) -> None:
    """Add the records of z/OS and RMF that describe the frames."""
    add_jobs(log, site, frames)
    add_data_sets(log, site, frames)
    add_counters(log, site, frames)
    add_cpu(log, site, frames, np.random.default_rng([seed, *b"cpu"]))
    add_crypto(log, site, frames)
    add_workload(log, site, frames)
    add_devices(log, site, frames)
    add_coupling(log, site, frames)


def write_zos_samples(folder: Path, seed: int) -> list[Path]:
    """Write a dump of each system and return the paths; the bytes depend only on the seed."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for system, records in records_of(PLEX1, simulate(seed), seed).items():
        path = folder / f"zos-{system}.smf"
        path.write_bytes(b"".join(frame_records(records)))
        paths.append(path)
    return paths
