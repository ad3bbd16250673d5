"""SMF 70: processors and partitions (subtype 1), cryptographic cards (subtype 2)."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from models_sim.zos.log import Log, Row
from models_sim.zos.profile import (
    CARDS,
    CF_NAME,
    ICFS,
    MACHINE,
    OTHER_PARTITION,
    PHYSICAL_CPS,
    PHYSICAL_ZIIPS,
    START,
    SYSPLEX,
    SYSTEMS,
    ZIIP_FACTOR,
    Card,
    System,
)
from models_sim.zos.rmf import product, samples
from models_sim.zos.simulate import Frames

__all__ = ["add_cpu", "add_crypto"]

_KINDS = ("CP", "AAP", "IFL", "ICF", "IIP")  # the machine's, in the order of their sections
_PHYSICAL = {"CP": PHYSICAL_CPS, "ICF": ICFS, "IIP": PHYSICAL_ZIIPS}
_NAME = {"CP": "CP", "zIIP": "IIP", "ICF": "ICF"}
_TYPE = {"CP": 0, "zIIP": 2}
_DEDICATED = 0xFFFF
_WEIGHTS = {s.name: s.weight for s in SYSTEMS} | {OTHER_PARTITION.name: OTHER_PARTITION.weight}
_NUMBERS = {s.name: s.partition for s in SYSTEMS} | {OTHER_PARTITION.name: OTHER_PARTITION.number}
_NUMBERS |= {CF_NAME: 5, "PHYSICAL": 0}
_ORDER = [*(s.name for s in SYSTEMS), OTHER_PARTITION.name, CF_NAME, "PHYSICAL"]
_READY = (0.42, 0.2, 0.12, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01, 0.008, 0.005, 0.004, 0.003)


def add_cpu(
    log: Log, system: System, interval: Row, frames: Frames, rng: np.random.Generator
) -> None:
    """Add the record of processors and partitions of one interval."""
    number = interval["interval"]
    own = [
        r
        for r in frames["processor"].iter_rows(named=True)
        if (r["system"], r["interval"]) == (system.name, number)
    ]
    seen = [r for r in frames["partition"].iter_rows(named=True) if r["interval"] == number]
    seen.sort(key=lambda r: (_ORDER.index(r["partition"]), r["processor"], r["processor_type"]))
    count = samples(interval)
    tables = product(70, 1, system, interval) | {
        "smf70_1_cpu_control": [_control(system, interval, count)],
        "smf70_1_cpu_data": [_processor(system, r, rng) for r in own],
        "smf70_1_asid_data": [_address_spaces(system, own, count, rng)],
        "smf70_1_prsm_partition": _partitions(seen, count),
        "smf70_1_prsm_logical_processor": [_logical(r, interval, count) for r in seen],
        "smf70_1_cpu_identification": [
            {
                "smf70cin": kind,
                "smf70ctn": _PHYSICAL.get(kind, 0),
                "smf70can": _PHYSICAL.get(kind, 0) * count,
            }
            for kind in _KINDS
        ],
    }
    log.add(interval["end"], 70, 1, tables, {})


def _control(system: System, interval: Row, count: int) -> Row:
    msu = round(16e6 / system.adjustment * system.cps * 3600 / 1e6 / 6)
    return {
        "smf70mod": bytes.fromhex(MACHINE),
        "smf70bnp": PHYSICAL_CPS + PHYSICAL_ZIIPS + ICFS,
        "smf70phy": True,
        "smf70dge": True,
        "smf70sts": True,
        "smf70hwv": True,
        "smf70mdl": "507",
        "smf70hwm": "T34",
        "smf70dsa": count,
        "smf70wla": msu,
        "smf70lac": round(msu * 0.5 * interval["load"]),
        "smf70sup": system.ziips,
        "smf70pom": "02",
        "smf70csc": "000000000002A1B7",
        "smf70hhs": True,
        "smf70hha": True,
        "smf70mpc": "507",
        "smf70mtc": "507",
        "smf70mcr": 2100,
        "smf70mpr": 2100,
        "smf70mtr": 2100,
        "smf70nrm": ZIIP_FACTOR,
        "smf70cai": 100,
        "smf70mcf": 1024,
        "smf70mcfs": 1024,
        "smf70cf": 1024,
        "smf70cfs": 1024,
        "smf70atd": 1024,
        "smf70atds": 1024,
        "smf70adj": system.adjustment,
        "smf70maxpu": 34,
        "smf70_ipl_time": START.replace(day=26, hour=9),
        "smf70cpc_type": MACHINE,
    }


def _processor(system: System, row: Row, rng: np.random.Generator) -> Row:
    seconds = row["effective_us"] / 1e6
    busy = rng.poisson([seconds * rate for rate in (900, 120, 2400, 1900, 310, 400)])
    handled, polled, tasks, services, requests, signals = (int(n) for n in busy)
    return {
        "smf70wat": row["wait_us"],
        "smf70cid": row["processor"],
        "smf70dci": True,
        "smf70sta": True,
        "smf70ser": bytes.fromhex(system.serial),
        "smf70typ": _TYPE[row["processor_type"]],
        "smf70slh": handled if row["processor_type"] == "CP" else 0,
        "smf70tpi": polled if row["processor_type"] == "CP" else 0,
        "smf70pat": row["parked_us"],
        "smf70tcb": tasks,
        "smf70srb": services,
        "smf70nio": requests,
        "smf70sig": signals,
        "smf70wtd": round((row["online_us"] - row["parked_us"]) / 2000),
    }


def _address_spaces(system: System, own: list[Row], count: int, rng: np.random.Generator) -> Row:
    """Ready users and work units by sample: more of them the busier the processors are."""
    busy = sum(r["effective_us"] for r in own if r["processor_type"] == "CP")
    online = sum(r["online_us"] - r["parked_us"] for r in own if r["processor_type"] == "CP")
    mean = system.cps * busy / online
    ready = np.minimum(rng.poisson(mean, count), 60)
    row: Row = {"smf70rmn": int(ready.min()), "smf70rmm": int(ready.max())}
    row["smf70rtt"] = int(ready.sum())
    for i, times in enumerate(np.bincount(np.minimum(ready, 15), minlength=16)):
        row[f"smf70r{i:02}"] = int(times)
    # Above the processors: as many or fewer, 1, 2, 3, 4-5, 6-10, 11-15 more, ...
    above = np.searchsorted([0, 1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 80], ready - system.cps)
    for i, times in enumerate(np.bincount(above, minlength=13)):
        row[f"smf70q{i:02}"] = int(times)
    work = rng.poisson(mean, count)
    ziip = rng.poisson(mean * 0.3, count)
    row["smf70srm"] = count
    for prefix, values in (("c", work), ("e", ziip)):
        row[f"smf70{prefix}mn"] = int(values.min())
        row[f"smf70{prefix}mm"] = int(values.max())
        row[f"smf70{prefix}tt"] = int(values.sum())
    return row


def _partitions(seen: list[Row], count: int) -> list[Row]:
    rows, before = [], 0
    for name, group in groupby(seen, key=lambda r: r["partition"]):
        processors = len(list(group))
        is_system = name in {s.name for s in SYSTEMS}
        rows.append(
            {
                "smf70lpm": name,
                "smf70lpn": _NUMBERS[name],
                "smf70wlm": is_system,
                "smf70bdn": processors,
                "smf70bds": before,
                "smf70bda": processors * count,
                "smf70spn": SYSPLEX if is_system else "",
                "smf70stn": name if is_system else "",
                "smf70csf": {"SY1": 65_536, "SY2": 49_152}.get(name, 0),
                "smf70pwf": is_system,
                "smf70upi": _NUMBERS[name],
            }
        )
        before += processors
    return rows


def _logical(row: Row, interval: Row, count: int) -> Row:
    """A logical processor; the machine's time is cut to the reporting system's interval."""
    length = (interval["end"] - interval["start"]).total_seconds() * 1_000_000
    part = length / row["online_us"]
    own = row["partition"] == interval["system"]
    scale = 1.0 if own else part
    name = row["partition"]
    return {
        "smf70pdt": round(row["dispatched_us"] * scale),
        "smf70vpa": row["processor"],
        "smf70bps": _DEDICATED if name == CF_NAME else _WEIGHTS.get(name, 0),
        "smf70poi": row["polarization"],
        "smf70cix": 1 + _KINDS.index(_NAME[row["processor_type"]]),
        "smf70edt": round(row["effective_us"] * scale),
        "smf70acs": _WEIGHTS.get(name, 0) * count,
        "smf70ont": 0 if name == "PHYSICAL" else round(row["online_us"] * scale),
        "smf70pow": _WEIGHTS.get(name, 0) * 4096 * count // 100 if row["polarization"] else 0,
        "smf70maxnl": 3 if row["polarization"] else 0,
        "smf70cordl1": row["chip"] if row["polarization"] else 0,
        "smf70cordl2": 1 if row["polarization"] else 0,
        "smf70cordl3": row["drawer"] if row["polarization"] else 0,
    }


_SCALE = 1e-6 * 1.024  # seconds of a card's unit of time
_MACHINE_WIDE, _OF_SYSTEM = 0, 1
_PART = {"SY1": 0.58, "SY2": 0.37}  # of the machine's operations, those of a system
_CCA = {"all": ("r7023t0", "r7023c0"), "rsa_key_generation": ("", "r7023c1")}
_ACCELERATOR = {
    "rsa_2048_me": ("r7022met", "r7022mec", True),
    "rsa_2048_crt": ("r7022crt", "r7022crc", True),
    "rsa_4096_crt": ("r7023crt", "r7023crc", False),
}
_PKCS11 = {
    "slow_asymmetric": ("r7025sat", "r7025sac"),
    "fast_asymmetric": ("r7025fat", "r7025fac"),
    "symmetric_complete": ("r7025sct", "r7025scc"),
}
_TABLES = {
    "cca": "smf70_2_crypto_cca_coprocessor",
    "accelerator": "smf70_2_crypto_accelerator",
    "pkcs11": "smf70_2_crypto_pkcs11_coprocessor",
}
_PREFIX = {"cca": "r7023", "accelerator": "r7024", "pkcs11": "r7025"}
_VALID = {
    "cca": ("r7023all", "r7023rsa"),
    "accelerator": ("r7022km", "r7022kc", "r7023kc"),
    "pkcs11": ("r7025sa", "r7025fa", "r7025sc"),
}


def add_crypto(log: Log, system: System, interval: Row, frames: Frames) -> None:
    """Add the record of cards of one interval: the machine's, and this system's part of it."""
    rows = [
        r for r in frames["crypto"].iter_rows(named=True) if r["interval"] == interval["interval"]
    ]
    tables = product(70, 2, system, interval)
    for card in CARDS:
        of_card = [r for r in rows if r["card"] == card.number]
        table = tables.setdefault(_TABLES[card.kind], [])
        table.append(_card(card, of_card, 1.0) | _scope(card, _MACHINE_WIDE, 0))
        table.append(_card(card, of_card, _PART[system.name]) | _scope(card, _OF_SYSTEM, 11))
    hashed = sum(r["operations"] for r in rows) * _PART[system.name]
    tables["smf70_2_icsf_services"] = [
        {
            "r702cdlv": 23,
            "r702aesc": round(hashed * 2.0),
            "r702aesb": round(hashed * 2.0) * 4096,
            "r702aesi": round(hashed * 2.0),
            "r702nh2c": round(hashed * 3.0),
            "r702nh2b": round(hashed * 3.0) * 512,
            "r702nh2i": round(hashed * 3.0),
            "r702drgc": round(hashed * 0.2),
            "r702drvc": round(hashed * 0.3),
        }
    ]
    log.add(interval["end"], 70, 2, tables, {})


def _scope(card: Card, scope: int, domain: int) -> Row:
    p = _PREFIX[card.kind]
    return {f"{p}scope": scope, f"{p}did": domain}


def _card(card: Card, rows: list[Row], part: float) -> Row:
    p = _PREFIX[card.kind]
    made: Row = {f"{p}ax": card.number, f"{p}ct": card.code, f"{p}sf": _SCALE}
    made |= dict.fromkeys(_VALID[card.kind], True)
    if card.kind == "accelerator":
        made["r7024en"] = 1
    for row in rows:
        count = float(round(row["operations"] * part))
        time = row["execution_us"] * part / 1e6 / _SCALE
        if card.kind == "accelerator":
            time_name, count_name, engines = _ACCELERATOR[row["operation"]]
            more = (0.0,) * 4
            made[time_name] = [time, *more] if engines else time
            made[count_name] = [count, *more] if engines else count
        else:
            time_name, count_name = (_CCA if card.kind == "cca" else _PKCS11)[row["operation"]]
            made[count_name] = count
            if time_name:
                made[time_name] = time
    return made
