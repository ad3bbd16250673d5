"""Records of the storage manager and of page sets, whose interval follows from their neighbours.

SMF 115 subtypes 5, 6 and 7 (storage manager) have no QWHS. In that of subtype 201 (page sets) only
length and type are filled in, as some queue managers write it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from models_sim.simulator.mq.dump import Dump, Row
from models_sim.simulator.mq.headers import extension_block, header_of, product_blocks
from models_sim.simulator.mq.periods import Period
from models_sim.simulator.mq.profile import QueueManager

__all__ = ["add_storage_manager"]

_MB = 1 << 20
_NO_LIMIT = 0xFFF_FFFF_F000  # MEMLIMIT in MB
_EXPANSION = {True: 10, False: 40_960}  # of a fixed pool, in pages; of a variable one, in bytes
_EVERY = 6  # intervals per record of the pools, to keep the file small
_STARTUP = timedelta(seconds=20)  # from a queue manager's start to its first record of the pools
_POOLS = (
    ("SYNTHETIC GLOBAL FIXED", True, True, 80),
    ("SYNTHETIC GLOBAL VARIABLE", False, True, 260),
    ("SYNTHETIC LOCAL FIXED", True, False, 30),
    ("SYNTHETIC LOCAL VARIABLE", False, False, 120),
)


def add_storage_manager(
    dump: Dump, manager: QueueManager, period: Period, made: datetime, page_sets: list[Row]
) -> None:
    """Add the records of an interval, with the statistics at `made`.

    The first record of the pools after a start is alone.
    """
    interval = period.interval
    number = interval.number
    tasks = len(period.works)
    unlimited = bool(manager.release.extension)
    tables: dict[int, dict[str, list[Row]]] = {
        201: product_blocks(manager, 115, None) | {"smf115_qis1": page_sets},
        7: {"smf115_qsrs": [_region(number, tasks, unlimited=unlimited)]},
    }
    if interval.place % _EVERY == 0:
        tables[5] = {"smf115_qsph": _pool_headers(number)}
        tables[6] = {"smf115_qsgm": _requests(number, tasks)}
    for subtype, rows in tables.items():
        alone = subtype == 5 and interval.place == 0
        dump.add(
            interval.start + _STARTUP if alone else made,
            115,
            subtype,
            header_of(manager, 115),
            extension_block(manager, 115) | rows,
            lengths=manager.release.lengths,
        )


def _region(number: int, tasks: int, *, unlimited: bool) -> Row:
    used = 210 * _MB + tasks * 180_000 + number * 12_000
    above = 3 << 30
    limit = _NO_LIMIT if unlimited else 8 << 10
    return {
        "qsrsphbgf": 8 * _MB,
        "qsrsphbgv": 26 * _MB,
        "qsrsphblf": 3 * _MB,
        "qsrsphblv": 12 * _MB,
        "qsrsgmbt": 19 * _MB,
        "qsrsstkt": 2 * _MB,
        "qsrsesiza": 1_700 * _MB,
        "qsrseloal": used,
        "qsrsoeloal": used - 12_000,
        "qsrsehial": 90 * _MB,
        "qsrsoehial": 90 * _MB,
        "qsrsmemlim": limit,
        "qsrsabytes": above,
        "qsrsgbytes": 1 << 30,
        "qsrsnmomb": 40,
        "qsrsaval": 1_610 * _MB - used,
        "qsrsmvs": 20 * _MB,
        "qsrscrit": 60 * _MB,
        "qsrssos": 30 * _MB,
        "qsrsaval64": limit * _MB - above,
        "qsrscush64": 512 * _MB,
        "qsrsphblgf": 40 + tasks,
        "qsrsphblgv": 90 + number % 7,
        "qsrsphbllf": tasks,
        "qsrsphbllv": 2 * tasks + number % 5,
        "qsrsgmbl": 12 + number % 3,
    }


def _pool_headers(number: int) -> list[Row]:
    return [
        {
            "qsphstor": (size + number) * _EXPANSION[fixed],
            "qsphostor": (size + max(number - _EVERY, 0)) * _EXPANSION[fixed],
            "qsphxstor": _EXPANSION[fixed],
            "qsphbsize": 256,
            "qsphbcnt": 160,
            "qsphcount": 1 + size // 40,
            "qsphname": name,
            "qsphfixed": fixed,
            "qsphglob": glob,
        }
        for name, fixed, glob, size in _POOLS
    ]


def _requests(number: int, tasks: int) -> list[Row]:
    return [
        {
            "qsgmlvtot": 4096 * (100 + 13 * i + number),
            "qsgmlvnew": tasks + i,
            "qsgmlvmax": 65_536,
            "qsgmlvmin": 4096,
            "qsgmcount": 100 + 13 * i + number,
            "qsgmscls": 1,
            "qsgmcsect": f"SYNMOD0{i}",
            "qsgmoffset": 0x200 + 0x40 * i,
        }
        for i in range(1, 6)
    ]
