"""Small days, a run in a hole of their records, output of a run, and whole days of capacity."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from ingest.formats.binary.framing import Framing
from ingest.formats.binary.write import frame_records
from models_sim.simulator.campaigns import simulate as simulate_campaign
from models_sim.simulator.campaigns import write
from models_sim.simulator.log import Log
from models_sim.simulator.zos.cpu import add_cpu
from models_sim.simulator.zos.profile import PLEX1, SYSTEMS
from models_sim.simulator.zos.simulate import simulate

__all__ = ["write_capacity", "write_day", "write_output", "write_run_after"]

_START = datetime(2026, 3, 1, 5)  # midnight local time
_LOADS = np.tile([0.2, 0.9, 0.5, 0.7], 24).tolist()  # by quarters of an hour
_IOPING = """\
--- /dev/vda (block device 20 GiB) ioping statistics ---
9 requests completed in 1.56 ms, 36 KiB read, 5.78 k iops, 22.6 MiB/s
generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s
min/avg/max/mdev = 105.4 us / 172.9 us / 224.6 us / 36.9 us
"""


def write_day(folder: Path, day: int) -> Path:
    """Write a small day of three LPARs with one run, which crosses midnight on every other day."""
    before_midnight = timedelta(hours=14, minutes=59) if day % 2 else timedelta()
    place = folder / f"{day:02}"
    write(simulate_campaign("smoke", limit=1, later=timedelta(days=day) + before_midnight), place)
    return place


def write_capacity(folder: Path, day: int) -> Path:
    """Write type 70 of one system for 24 hours: four-hour averages reach back over midnight."""
    system = replace(SYSTEMS[0], load=(*_LOADS[day:], *_LOADS[:day]), spaces=SYSTEMS[0].spaces[:8])
    site = replace(PLEX1, systems=(system,))
    log = Log(site.offset)
    done = simulate(day, site, _START + timedelta(days=day), skipped=None)
    add_cpu(log, site, done, np.random.default_rng(day))
    dump = b"".join(frame_records(log.compose()[system.name], Framing.RDW))
    return _written(folder / f"{day}.smf", dump)


def write_run_after(day: Path, folder: Path) -> Path:
    """Write a manifest of the run `in-hole`, an hour after the one of a day."""
    start = datetime.fromisoformat(_run_of(day)["stop"]) + timedelta(hours=1)
    stop = start + timedelta(minutes=10)
    run = {"run_id": "in-hole", "start": start.isoformat(), "stop": stop.isoformat()}
    manifest = {"perfhouse_manifest": 1, "campaign": "holes", "run": [run]}
    return _written(folder / "hole.json", json.dumps(manifest).encode())


def write_output(day: Path, folder: Path) -> Path:
    """Write the output of a benchmark that names the run of a day."""
    return _written(folder / f"{_run_of(day)['run_id']}.ioping.txt", _IOPING.encode())


def _run_of(day: Path) -> dict[str, str]:
    (run,) = json.loads((day / "manifest.json").read_text())["run"]
    return run


def _written(file: Path, content: bytes) -> Path:
    file.parent.mkdir(exist_ok=True)
    (file.parent / "ORIGIN").write_text("simulated\n")
    file.write_bytes(content)
    return file
