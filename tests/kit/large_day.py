"""A day of busy systems, for benchmarks: the records of two hours, repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl

from ingest.formats.binary.framing import Framing
from ingest.formats.binary.text import encode_text
from ingest.formats.binary.write import frame_records
from models_sim.simulator.bulk.repeat import Later
from models_sim.simulator.mq import samples as synthetic
from models_sim.simulator.zos.profile import PLEX1
from models_sim.simulator.zos.simulate import simulate
from models_sim.simulator.zos.write import records_of

__all__ = ["repeat", "write_day"]

_TWO_HOURS = timedelta(hours=2)
_ROUNDS = 12  # of two hours, so a day
_SYSTEM_AT = 14  # offset of the system's name in the header


def repeat(records: Sequence[bytes], every: timedelta) -> Iterator[bytes]:
    """Yield the records again and again without end, each round later than the previous by `every`.

    `Later` says what is moved. The dump's header and trailer are left out.
    """
    later = Later(records)
    while True:
        yield from later.records()
        later.move(every)


def write_day(path: Path, size: int, seed: int = 1, framing: Framing = Framing.RDW) -> int:
    """Write a day's dump of at least `size` bytes; return the number of its records.

    It has types 30, 42, 70, 72, 74, 113, 115 and 116 from two z/OS systems and two queue managers,
    and from as many copies of them under other names as the size needs.
    """
    records = _two_hours(seed)
    later = Later(records)
    copies = -(-size // (_ROUNDS * int(later.bounds[-1])))
    with path.open("wb") as file:
        for piece in frame_records(_day(later, copies), framing):
            file.write(piece)
    return _ROUNDS * copies * len(later.start)


def _two_hours(seed: int) -> list[bytes]:
    records = [r for own in records_of(PLEX1, simulate(seed), seed).values() for r in own]
    for manager in (synthetic.SYQ1, synthetic.SYQ2):
        records += synthetic.records_of(manager, seed)
    return sorted(records, key=lambda r: (r[10:14], r[6:10]))


def _day(later: Later, copies: int) -> Iterator[bytes]:
    places = later.start[:, None] + _SYSTEM_AT + np.arange(4)
    own = later.buffer[places]
    for number in range(_ROUNDS):
        if number:
            later.move(_TWO_HOURS)
        for copy in range(copies):
            name = own.copy()
            if copy:
                prefix = np.base_repr(copy, 36).zfill(2)
                name[:, :2] = encode_text(pl.Series([prefix]), 2, "037")
            later.buffer[places] = name
            yield from later.records()
        later.buffer[places] = own
