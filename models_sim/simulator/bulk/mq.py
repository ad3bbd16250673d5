"""A large dump of MQ records: two hours of a synthetic queue manager, repeated."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from ingest.formats.binary.framing import Framing
from ingest.formats.binary.write import frame_records
from models_sim.simulator.bulk.repeat import repeat
from models_sim.simulator.mq.samples import SYQ2, records_of

__all__ = ["write_bulk"]


def write_bulk(path: Path, size: int, seed: int = 1, framing: Framing = Framing.RDW) -> int:
    """Write a synthetic dump of at least `size` bytes; return the number of its records.

    It repeats two hours of a synthetic queue manager without a gap.
    """
    records = records_of(SYQ2, seed)
    written = count = 0

    def counted() -> Iterator[bytes]:
        nonlocal count
        for record in repeat(records, timedelta(seconds=SYQ2.runs[-1][1])):
            if written >= size and not count % len(records):
                return
            count += 1
            yield record

    with path.open("wb") as file:
        for piece in frame_records(counted(), framing):
            written += file.write(piece)
    return count
