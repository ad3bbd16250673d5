"""Hard cases of the work of a run: transfers that say little, and amounts in many units."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import polars as pl

from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    files_of,
    finding,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.records import Part
from models_sim.simulator.campaigns.hard_cases.work import AGENT, Lpar, Plex, busy, every
from models_sim.simulator.outputs import write_output

__all__ = ["transfers", "units"]

_SECOND = timedelta(seconds=1)
_QUARTER = 900 * _SECOND
_GB = 1 << 30
_CPU = ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "eligible_seconds",
        "ziips_needed")  # fmt: skip
_COSTS = ("cost_per_GB", "cost_per_GB_after_offload")


class _Transfer(NamedTuple):
    """When a transfer moved data, what it sent, and how it ended."""

    begin: datetime
    end: datetime
    sent: int = _GB
    result: int = 0


def transfers(start: datetime, seed: int) -> Made:
    """Return runs of four transfers of 1 GB each, all but the first with one that is odd."""
    plex = Plex("TRFPLEX", (Lpar("TRF1"),))
    begins = [start + 2 * n * _QUARTER for n in range(6)]
    odd: list[tuple[int, tuple[str, ...], tuple[str, ...] | None]] = [
        (0, (), None),
        (0, ("files_failed",), None),
        (0, ("transfers_ended_after",), _CPU),
        (0, ("transfers_backwards",), _CPU + _COSTS),
        (0, ("bytes_unknown", "files_failed"), _CPU),
        (3 * 3600, ("no_transfers",), _CPU),
    ]
    logs, runs = [], []
    for number, (begin, (late, issues, exact)) in enumerate(zip(begins, odd, strict=True)):
        first, last = begin + (10 + late) * _SECOND, begin + (890 + late) * _SECOND
        own = [_Transfer(first, last)] * 4
        match number:
            case 1:
                own.append(_Transfer(first, last, 3 * _GB, 40))
            case 2:
                own.append(_Transfer(first, begin + 930 * _SECOND))
            case 3:
                own[3] = _Transfer(last + 40 * _SECOND, last)
            case 4:
                own.append(_Transfer(first, last, 3 * _GB, 20))
        logs += own
        work = {"bytes": 4.0 * _GB, "files": 4, "transfer_time": 880.0}
        runs.append(
            Run(f"trf-{number}", begin, begin + _QUARTER, ("TRF1",), (share(plex, "TRF1", 900),),
                issues, exact, "transfers", {"x_fault": str(number)}, (AGENT,), work)
        )  # fmt: skip
    work_done = busy(*(("TRF1", begin, begin + _QUARTER, 1.0) for begin in begins))
    parts = [Part(plex, every(900, start, 12, "TRF1"), work_done)]
    files = files_of(parts, runs, seed) | {"mft/transfers.xml": _log(logs)}
    return Made(files, truth(runs, _found(runs)))


def _found(runs: Sequence[Run]) -> list[dict[str, object]]:
    return [
        finding(kind, None, run.start, run.stop, "in the log of transfers", sysplex=None,
                run=run.name, affects=("bytes", "rate", "cost_per_GB"))
        for run in runs
        for kind in run.issues
    ]  # fmt: skip


def _log(done: Sequence[_Transfer]) -> bytes:
    """Return a log that says of each transfer when it ended, and how, but lists no files."""
    return write_output(
        "mft_xml",
        {
            "bench_mft_transfer": pl.DataFrame(
                [
                    {
                        "record_no": number,
                        "transfer_id": f"{'414d5120514d48312020':0<40}{number:08x}",
                        "message": "transfer",
                        "action": "completed",
                        "time_utc": one.end,
                        "agent_role": "sourceAgent",
                        "source_agent": AGENT,
                        "source_queue_manager": "QMH1",
                        "destination_agent": "AGENT2",
                        "destination_queue_manager": "QMH2",
                        "user_id": "HARDUSR",
                        "start_utc": one.begin,
                        "actual_start_utc": one.begin,
                        "files": 1,
                        "first_index": 0,
                        "bytes_sent": one.sent,
                        "result_code": one.result,
                    }
                    for number, one in enumerate(done, 1)
                ]
            )
        },
    )


def units(start: datetime, seed: int) -> Made:
    """Return runs with the same work, in other units each time."""
    plex = Plex("UNTPLEX", (Lpar("UNT1"),))
    given: list[dict[str, tuple[str, float]]] = [
        {"bytes": ("KiB", 1024), "transfer_time": ("min", 60)},
        {"bytes": ("kB", 1000), "transfer_time": ("ms", 1e-3)},
        {
            "bytes": ("MB", 1 << 20),
            "transfer_time": ("h", 3600),
            "transactions": ("thousand", 1000),
        },
        {"bytes": ("blocks", 4096)},
    ]
    known = (None, None, None, (*_CPU, "cost_per_transaction_us"))
    runs = [
        Run(f"unt-{number}", start + number * _QUARTER, start + (number + 1) * _QUARTER, ("UNT1",),
            (share(plex, "UNT1", 900),), ("unknown_unit",) if exact else (), exact, "units",
            units=own)
        for number, (own, exact) in enumerate(zip(given, known, strict=True))
    ]  # fmt: skip
    work = busy(("UNT1", start, start + 4 * _QUARTER, 1.0))
    parts = [Part(plex, every(900, start, 4, "UNT1"), work)]
    return Made(files_of(parts, runs, seed), truth(runs, _found(runs)))
