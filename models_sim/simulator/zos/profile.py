"""The description of the synthetic sysplex: machine, systems, work, volumes and structures.

Everything here is invented. The numbers are chosen so that each figure of a report has something to
show; none was measured, and none says anything about a product. Rates are per second at the
system's full load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from models_sim.base.machines import machines

__all__ = ["CPU_COEFFICIENT", "DEDICATED", "INTERVAL_SECONDS", "PLEX1", "SRB_COEFFICIENT", "START",
           "SYSTEMS", "Card", "DataSet", "Goal", "Partition", "Space", "Structure", "Sysplex",
           "System", "WorkClass"]  # fmt: skip

START = datetime(2024, 2, 29, 13)  # UTC; 08:00 local time
INTERVAL_SECONDS = 900
CPU_COEFFICIENT, SRB_COEFFICIENT = 2.0, 1.0  # in the service definition
DEDICATED = 0xFFFF  # weight of a partition with dedicated processors


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a period.

    `kind` is "system", "velocity", "average", "percentile", "discretionary", or "none" for some
    report classes. `value` is in percent or milliseconds; `percent` belongs to a percentile goal.
    """

    kind: str
    value: int = 0
    importance: int = 0
    percent: int = 0


@dataclass(frozen=True, slots=True)
class WorkClass:
    """A service class: goals by period, the share of its CPU time in each, and transactions.

    `transactions` is the number that end per second and `response` their mean response in seconds,
    by period. A batch class has one transaction for each job that ends.
    """

    name: str
    workload: str
    goals: tuple[Goal, ...]
    shares: tuple[float, ...] = (1.0,)
    transactions: float = 0.0
    response: tuple[float, ...] = (0.0,)
    durations: tuple[int, ...] = (0,)


_CLASSES = (
    WorkClass("SYSTEM", "SYSTEM", (Goal("system"),)),
    WorkClass("SYSSTC", "SYSTEM", (Goal("system"),)),
    WorkClass("STCHI", "STC", (Goal("velocity", 60, 1),)),
    WorkClass("STCMED", "STC", (Goal("velocity", 40, 3),)),
    WorkClass(
        "ONLINE",
        "ONLINE",
        (Goal("percentile", 60, 1, 90),),
        transactions=240.0,
        response=(0.028,),
    ),
    WorkClass(
        "BATCH",
        "BATCH",
        (Goal("average", 30_000, 3), Goal("velocity", 20, 4), Goal("discretionary")),
        shares=(0.35, 0.40, 0.25),
        response=(22.0, 180.0, 900.0),
        durations=(20_000, 100_000, 0),
    ),
)


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of an address space: where it is and how it is used.

    The times of a request are in microseconds: connect, pending, disconnect. `organization` is a
    code of S42DSTYP; `reads` is the share of requests that read.
    """

    name: str
    volume: str
    rate: float
    connect: int
    pending: int = 90
    disconnect: int = 0
    organization: int = 21
    reads: float = 0.5
    block: int = 4096


@dataclass(frozen=True, slots=True)
class Space:
    """An address space and the CPU seconds that it asks for per second.

    `tcb` and `srb` run on CPs at full load. `eligible` could run on zIIPs, in CP seconds, and the
    share `offload` of it does. The share `idle` of all three is used even without load. `enclave`
    is the share of task time in independent enclaves, `java` the share of zIIP time in Java. With
    `system_space` the space writes subtype 6. `active` are the seconds from the start in which a
    job runs. `container` and `pod` name the z/OS container that the space runs in.
    """

    job: str
    program: str
    service_class: str
    report_class: str
    tcb: float
    srb: float = 0.0
    eligible: float = 0.0
    offload: float = 0.92
    idle: float = 0.1
    enclave: float = 0.0
    java: float = 0.0
    storage_mb: int = 64
    work: str = "STC"
    system_space: bool = False
    active: tuple[float, float] | None = None
    data_sets: tuple[DataSet, ...] = ()
    container: str = ""
    pod: str = ""


@dataclass(frozen=True, slots=True)
class System:
    """A z/OS system in its partition.

    `adjustment` is 16 times the microseconds of a CPU service unit (R723MADJ). `capture` and
    `ziip_capture` are the shares of dispatched time that address spaces account for. `load` is the
    share of full load in each interval. `defined_msu` is the partition's defined capacity, 0 for
    none.
    """

    name: str
    partition: int
    cps: int
    ziips: int
    weight: int
    adjustment: int
    capture: float
    ziip_capture: float
    load: tuple[float, ...]
    spaces: tuple[Space, ...]
    serial: str
    storage_gb: int = 64
    defined_msu: int = 0


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition whose system writes no records here, and how busy its processors are."""

    name: str
    number: int
    cps: int
    ziips: int
    weight: int
    busy: float


def _logs(manager: str, rate: float, volume: str) -> tuple[DataSet, ...]:
    logs = tuple(
        DataSet(f"SYN.{manager}.LOGCOPY{i}.DS01", f"{volume}L{i}", rate, 210, 80, 15, 22, 0.02)
        for i in (1, 2)
    )
    pages = tuple(
        DataSet(f"SYN.{manager}.PSID{i:02}", f"{volume}P1", rate * part, 130, 95, 60, 21, 0.4)
        for i, part in ((0, 0.02), (1, 0.15), (2, 0.3))
    )
    return (*logs, *pages, DataSet(f"SYN.{manager}.BSDS01", f"{volume}P1", 0.2, 120, 85, 20, 16))


def _queue_manager(name: str, size: float, volume: str) -> tuple[Space, ...]:
    report = f"R{name}"
    return (
        Space(
            f"{name}MSTR",
            "CSQYASCP",
            "STCHI",
            report,
            0.10 * size,
            0.055 * size,
            idle=0.04,
            storage_mb=2048,
            data_sets=_logs(name, 160 * size, volume),
        ),
        Space(
            f"{name}CHIN",
            "CSQXJST",
            "STCHI",
            report,
            0.24 * size,
            0.03 * size,
            idle=0.02,
            storage_mb=640,
        ),
    )


def _database(name: str, size: float) -> tuple[Space, ...]:
    tables = DataSet(f"SYN.{name}.DSNDBD.ORDERS.A001", "SYDB01", 190 * size, 180, 95, 110, 21, 0.8)
    indexes = DataSet(f"SYN.{name}.DSNDBD.ORDERSX.A001", "SYDB02", 120 * size, 150, 90, 70, 21, 0.9)
    log = DataSet(f"SYN.{name}.LOGCOPY1.DS01", "SYDB03", 140 * size, 200, 80, 12, 22, 0.01)
    return (
        Space(
            f"{name}MSTR",
            "DSNYASCP",
            "STCHI",
            "RDB2",
            0.03 * size,
            0.06 * size,
            idle=0.05,
            data_sets=(log,),
        ),
        Space(
            f"{name}DBM1",
            "DSNYASCP",
            "STCHI",
            "RDB2",
            0.08 * size,
            0.02 * size,
            0.10 * size,
            idle=0.05,
            storage_mb=9000,
            data_sets=(tables, indexes),
        ),
        Space(
            f"{name}DIST",
            "DSNYASCP",
            "STCHI",
            "RDB2",
            0.16 * size,
            0.02 * size,
            0.22 * size,
            0.95,
            idle=0.03,
            enclave=0.85,
            storage_mb=420,
        ),
        Space(f"{name}IRLM", "DXRRLM00", "SYSSTC", "RDB2", 0.006, 0.03 * size, idle=0.1),
    )


def _applications(size: float) -> tuple[Space, ...]:
    vsam = DataSet("SYN.CICS.ACCOUNTS.DATA", "SYAP01", 210 * size, 160, 90, 85, 16, 0.7)
    index = DataSet("SYN.CICS.ACCOUNTS.INDEX", "SYAP01", 60 * size, 110, 85, 15, 17, 0.95)
    return (
        Space(
            "SYNCICS1",
            "DFHSIP",
            "ONLINE",
            "RCICS",
            0.55 * size,
            0.04 * size,
            0.06 * size,
            idle=0.02,
            storage_mb=1400,
            data_sets=(vsam, index),
        ),
        Space("SYNIMS", "DFSMVRC0", "ONLINE", "RIMS", 0.30 * size, 0.03 * size, idle=0.03),
        Space(
            "SYNHUB",
            "SYNHUB",
            "STCMED",
            "RAPPL",
            0.035 * size,
            0.004,
            idle=0.05,
            container="hub",
            pod="syn-broker",
        ),
        Space(
            "SYNSPOKE",
            "SYNSPOKE",
            "STCMED",
            "RAPPL",
            0.025 * size,
            0.003,
            idle=0.05,
            container="spoke",
            pod="syn-broker",
        ),
        Space("SYNSHARE", "SYNSHARE", "STCMED", "RAPPL", 0.03 * size, 0.003, idle=0.05),
    )


def _agents(name: str, size: float) -> tuple[Space, ...]:
    files = DataSet("SYN.MFT.PAYLOAD.DATA", "SYMF01", 130 * size, 420, 95, 40, 1, 0.5, 27_998)
    zfs = DataSet("SYN.MFT.ZFS", "SYMF02", 45 * size, 140, 90, 20, 21, 0.3)
    return (
        Space(
            f"{name}A",
            "BPXBATCH",
            "STCMED",
            "RMFT",
            0.05 * size,
            0.03 * size,
            0.42 * size,
            0.94,
            idle=0.015,
            java=0.97,
            storage_mb=1100,
            data_sets=(files, zfs),
        ),
        Space(
            f"{name}B",
            "BPXBATCH",
            "STCMED",
            "RMFT",
            0.03 * size,
            0.02 * size,
            0.24 * size,
            0.94,
            idle=0.025,
            java=0.97,
            storage_mb=900,
        ),
    )


_SYSTEM_SPACES = (
    Space("*MASTER*", "IEEMB860", "SYSTEM", "RSYSTEM", 0.012, 0.02, idle=0.6, system_space=True),
    Space("XCFAS", "IXCINJST", "SYSTEM", "RSYSTEM", 0.015, 0.035, idle=0.35, system_space=True),
    Space("GRS", "ISGBTC", "SYSTEM", "RSYSTEM", 0.004, 0.012, idle=0.4, system_space=True),
    Space("WLM", "IWMINJST", "SYSTEM", "RSYSTEM", 0.011, 0.002, idle=0.9, system_space=True),
    Space("CATALOG", "IGG0CLX0", "SYSTEM", "RSYSTEM", 0.007, 0.002, idle=0.1, system_space=True),
    Space("CONSOLE", "IEAVNP09", "SYSTEM", "RSYSTEM", 0.004, 0.001, idle=0.5, system_space=True),
    Space("SMF", "IFASMF", "SYSTEM", "RSYSTEM", 0.003, 0.002, idle=0.2, system_space=True),
)


def _services(size: float) -> tuple[Space, ...]:
    spool = DataSet("SYS1.HASPACE", "SYSPL1", 22 * size, 150, 85, 10, 1, 0.5)
    return (
        Space(
            "JES2",
            "HASJES20",
            "SYSSTC",
            "RSTC",
            0.012 * size,
            0.004,
            idle=0.3,
            data_sets=(spool,),
        ),
        Space("TCPIP", "EZBTCPIP", "SYSSTC", "RSTC", 0.05 * size, 0.12 * size, 0.03, idle=0.04),
        Space("VTAM", "ISTINM01", "SYSSTC", "RSTC", 0.004, 0.008, idle=0.3),
        Space("OMVS", "BPXINIT", "SYSSTC", "RSTC", 0.006, 0.004, idle=0.2, system_space=True),
        Space("RMF", "ERBMFMFC", "SYSSTC", "RSTC", 0.003, 0.001, idle=0.9),
        Space("RMFGAT", "ERB3GMFC", "SYSSTC", "RSTC", 0.009, 0.001, 0.012, idle=0.95),
    )


def _job(name: str, program: str, tcb: float, start: float, end: float) -> Space:
    files = DataSet(f"SYN.BATCH.{name}.IN", "SYBT01", 260 * tcb, 380, 95, 30, 1, 0.6, 27_998)
    return Space(
        name,
        program,
        "BATCH",
        "RBATCH",
        tcb,
        tcb * 0.06,
        idle=0.0,
        work="JES2",
        active=(start, end),
        data_sets=(files,),
    )


SYSTEMS = (
    System(
        "SY1",
        1,
        4,
        2,
        500,
        487,
        0.92,
        0.96,
        (0.0, 0.35, 0.62, 0.85, 1.0, 0.9, 0.55, 0.2),
        (
            *_SYSTEM_SPACES,
            *_services(1.0),
            *_queue_manager("SYQ1", 1.0, "SYQ1"),
            *_queue_manager("SYQ3", 0.3, "SYQ3"),
            *_database("DBS1", 1.0),
            *_applications(1.0),
            *_agents("MFTAG1", 1.0),
            _job("SYNLOAD", "SYNLOAD", 0.14, 2400.37, 3587.91),
            _job("SYNPOST", "SYNPOST", 0.10, 2405.12, 4520.44),
            _job("SYNRPT1", "SYNREPT", 0.30, 5000.08, 5171.62),
            _job("SYNRPT2", "SYNREPT", 0.22, 5190.55, 5290.17),
        ),
        "02A1B7",
    ),
    System(
        "SY2",
        2,
        3,
        1,
        350,
        479,
        0.90,
        0.95,
        (0.0, 0.4, 0.7, 0.8, 1.0, 0.85, 0.6, 0.15),
        (
            *_SYSTEM_SPACES,
            *_services(0.8),
            *_queue_manager("SYQ2", 1.1, "SYQ2"),
            *_database("DBS2", 0.6),
            *_applications(0.6),
            *_agents("MFTAG2", 0.6),
            _job("SYNARCH", "SYNARCH", 0.20, 1300.25, 2951.8),
        ),
        "02A1B8",
        48,
        defined_msu=40,
    ),
)
# Volumes and their device numbers.
_VOLUMES = {
    volume: 0x8000 + i
    for i, volume in enumerate(
        sorted({d.volume for system in SYSTEMS for s in system.spaces for d in s.data_sets})
    )
}


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure of the coupling facility: its description and a system's requests.

    `kind` is 1 for a list, 2 for a serialized list, 3 for a lock, 4 for a cache. `rate` is in
    requests per second, `asynchronous` is the share of asynchronous ones, and `sync_us` and
    `async_us` are mean service times. Sizes are in blocks of 4 KiB. `entries` and `elements` are
    the capacity, and `used` is the share in use at full load.
    """

    name: str
    kind: int
    rate: float
    asynchronous: float
    sync_us: float
    async_us: float
    blocks: int
    largest: int
    entries: int
    elements: int
    used: float


_STRUCTURES = (
    Structure("SYQGCSQ_ADMIN", 2, 55, 0.03, 9.5, 62.0, 10_240, 20_480, 9_000, 9_200, 0.12),
    Structure("SYQGSYNAPPL1", 2, 900, 0.12, 11.0, 70.0, 102_400, 204_800, 180_000, 410_000, 0.55),
    Structure("DSNDB0G_LOCK1", 3, 2600, 0.002, 5.5, 48.0, 32_768, 65_536, 60_000, 0, 0.25),
    Structure("DSNDB0G_GBP0", 4, 1100, 0.06, 10.0, 66.0, 65_536, 131_072, 160_000, 40_000, 0.6),
    Structure("IXCPATH1", 1, 420, 0.65, 10.5, 58.0, 8_192, 16_384, 4_000, 8_000, 0.08),
    Structure("ISGLOCK", 3, 700, 0.001, 5.0, 45.0, 8_448, 8_448, 0, 0, 0.1),
)


@dataclass(frozen=True, slots=True)
class Card:
    """A cryptographic card: `kind` is "cca", "accelerator" or "pkcs11".

    `operations` are name, rate of the whole machine and execution time in seconds.
    """

    number: int
    kind: str
    operations: tuple[tuple[str, float, float], ...]


_CARDS = (
    Card(0, "cca", (("all", 310.0, 0.00042), ("rsa_key_generation", 0.4, 0.0))),
    Card(1, "cca", (("all", 260.0, 0.00044), ("rsa_key_generation", 0.3, 0.0))),
    Card(2, "accelerator", (("rsa_2048_me", 140.0, 0.00009), ("rsa_2048_crt", 95.0, 0.00026))),
    Card(3, "accelerator", (("rsa_2048_me", 120.0, 0.00009), ("rsa_4096_crt", 12.0, 0.0011))),
    Card(
        4,
        "pkcs11",
        (
            ("slow_asymmetric", 8.0, 0.0019),
            ("fast_asymmetric", 30.0, 0.00038),
            ("symmetric_complete", 55.0, 0.0002),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Sysplex:
    """A sysplex on one machine: everything in its records except what it did.

    `generation` is that of the machine, with the figures of base.machines; `zos` is the release of
    the systems. `local_hours` is its time zone, east of UTC. `others` are the partitions whose
    systems write no records here. `crypto_parts` is each system's share of the cards' operations.
    `counters` are the subtypes of type 113 that are written. `broken` is a system, an interval and
    a service class whose record of type 72 is written in two parts. `group` is the capacity group
    of the systems' partitions, with its limit `group_msu`; empty for none.
    """

    name: str
    systems: tuple[System, ...]
    classes: tuple[WorkClass, ...]
    volumes: Mapping[str, int]
    structures: tuple[Structure, ...] = ()
    cards: tuple[Card, ...] = ()
    crypto_parts: Mapping[str, float] = field(default_factory=dict)
    others: tuple[Partition, ...] = ()
    local_hours: float = -5
    generation: str = "z15"
    zos: str = "2.4"
    model: str = "507"
    serial: str = "02A1B7"
    physical: Mapping[str, int] = field(default_factory=lambda: {"CP": 7, "ICF": 2, "zIIP": 3})
    cf_name: str = "CF1"
    cf_partition: int = 5
    ziip_factor: int = 569  # in 1/256: one zIIP second is 2.2 CP seconds
    ipl: datetime = datetime(2024, 2, 26, 9)
    policy: datetime = START - timedelta(days=20)
    counters: tuple[int, ...] = (1, 2)
    broken: tuple[str, int, str] | None = None
    group: str = ""
    group_msu: int = 0

    @property
    def figures(self) -> Mapping[str, int]:
        """The figures of the machine that records have, as whole numbers."""
        return {name: round(value) for name, value in machines()[self.generation].items()}

    @property
    def machine(self) -> str:
        """The machine type."""
        return str(self.figures["machine_type"])

    @property
    def physical_adjustment(self) -> int:
        """16 times the microseconds of a service unit that licences count (SMF70CPA).

        Invented: six times the CPU service unit of the slowest system.
        """
        return 6 * max(system.adjustment for system in self.systems)

    @property
    def msu_of_processor(self) -> float:
        """Millions of service units an hour of one general-purpose processor."""
        return 16 * 3600 / self.physical_adjustment

    @property
    def offset(self) -> timedelta:
        """Local time minus UTC."""
        return timedelta(hours=self.local_hours)


PLEX1 = Sysplex(
    "PLEX1",
    SYSTEMS,
    _CLASSES,
    _VOLUMES,
    _STRUCTURES,
    _CARDS,
    {"SY1": 0.58, "SY2": 0.37},
    (Partition("TST1", 3, 2, 1, 150, 0.22),),
    broken=("SY1", 2, "BATCH"),
    group="SYNGRP",
    group_msu=90,
)
