"""Synthetic dumps of MQ records: small, plausible, and from no existing system.

System SYN1, its queue managers SYQ1 (MQ 9.3.5), SYQ2 (10.0.0) and SYQ3 (8.0.0) and all numbers are
invented. The records of one queue manager agree: calls, messages, bytes, log writes and pages are
counted once and appear in every record that counts them.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from ingest.formats.binary.framing import Framing
from ingest.formats.binary.write import frame_records
from models_sim.simulator.mq import fields
from models_sim.simulator.mq.accounting import add_accounting
from models_sim.simulator.mq.activity import simulate
from models_sim.simulator.mq.ams import add_audit
from models_sim.simulator.mq.channels import add_channels
from models_sim.simulator.mq.dump import Dump
from models_sim.simulator.mq.profile import (
    BATCH,
    CHANNEL,
    CICS,
    COMMAND_SERVER,
    IMS,
    RRS,
    Channel,
    Flow,
    Pool,
    QueueManager,
    Release,
    Task,
)
from models_sim.simulator.mq.statistics import add_statistics

__all__ = ["SYQ1", "SYQ2", "SYQ3", "records_of", "write_samples"]

SYSTEM = "SYN1"
_START = datetime(2024, 2, 29, 13, 0, 0, 20_000)  # UTC; 08:00 local time
_TWO_HOURS = 7200.0

MQ_800 = Release(
    header="800",
    lengths={
        "smf115_qmst": 72,
        "smf115_qjst": 576,
        "smf115_qesd": 328,
        "smf115_qcct": 48,
        "smf116_qcst": 324,
        "smf116_wq": 2792,
    },
    detailed=False,
    leftovers=True,
)
MQ_935 = Release(
    header="935",
    lengths={
        "smf115_qmst": 104,
        "smf115_qjst": 596,
        "smf115_qqst": 552,
        "smf116_qcst": 324,
    },
)
MQ_1000 = Release(header="946", extension="100000")


def _tasks(name: str, partner: str) -> tuple[Task, ...]:
    initiator = f"{name}CHIN"
    return (
        Task("sender", initiator, CHANNEL, "SYNCHIN", batch=50, channel=f"{name}.TO.{partner}"),
        Task("receiver", initiator, CHANNEL, "SYNCHIN", batch=50, channel=f"{partner}.TO.{name}"),
        # The first client is called back for its messages, the second asks for them.
        Task("client 1", initiator, CHANNEL, "SYNAPP1", channel="SYN.APP.SVRCONN",
             calls={"cb": 0.002, "wtasct": 0.004, "wtasst": 0.01}),
        Task("client 2", initiator, CHANNEL, "SYNAPP2", channel="SYN.APP.SVRCONN"),
        Task("cics 1", "SYNCICS1", CICS, "SYNCICS", transactional=True,
             calls={"inq": 0.5, "wtasba": 0.004}),
        Task("cics 2", "SYNCICS1", CICS, "SYNCICS", transactional=True),
        Task("ims", "SYNIMS", IMS, "SYNIMSU", transactional=True),
        Task("hub", "SYNHUB", RRS, "SYNHUBU", batch=20, calls={"wtaspr": 0.05, "set": 0.001}),
        Task("spokes", "SYNSPOKE", RRS, "SYNSPKU", batch=10,
             calls={"wtassu": 0.01, "wtassq": 0.03}),
        Task("command", name, COMMAND_SERVER, "SYNOPER"),
    )  # fmt: skip


def _flows(partner: str, rate: float, spokes: int) -> tuple[Flow, ...]:
    """Return orders and answers over channels, quotes for clients, and a hub with its spokes."""
    clients = ("client 1", "client 2")
    answers = Flow(
        partner,
        640,
        1.0,
        ("cics 1", "cics 2"),
        ("sender",),
        follows="SYN.ORDER.REQUEST",
        object_name="SYN.ORDER.REPLY",
        seconds=0.05,
        put1=True,
    )
    quotes = Flow("SYN.QUOTE.REQUEST", 900, 0.0, clients, ("ims",), 3, rate * 1.7, seconds=0.004)
    return (
        Flow("SYN.ORDER.REQUEST", 1850, 1.0, ("receiver",), ("cics 1", "cics 2"), 1, rate),
        answers,
        quotes,
        Flow(
            "SYN.QUOTE.REPLY",
            2300,
            0.0,
            ("ims",),
            clients,
            3,
            follows="SYN.QUOTE.REQUEST",
            seconds=0.003,
            put1=True,
            index=2,
        ),
        *(
            Flow(
                f"SYN.SPOKE.{i:02d}",
                420,
                0.3,
                ("hub",),
                ("spokes",),
                1,
                0.6,
                seconds=1.5,
                object_name="SYN.PRICES" if i == 1 else "",
                topic=i == 1,
                browsed=(i == 2) * 0.4,
            )
            for i in range(1, spokes + 1)
        ),
    )


_POOLS = (
    Pool(0, 5_000, 1_000, above_bar=False),
    Pool(1, 20_000, 100_000),
    Pool(2, 40_000, 250_000),
    Pool(3, 10_000, 50_000),
)
# A file is loaded faster than it is posted, so its messages do not fit into pool 2.
_SETTLEMENT = Flow(
    "SYN.SETTLE.FILE",
    31_744,
    1.0,
    ("load",),
    ("post",),
    2,
    rate=14,
    capacity=9.5,
    seconds=0.2,
    active=(8, 11),
)
_SETTLEMENT_JOBS = (
    Task("load", "SYNLOAD", BATCH, "SYNBAT1", batch=50, active=(8, 11)),
    Task("post", "SYNPOST", BATCH, "SYNBAT2", batch=50),
)
_SHARED = (
    Flow(
        "SYN.SHARED.WORK",
        780,
        0.0,
        ("share",),
        ("share",),
        rate=6,
        structure="SYNAPPL1",
        seconds=0.3,
    ),
    Flow(
        "SYN.SHARED.DOCS",
        70_000,
        1.0,
        ("share",),
        ("share",),
        rate=0.2,
        structure="SYNAPPL1",
        seconds=20,
    ),
)
_SHARING_TASK = Task("share", "SYNSHARE", RRS, "SYNSHRU", batch=5)


def _channels(name: str, partner: str) -> tuple[Channel, ...]:
    address = "192.0.2.20(1414)"
    return (
        Channel(f"{name}.TO.{partner}", fields.SENDER, address, partner, "sender", 2_400),
        Channel(f"{partner}.TO.{name}", fields.RECEIVER, "192.0.2.20", partner, "receiver"),
        Channel("SYN.APP.SVRCONN", fields.SERVER_CONNECTION, "192.0.2.31", "synapp", "client 1"),
        Channel("SYN.APP.SVRCONN", fields.SERVER_CONNECTION, "192.0.2.32", "synapp", "client 2"),
    )


SYQ1 = QueueManager(
    "SYQ1",
    SYSTEM,
    MQ_935,
    _START,
    # It is stopped in the 16th interval and restarted 161 seconds later.
    runs=((0.0, 4687.0), (4848.0, 4848.0 + 2400)),
    flows=(*_flows("SYPA", 180, 12), _SETTLEMENT, *_SHARED),
    tasks=(*_tasks("SYQ1", "SYPA"), *_SETTLEMENT_JOBS, _SHARING_TASK),
    pools=_POOLS,
    channels=_channels("SYQ1", "SYPA"),
    sharing_group="SYQG",
)
SYQ2 = QueueManager(
    "SYQ2",
    SYSTEM,
    MQ_1000,
    _START + timedelta(seconds=37),
    runs=((0.0, _TWO_HOURS),),
    flows=(*_flows("SYPB", 320, 4), *_SHARED),
    tasks=(*_tasks("SYQ2", "SYPB"), _SHARING_TASK),
    pools=_POOLS,
    channels=_channels("SYQ2", "SYPB"),
    sharing_group="SYQG",
)
SYQ3 = QueueManager(
    "SYQ3",
    SYSTEM,
    MQ_800,
    _START + timedelta(seconds=112),
    runs=((0.0, 1800.0),),
    flows=_flows("SYPC", 60, 2),
    tasks=_tasks("SYQ3", "SYPC"),
    pools=_POOLS,
    channels=_channels("SYQ3", "SYPC"),
    accounting=2,
)


def records_of(manager: QueueManager, seed: int) -> list[bytes]:
    """Return all records of a queue manager in time order, between a dump header and a trailer."""
    rng = np.random.default_rng([seed, *manager.name.encode()])
    dump = Dump(manager.system, timedelta(hours=manager.offset_hours))
    periods = simulate(manager, rng)
    add_statistics(dump, manager, periods, rng)
    add_channels(dump, manager, periods, rng)
    add_accounting(dump, manager, periods, rng)
    return dump.compose()


def audit_records(seed: int, count: int = 240) -> list[bytes]:
    """Return AMS records of SYQ2, between a dump header and a trailer."""
    rng = np.random.default_rng([seed, 180])
    dump = Dump(SYSTEM, timedelta(hours=SYQ2.offset_hours))
    add_audit(dump, "SYQ2", _START, _TWO_HOURS, count, rng)
    return dump.compose()


def write_samples(folder: Path, seed: int) -> list[Path]:
    """Write the synthetic dumps, whose bytes depend only on the seed; return their paths.

    One dump has blocked and spanned records, one is compressed, two have record descriptors only.
    """
    contents = {
        "synthetic_mq_800.smf": _bytes(records_of(SYQ3, seed)),
        "synthetic_mq_935.smf": b"".join(
            frame_records(records_of(SYQ1, seed), Framing.BDW, block=27_998, fill=True)
        ),
        "synthetic_mq_1000.smf.gz": gzip.compress(_bytes(records_of(SYQ2, seed)), 6, mtime=0),
        "synthetic_ams.smf": _bytes(audit_records(seed)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in contents.items():
        path = folder / name
        path.write_bytes(content)
        paths.append(path)
    return paths


def _bytes(records: Sequence[bytes]) -> bytes:
    return b"".join(frame_records(records))
