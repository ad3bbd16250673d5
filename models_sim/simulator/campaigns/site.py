"""The sysplex that campaigns run on: that of document 000, Appendix A, with invented names.

z15 8561-7J1: three LPARs with 2, 1 and 1 dedicated general purpose processors, LPARs 1 and 3 with
zIIPs that are configured but offline, and an internal coupling facility with four processors. What
the document does not give (names, volumes, structures) is invented.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

import polars as pl

from models_sim.base.machines import machines
from models_sim.simulator.zos.profile import (
    DEDICATED,
    Card,
    DataSet,
    Goal,
    Space,
    Structure,
    Sysplex,
    System,
    WorkClass,
)

__all__ = [
    "AGENT",
    "BATCH",
    "CAPACITY",
    "CAPTURE",
    "CARDS",
    "CF_LATER_US",
    "CHUNK",
    "ELAPSED",
    "PARTNER",
    "SITE",
    "SOURCE",
    "TARGET",
    "address_space",
    "agent",
    "card_requests",
    "cf_service_us",
    "driver",
    "gateway",
    "manager",
    "site_of",
]

#: The LPARs of the agents: the partners of a transfer are on the first and on the second.
SOURCE, TARGET = "MVS1", "MVS3"
CAPTURE = 0.94  # share of dispatched time that address spaces account for: invented
CHUNK = 262_144  # bytes of a data message: agentChunkSize, document 000, Appendix B
#: What an agent is set to do by default (document 000, Appendix B): messages per acknowledgement,
#: acknowledgements per frame, and frames per checkpoint.
AGENT = {"agent_window_size": 10, "agent_frame_size": 5, "agent_checkpoint_interval": 1}
BATCH = 20  # messages per batch of a channel: BATCHLIM is 5000 KB
ELAPSED = 1.6  # elapsed over CPU time of an MQ call, the rest is waiting: invented
_UNIT = 301  # 16 * microseconds of a CPU service unit of z15: invented


#: The agent of the partner off z/OS, which is one machine, and its queue manager.
PARTNER = ("AGNTX1", "XQM1")


def manager(system: str) -> str:
    """Return the queue manager of an LPAR."""
    return f"MQA{system[-1]}"


def agent(system: str) -> str:
    """Return the MFT agent of an LPAR, which is also the name of its address space."""
    return f"AGNTA{system[-1]}"


def driver(system: str) -> str:
    """Return the address space that drives transactions on an LPAR."""
    return f"PERFSRV{system[-1:]}"


def gateway(system: str) -> str:
    """Return the address space of an LPAR's fasp.io gateway, a z/OS Container Extension."""
    return f"ZCXGW{system[-1]}"


def address_space(place: str, system: str) -> str:
    """Return an address space of an LPAR: of its queue manager, or application, TCPIP or zCX."""
    named = {"application": driver(system), "zCX": gateway(system), "TCPIP": "TCPIP"}
    return named.get(place, f"{manager(system)}{place}")


_CLASSES = (
    WorkClass("SYSTEM", "SYSTEM", (Goal("system"),)),
    WorkClass("SYSSTC", "SYSTEM", (Goal("system"),)),
    WorkClass("STCMQ", "STC", (Goal("velocity", 60, 1),)),
    WorkClass("STCMFT", "STC", (Goal("velocity", 40, 3),)),
)

# Address spaces that always use CPU: `idle` is their share of the LPAR's overhead.
_SYSTEM_SPACES = (
    Space("*MASTER*", "IEEMB860", "SYSTEM", "RSYSTEM", 0.6, 0.4, idle=0.17, system_space=True),
    Space("XCFAS", "IXCINJST", "SYSTEM", "RSYSTEM", 0.3, 0.7, idle=0.15, system_space=True),
    Space("GRS", "ISGBTC", "SYSTEM", "RSYSTEM", 0.3, 0.7, idle=0.05, system_space=True),
    Space("WLM", "IWMINJST", "SYSTEM", "RSYSTEM", 0.8, 0.2, idle=0.12, system_space=True),
    Space("CATALOG", "IGG0CLX0", "SYSTEM", "RSYSTEM", 0.8, 0.2, idle=0.04, system_space=True),
    Space("CONSOLE", "IEAVNP09", "SYSTEM", "RSYSTEM", 0.7, 0.3, idle=0.05, system_space=True),
    Space("SMF", "IFASMF", "SYSTEM", "RSYSTEM", 0.6, 0.4, idle=0.05, system_space=True),
    Space("JES2", "HASJES20", "SYSSTC", "RSTC", 0.7, 0.3, idle=0.09),
    Space("OMVS", "BPXINIT", "SYSSTC", "RSTC", 0.6, 0.4, idle=0.04),
    Space("RMF", "ERBMFMFC", "SYSSTC", "RSTC", 0.8, 0.2, idle=0.06),
    Space("RMFGAT", "ERB3GMFC", "SYSSTC", "RSTC", 0.9, 0.1, idle=0.12),
    Space("TCPIP", "EZBTCPIP", "SYSSTC", "RTCPIP", 0.25, 0.75, idle=0.06),
)


def _workload(system: str) -> tuple[Space, ...]:
    """Return the queue manager, its channel initiator and the agent of an LPAR."""
    name, number = manager(system), system[-1]
    log = DataSet(f"PERF.{name}.LOGCOPY1.DS01", f"MQLOG{number}", 0, 210, 80, 15, 22, 0.02)
    copy = DataSet(f"PERF.{name}.LOGCOPY2.DS01", f"MQLOC{number}", 0, 210, 80, 15, 22, 0.02)
    payload = DataSet(f"PERF.MFT{number}.PAYLOAD", f"MFTDS{number}", 0, 70, 40, 10, 1, 0.5, 27_998)
    zfs = DataSet(f"PERF.MFT{number}.ZFS", f"MFTFS{number}", 0, 170, 40, 20, 21, 0.5, 65_536)
    return (
        Space(f"{name}MSTR", "CSQYASCP", "STCMQ", "RMQ", 0.65, 0.35, idle=0.0, storage_mb=4096,
              data_sets=(log, copy)),
        Space(f"{name}CHIN", "CSQXJST", "STCMQ", "RMQ", 0.9, 0.1, idle=0.0, storage_mb=900),
        Space(f"{name}AMSM", "CSQ0DSRV", "STCMQ", "RMQ", 0.95, 0.05, idle=0.0, storage_mb=120),
        Space(agent(system), "BPXBATCH", "STCMFT", "RMFT", 0.93, 0.07, idle=0.0, java=1.0,
              storage_mb=1100, data_sets=(payload, zfs)),
        Space(driver(system), "PERFSRV", "STCMFT", "RAPPL", 0.9, 0.1, idle=0.0),
        Space(gateway(system), "GLZB", "STCMFT", "RZCX", 0.98, 0.02, idle=0.0, storage_mb=8192),
    )  # fmt: skip


def _system(number: int, cps: int, ziips: int, storage_gb: int, *, works: bool) -> System:
    name = f"MVS{number}"
    spaces = (*_SYSTEM_SPACES, *(_workload(name) if works else ()))
    serial = f"0{number}C4D2"
    return System(name, number, cps, ziips, DEDICATED, _UNIT, CAPTURE, CAPTURE, (), spaces, serial,
                  storage_gb)  # fmt: skip


_SYSTEMS = (
    _system(1, 2, 2, 144, works=True),
    _system(2, 1, 0, 48, works=False),
    _system(3, 1, 2, 48, works=True),
)
_VOLUMES = sorted({d.volume for s in _SYSTEMS for space in s.spaces for d in space.data_sets})

SITE = Sysplex(
    "PERFPLEX",
    _SYSTEMS,
    _CLASSES,
    {volume: 0x9000 + i for i, volume in enumerate(_VOLUMES)},
    structures=(
        Structure("MQPGCSQ_ADMIN", 2, 4, 0.03, 9.5, 62.0, 10_240, 20_480, 9_000, 9_200, 0.12),
        Structure("MQPGMFT1", 2, 0, 0.12, 11.0, 70.0, 262_144, 524_288, 180_000, 410_000, 0.55),
        Structure("IXCPATH1", 1, 30, 0.65, 10.5, 58.0, 8_192, 16_384, 4_000, 8_000, 0.08),
        Structure("ISGLOCK", 3, 40, 0.001, 5.0, 45.0, 8_448, 8_448, 0, 0, 0.1),
    ),
    model="7J1",
    serial="0C4D21",
    physical={"CP": 4, "ICF": 4, "zIIP": 4},
    ipl=datetime(2025, 10, 20, 9),
    policy=datetime(2025, 6, 2, 12),
    ziip_factor=256,
    counters=(1,),
)
#: Cryptographic cards: an accelerator that the LPARs share and two coprocessors of the first LPAR
#: (document 001, Appendix A). Operations come from the runs.
CARDS = (
    Card(0, "accelerator", (("rsa_2048_me", 0.0, 0.0),)),
    Card(1, "cca", (("all", 0.0, 0.0),)),
    Card(2, "cca", (("all", 0.0, 0.0),)),
)
_COPROCESSOR_US, _ACCELERATOR_US = 430.0, 92.0  # of a request to a card: invented


def card_requests(coprocessor: int, accelerator: int) -> list[dict[str, Any]]:
    """Return requests to the cards, as in a plan; two coprocessors share theirs."""
    first = coprocessor // 2
    rows = ((1, "all", first, _COPROCESSOR_US), (2, "all", coprocessor - first, _COPROCESSOR_US),
            (0, "rsa_2048_me", accelerator, _ACCELERATOR_US))  # fmt: skip
    return [dict(zip(("card", "operation", "number", "us"), row, strict=True)) for row in rows]


#: A request to the coupling facility takes 1 us longer on z16, and a structure of MQ needs 8 MB
#: more (document 004, section 2).
CF_LATER_US, _CF_MORE_BLOCKS = {"z16": 1.0}, 8 * 256


def _on_z16(structure: Structure) -> Structure:
    more = _CF_MORE_BLOCKS if structure.name.startswith("MQPG") else 0
    return replace(
        structure,
        blocks=structure.blocks + more,
        largest=structure.largest + more,
    )


def _on(generation: str, **more: Any) -> Sysplex:
    """Return the sysplex on a machine, whose CPs do more or fewer service units a second."""
    unit = round(_UNIT / machines()[generation]["capacity"])
    systems = tuple(replace(system, adjustment=unit) for system in SITE.systems)
    return replace(SITE, generation=generation, systems=systems, cards=CARDS, **more)


#: The same LPARs on the machines of document 004.
_SITES = {
    "z13": _on("z13", model="706", serial="0B13A7"),
    "z14": _on("z14", model="706", serial="0B52E8"),
    "z15": _on("z15"),
    "z16": _on(
        "z16",
        model="706",
        serial="0E91F3",
        zos="2.5",
        structures=tuple(map(_on_z16, SITE.structures)),
    ),
}
#: A structure of 4 GB to be filled (document 004, section 2); entries and elements are invented.
CAPACITY = Structure(
    "MQPGCAP1", 2, 0, 0.02, 11.0, 70.0, 1_048_576, 1_048_576, 2_000_000, 12_000_000, 0.0
)
_CPS = 34  # of the machine, of which the first LPAR has up to 32


@cache
def site_of(machine: str, cpus: int | None = None) -> Sysplex:
    """Return the sysplex on a machine.

    With `cpus` the first LPAR has that many processors, and there is a large structure.
    """
    site = _SITES[machine]
    if cpus is None:
        return site
    first, *others = site.systems
    return replace(
        site,
        systems=(replace(first, cps=cpus), *others),
        structures=(*site.structures, CAPACITY),
        physical={**site.physical, "CP": _CPS},
    )


def cf_service_us(machine: pl.Expr) -> pl.Expr:
    """Return the microseconds of a request to a structure of MQ, by machine."""
    return CAPACITY.sync_us + machine.replace_strict(
        CF_LATER_US, default=0.0, return_dtype=pl.Float64
    )
