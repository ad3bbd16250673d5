"""An estate: the dumps of many LPARs on many days, as a scheduler finds them each morning.

Two LPARs are a sysplex on a machine of its own, with two queue managers. Each has the work of the
synthetic sysplex with its own random draws: two hours, repeated until the days are full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import polars as pl

from ingest.formats.binary.write import frame_records
from models_sim.simulator.bulk.repeat import Later
from models_sim.simulator.mq import samples as synthetic
from models_sim.simulator.zos.profile import PLEX1, START, Sysplex
from models_sim.simulator.zos.simulate import simulate
from models_sim.simulator.zos.write import records_of

__all__ = ["NAME", "SUMMARY", "estate"]

NAME = "estate"
SUMMARY = "dumps of many LPARs on some days, with MQ records and no runs (--lpars, --days)"
_ROUND = 2  # hours
_DAY = 24
_OF_PLEX = len(PLEX1.systems)


def estate(lpars: int, days: int, seed: int = 1, hours: int = _DAY) -> Iterator[tuple[str, bytes]]:
    """Yield the path of each file, by day and LPAR, and its bytes.

    hours: how much of each day is recorded, from the morning on.
    """
    yield "ORIGIN", b"simulated\n"
    plexes = -(-lpars // _OF_PLEX)
    for plex in range(plexes):
        wanted = min(_OF_PLEX, lpars - plex * _OF_PLEX)
        logs = dict(list(_logs(plex, seed + plex).items())[:wanted])
        later = {system: Later(records) for system, records in logs.items()}
        for day in range(days):
            parts: dict[str, list[bytes]] = {system: [] for system in later}
            for hour in range(0, _DAY, _ROUND):
                for system, log in later.items():
                    if hour < hours:
                        parts[system] += frame_records(log.records())
                    log.move(timedelta(hours=_ROUND))
            date = (START + PLEX1.offset + timedelta(day)).date()
            for system, pieces in parts.items():
                yield f"{date}/{system}.smf", b"".join(pieces)


def _logs(plex: int, seed: int) -> dict[str, list[bytes]]:
    """Return two hours of each LPAR of a sysplex, in time order, by its name."""
    names = {
        system.name: f"LP{plex * _OF_PLEX + number + 1:02}"
        for number, system in enumerate(PLEX1.systems)
    }
    site = _site(plex, names)
    frames = {name: _rename_systems(frame, names) for name, frame in simulate(seed).items()}
    logs = records_of(site, frames, seed)
    managers = zip(names.values(), (synthetic.SYQ1, synthetic.SYQ2), strict=True)
    for system, manager in managers:
        runs = tuple((begin, min(end, 3600.0 * _ROUND)) for begin, end in manager.runs)
        logs[system] += synthetic.records_of(replace(manager, system=system, runs=runs), seed)
    return {
        system: sorted(records, key=lambda record: (record[10:14], record[6:10]))
        for system, records in sorted(logs.items())
    }


def _site(plex: int, names: dict[str, str]) -> Sysplex:
    """Return the synthetic sysplex under another name, on another machine."""
    return replace(
        PLEX1,
        name=f"PLEX{plex + 1:02}",
        serial=_serial(PLEX1.serial, plex),
        systems=tuple(
            replace(system, name=names[system.name], serial=_serial(system.serial, plex))
            for system in PLEX1.systems
        ),
        crypto_parts={names[name]: part for name, part in PLEX1.crypto_parts.items()},
        broken=PLEX1.broken and (names[PLEX1.broken[0]], *PLEX1.broken[1:]),
    )


def _serial(first: str, plex: int) -> str:
    return f"{int(first, 16) + 16 * plex:06X}"


def _rename_systems(frame: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    """Return a frame with the systems' new names, as systems and as partitions."""
    places = [column for column in ("system", "partition") if column in frame.columns]
    return frame.with_columns(pl.col(places).replace(names))
