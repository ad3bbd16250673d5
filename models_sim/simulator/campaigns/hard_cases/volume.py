"""Hard cases of what is loaded: dumps that overlap, records in any order, very many of them."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import polars as pl

from ingest.formats.binary.framing import Framing
from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    files_of,
    manifest,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.clocks import merged, queue_manager
from models_sim.simulator.campaigns.hard_cases.records import Part, dump, records_of
from models_sim.simulator.campaigns.hard_cases.work import AGENT, JOBS, Lpar, Plex, busy, every
from models_sim.simulator.mq.samples import records_of as mq_records_of
from models_sim.simulator.outputs import write_output

__all__ = ["FILES", "INTERVALS", "many_files", "many_intervals", "overlapping_dumps", "shuffled"]

FILES = 70_000  # of one transfer
INTERVALS = 5_040  # of one address space: 84 hours
_FILE_BYTES = 16 << 10
_MINUTE = timedelta(minutes=1)
_TYPE_AT = 5  # in a record after its descriptor word


def overlapping_dumps(start: datetime, seed: int) -> Made:
    """Return two dumps that share a third of their records, one of them blocked and compressed."""
    plex = Plex("DMPPLEX", (Lpar("DMP1"),), system_spaces=True)
    header, *records, trailer = _usual(plex, start, seed)
    third = len(records) // 3
    first, second, twice = records[: 2 * third], records[third:], records[third : 2 * third]
    runs = [_over(plex, "dmp-1", "overlapping-dumps", start)]
    files = {
        "manifest.json": manifest(runs),
        "smf/first.smf": dump([header, *first, trailer]),
        "smf/second.smf.gz": _packed(dump([header, *second, trailer], Framing.BDW)),
    }
    return Made(files, truth(runs, records=_counted(records), copies=_counted(twice)))


def shuffled(start: datetime, seed: int) -> Made:
    """Return a dump whose records are in no order, with its header and trailer among them."""
    plex = Plex("SHFPLEX", (Lpar("SHF1"),), system_spaces=True)
    records = _usual(plex, start, seed)
    order = np.random.default_rng([seed, *b"order"]).permutation(len(records))
    runs = [_over(plex, "shf-1", "shuffled", start)]
    mixed = dump([records[i] for i in order.tolist()])
    files = {"manifest.json": manifest(runs), "smf/SHF1.smf": mixed}
    return Made(files, truth(runs, records=_counted(records[1:-1])))


def _usual(plex: Plex, start: datetime, seed: int) -> list[bytes]:
    """Return the records of a system and its queue manager: six intervals of five minutes."""
    (lpar,) = plex.lpars
    work = busy((lpar.name, start, start + 30 * _MINUTE, 1.0))
    own = records_of([Part(plex, every(300, start, 6, lpar.name), work)], seed)[lpar.name]
    manager = queue_manager(lpar.name, start, 1800.0, plex.local_hours)
    return merged(own, mq_records_of(manager, seed)[1:-1])


def _over(plex: Plex, name: str, campaign: str, start: datetime) -> Run:
    """Return a run in the middle of those intervals."""
    begin, end = start + 5 * _MINUTE, start + 25 * _MINUTE
    (lpar,) = plex.lpars
    return Run(name, begin, end, (lpar.name,), (share(plex, lpar, 1200),), campaign=campaign)


def _counted(records: Sequence[bytes]) -> dict[str, int]:
    """Return the number of records by SMF type."""
    numbers = Counter(record[_TYPE_AT] for record in records)
    return {str(kind): numbers[kind] for kind in sorted(numbers)}


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, 6, mtime=0)


def many_files(start: datetime, seed: int) -> Made:
    """Return a run with one transfer of 70,000 small files, which its log lists one by one."""
    plex = Plex("FILPLEX", (Lpar("FIL1"),))
    end = start + 15 * _MINUTE
    part = Part(plex, every(900, start, 1, "FIL1"), busy(("FIL1", start, end, 1.0)))
    begin, stop = start + timedelta(seconds=10), end - timedelta(seconds=10)
    work = {"bytes": FILES * _FILE_BYTES, "files": FILES, "transfer_time": 880.0}
    run = Run("fil-1", start, end, ("FIL1",), (share(plex, "FIL1", 900),), campaign="many-files",
              agents=(AGENT,), transferred=work)  # fmt: skip
    log = _packed(write_output("mft_xml", _transfer(begin, stop)))
    return Made(files_of([part], [run], seed) | {"mft/transfer.xml.gz": log}, truth([run]))


def _transfer(begin: datetime, end: datetime) -> dict[str, pl.DataFrame]:
    """Return the messages of the transfer: it starts, and it ends with its files."""
    shared = {
        "transfer_id": "414d5120514d4831202020202020202068617264",
        "message": "transfer",
        "agent_role": "sourceAgent",
        "source_agent": AGENT,
        "source_queue_manager": "QMH1",
        "destination_agent": "AGENT2",
        "destination_queue_manager": "QMH2",
        "user_id": "HARDUSR",
        "start_utc": begin,
        "files": FILES,
        "first_index": 0,
    }
    started = shared | {"record_no": 1, "action": "started", "time_utc": begin, "bytes_sent": 0}
    completed = shared | {
        "record_no": 2,
        "action": "completed",
        "time_utc": end,
        "actual_start_utc": begin,
        "bytes_sent": FILES * _FILE_BYTES,
        "result_code": 0,
        "file_failures": 0,
    }
    index = pl.int_range(FILES, eager=True).cast(pl.String).str.zfill(5)
    files = pl.DataFrame({"index": index}).select(
        record_no=pl.lit(2),
        transfer_id=pl.lit(shared["transfer_id"]),
        message=pl.lit("transfer"),
        action=pl.lit("completed"),
        time_utc=pl.lit(end),
        mode=pl.lit("binary"),
        source="/hard/" + pl.col("index"),
        source_type=pl.lit("file"),
        source_bytes=pl.lit(_FILE_BYTES),
        source_disposition=pl.lit("leave"),
        destination="/copy/" + pl.col("index"),
        destination_type=pl.lit("file"),
        destination_bytes=pl.lit(_FILE_BYTES),
        destination_exist=pl.lit("overwrite"),
        result_code=pl.lit(0),
    )
    messages = pl.DataFrame([started, completed], infer_schema_length=None)
    return {"bench_mft_transfer": messages, "bench_mft_item": files}


def many_intervals(start: datetime, seed: int) -> Made:
    """Return a run of 84 hours in which one address space writes type 30 every minute."""
    plex = Plex("JOBPLEX", (Lpar("JOB1"),))
    hours = INTERVALS // 60
    end = start + INTERVALS * _MINUTE
    work = busy(("JOB1", start, end, 1.0))
    others = tuple(job.job for job in JOBS if job.job != AGENT)
    parts = [
        Part(plex, every(3600, start, hours, "JOB1"), work, jobs=others),
        Part(plex, every(60, start, INTERVALS, "JOB1"), work, types=(30,), jobs=(AGENT,)),
    ]
    run = Run("job-1", start, end, ("JOB1",), (share(plex, "JOB1", hours * 3600),),
              campaign="many-intervals")  # fmt: skip
    agent = next(job for job in JOBS if job.job == AGENT)
    on_cp = agent.tcb + agent.srb + agent.interrupts
    space = {
        "run_id": "job-1",
        "system_id": "JOB1",
        "address_space": AGENT,
        "intervals": INTERVALS,
        "general_purpose_seconds": INTERVALS * 60 * on_cp,
        "ziip_seconds": INTERVALS * 60 * agent.ziip,
    }
    dumped = _packed(dump(records_of(parts, seed)["JOB1"]))
    files = {"manifest.json": manifest([run]), "smf/JOB1.smf.gz": dumped}
    return Made(files, truth([run], address_spaces=[space]))
