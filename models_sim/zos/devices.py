"""SMF 74: volumes (subtype 1) and the coupling facility (subtype 4)."""

from __future__ import annotations

from models_sim.zos.log import Log, Row
from models_sim.zos.profile import (
    CF_NAME,
    ICFS,
    MACHINE,
    STRUCTURES,
    SYSTEMS,
    VOLUMES,
    Structure,
    System,
)
from models_sim.zos.rmf import product, samples
from models_sim.zos.simulate import Frames

__all__ = ["add_coupling", "add_devices"]

_DASD = b"\x00\x20"
_3390 = bytes.fromhex("3010200F")
_CYLINDERS = 65_520
_LOCK, _CACHE = 3, 4
_CF_BLOCKS = 4_194_304  # 16 GB


def add_devices(log: Log, system: System, interval: Row, frames: Frames) -> None:
    """Add the record of volumes of one interval."""
    rows = [
        r
        for r in frames["volume"].iter_rows(named=True)
        if (r["system"], r["interval"]) == (system.name, interval["interval"])
    ]
    control = {
        "smf74tot": len(rows),
        "smf74gen": len(rows) + 40,
        "smf74sub": _DASD,
        "smf74ecm": True,
        "smf74fcm": True,
        "smf74iod": True,
        "smf74tnm": "SYN.IODF01",
        "smf74tsf": "01",
    }
    tables = product(74, 1, system, interval) | {
        "smf74_1_device_control": [control],
        "smf74_1_device_data": [_device(r, samples(interval)) for r in rows],
    }
    log.add(interval["end"], 74, 1, tables, {})


def _device(row: Row, count: int) -> Row:
    number = VOLUMES[row["volume"]].to_bytes(2)
    return {
        "smf74num": number,
        "smf74nm2": number,
        "smf74lcu": b"\x00\x4a",
        "smf74sta": True,
        "smf74ser": row["volume"],
        "smf74typ": _3390,
        "smf74nux": 0,
        "smf74ssc": row["requests"],
        "smf74mec": row["requests"],
        "smf74cnn": row["connect_us"],
        "smf74pen": row["pending_us"],
        "smf74atv": row["connect_us"] + row["disconnect_us"],
        "smf74dis": row["disconnect_us"],
        "smf74que": round(row["ios_queue_us"] / 1e6),
        "smf74alc": count,
        "smf74dvb": row["device_busy_us"],
        "smf74sgn": "SGFAST",
        "smf74nda": 1,
        "smf74dev": "33909",
        "smf74cu": "2107",
        "smf74hpv": True,
        "smf74cfc": True,
        "smf74shv": True,
        "smf74shr": True,
        "smf74hpc": 16,
        "smf74psm": count,
        "smf74cmr": row["command_response_us"],
        "smf74cap": _CYLINDERS,
        "smf74ios": float(row["ios_queue_us"]),
    }


def add_coupling(log: Log, system: System, interval: Row, frames: Frames) -> None:
    """Add the record of the coupling facility of one interval, as this system saw it."""
    number = interval["interval"]
    rows = [
        r
        for r in frames["cf_request"].iter_rows(named=True)
        if (r["system"], r["interval"]) == (system.name, number)
    ]
    busy = [r for r in frames["cf_processor"].iter_rows(named=True) if r["interval"] == number]
    by_name = {s.name: s for s in STRUCTURES}
    caches = [r for r in rows if r["kind"] == _CACHE]
    tables = product(74, 4, system, interval) | {
        "smf74_4_cf_local": [_local(system, rows)],
        "smf74_4_connectivity": [{"r744xsys": s.name} for s in SYSTEMS if s.name != system.name],
        "smf74_4_storage": [_storage()],
        "smf74_4_structure": [_structure(by_name[r["structure"]]) for r in rows],
        "smf74_4_request": [_request(r, by_name[r["structure"]], caches) for r in rows],
        "smf74_4_processor_utilization": [
            {
                "r744pnum": r["processor"],
                "r744pbsy": r["busy_us"],
                "r744pwai": r["wait_us"],
                "r744ptde": True,
            }
            for r in busy
        ],
        "smf74_4_cache": [_cache(r, by_name[r["structure"]]) for r in caches],
    }
    log.add(interval["end"], 74, 4, tables, {})


def _local(system: System, rows: list[Row]) -> Row:
    return {
        "r744fnam": CF_NAME,
        "r744fsys": system.name,
        "r744fcei": True,
        "r744fpam": 4,
        "r744fscg": 28,
        "r744fscu": 28,
        "r744fscl": 28,
        "r744ftor": float(sum(r["requests"] for r in rows)),
        "r744fctm": sum(r["queued_us"] for r in rows) // 10,
        "r744fmod": MACHINE,
        "r744fver": "T34",
        "r744fmpc": "02",
        "r744flpn": 5,
        "r744flvl": 24,
        "r744fpas": 0xF0,
        "r744fpis": 0xF0,
        "r744fpcm": 0xF0,
        "r744ftap": ["ICP"] * 4 + [""] * 4,
        "r744fseq": "0000000A1B72",
        "r744fpdn": ICFS,
        "r744fidp": [0xF0, 0xF1, 0xF2, 0xF3, 0, 0, 0, 0],
    }


def _storage() -> Row:
    used = sum(s.blocks for s in STRUCTURES)
    return {
        "r744gcsd": _CF_BLOCKS,
        "r744gcsf": _CF_BLOCKS - used - 1024,
        "r744gtsd": _CF_BLOCKS,
        "r744gtsf": _CF_BLOCKS - used - 1024,
        "r744gdsa": 1024,
        "r744gdsf": 1024,
    }


def _structure(s: Structure) -> Row:
    return {
        "r744qstr": s.name,
        "r744qsiz": s.largest,
        "r744qver": _version(s),
        "r744qact": True,
    }


def _version(s: Structure) -> bytes:
    """The version of a structure: any, but the same in every section that names it."""
    return bytes.fromhex("D8A1") + len(s.name).to_bytes(2) + s.blocks.to_bytes(4)


def _request(row: Row, s: Structure, caches: list[Row]) -> Row:
    made: Row = {
        "r744snam": s.name,
        "r744sver": _version(s),
        "r744styp": s.kind,
        "r744scei": True,
        "r744ssta": float(row["changed_requests"]),
        "r744strc": float(row["requests"]),
        "r744stac": float(row["async_requests"] - row["changed_requests"]),
        "r744ssiz": s.blocks,
        "r744smas": s.largest,
        "r744smis": s.blocks // 4,
        "r744setm": row["execution_us"],
        "r744sxmo": s.kind not in {_LOCK, _CACHE},
        "r744sxcm": s.kind != _LOCK,
    }
    for prefix, what in (("sa", "async"), ("ss", "sync"), ("sq", "queued")):
        made[f"r744{prefix}rc"] = float(row[f"{what}_requests"])
        made[f"r744{prefix}tm"] = row[f"{what}_us"]
        made[f"r744{prefix}sq"] = row[f"{what}_squared_us"]
    if made["r744sxmo"]:
        made |= {
            "r744smrc": float(row["monopolized_requests"]),
            "r744smtm": row["monopolized_us"],
            "r744smsq": row["monopolized_squared_us"],
            "r744smto": float(row["monopolized_requests"]),
            "r744smmx": 4 if row["monopolized_requests"] else 0,
        }
    if s.kind == _CACHE:
        made |= {
            "r744sdec": s.entries,
            "r744sdel": s.elements,
            "r744cdsi": 1 + caches.index(row),
            "r744cdne": 1,
        }
    elif s.kind == _LOCK:
        made |= {
            "r744slel": s.entries,
            "r744slem": row["entries_in_use"],
            "r744sltl": 4_194_304,
            "r744sltm": row["entries_in_use"] * 3,
            "r744scn": float(row["contention"]),
            "r744sfcn": float(row["false_contention"]),
        }
    else:
        made |= {
            "r744slel": s.entries,
            "r744slem": row["entries_in_use"],
            "r744smae": s.elements,
            "r744scue": row["elements_in_use"],
            "r744snlh": 1024,
        }
    return made


def _cache(row: Row, s: Structure) -> Row:
    reads, writes = row["requests"] * 0.7, row["requests"] * 0.2
    return {
        "r744crhc": float(round(reads * 0.82)),
        "r744crmd": float(round(reads * 0.11)),
        "r744crma": float(round(reads * 0.07)),
        "r744cwh1": float(round(writes)),
        "r744ccoc": float(round(writes * 0.5)),
        "r744cxfw": float(round(writes * 0.3)),
        "r744cdec": row["entries_in_use"],
        "r744cdac": row["elements_in_use"],
        "r744ctcc": round(s.elements * 0.04),
    }
