"""What every record of RMF has: the product section, and the reassembly area of a broken one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from models_sim.zos.log import OFFSET, Row, local_time
from models_sim.zos.profile import INTERVAL_SECONDS, SYSPLEX, System

__all__ = ["SAMPLES", "broken", "product", "samples"]

SAMPLES = INTERVAL_SECONDS  # one a second
_SECOND = 1_000_000
_OFFSET_US = OFFSET // timedelta(microseconds=1)


def samples(interval: Row) -> int:
    """Samples that RMF took: of an interval to be passed over, half of them."""
    return SAMPLES // 2 if interval["skipped"] else SAMPLES


def product(record_type: int, subtype: int, system: System, interval: Row) -> dict[str, list[Row]]:
    """The product section's table and row, of a row of the frame `interval`."""
    p = f"smf{record_type}"
    length = (interval["end"] - interval["start"]) // timedelta(milliseconds=1) * 1000
    local = interval["start"] + OFFSET
    row = {
        f"{p}mfv": 240,
        f"{p}prd": "RMF",
        f"{p}ist": local_time(interval["start"]) // _SECOND * _SECOND,
        f"{p}dat": local.date(),
        f"{p}int": length,
        f"{p}sam": samples(interval),
        f"{p}iss": interval["skipped"],
        f"{p}ism": True,
        f"{p}cyc": _SECOND,
        f"{p}mvs": "ZV020400",
        f"{p}iml": 3,
        f"{p}eme": True,
        f"{p}prp": True,
        f"{p}ped": True,
        f"{p}ptn": system.partition,
        f"{p}srl": 0x78,
        f"{p}iet": interval["end"],
        f"{p}lgo": _OFFSET_US,
        f"{p}oil": INTERVAL_SECONDS * _SECOND,
        f"{p}gie": interval["planned_end"],
        f"{p}xnm": SYSPLEX,
        f"{p}snm": system.name,
    }
    return {f"{p}_{subtype}_product": [row]}


def broken(
    record_type: int, subtype: int, part: int, parts: int, blocks: Sequence[tuple[int, int]]
) -> dict[str, list[Row]]:
    """The reassembly area of a part, counted from 1, and its blocks.

    A block is the number of sections of a kind in all parts, and the place among them, from 1, of
    this part's first; 0 where it has none. There is one for each kind but the product section.
    """
    p = f"smf{record_type}"
    table = f"{p}_{subtype}_reassembly"
    return {
        table: [{f"{p}rbr": parts, f"{p}rsq": part}],
        f"{table}_block": [{f"{p}rnn": number, f"{p}rpp": place} for number, place in blocks],
    }
