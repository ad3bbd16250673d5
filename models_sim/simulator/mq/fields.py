"""Fields of MQ's records by figures, which are numbers of one row or columns of many rows.

The same functions write the records of synthetic queue managers, row by row, and those of
campaigns, column by column.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from models_sim.simulator.mq.periods import Use, Work

__all__ = ["choose", "identity_fields", "queue_fields", "task_fields"]

_NO_MESSAGE = 0x0FFF_FFFF  # shortest length if there was no message
_EYES = {"openeye": "OPEN", "closeeye": "CLOS", "geteye": "GET", "puteye": "PUT", "put1eye": "PUT1",
         "inqeye": "INQ", "seteye": "SET", "cbeye": "CB"}  # fmt: skip

Fields = dict[str, Any]


def choose(condition: Any, figure: Any, other: Any) -> Any:
    """Return one figure where the condition holds, a flag or a column of flags, or else the other."""
    if isinstance(condition, pl.Expr):
        return pl.when(condition).then(figure).otherwise(other)
    return figure if condition else other


def identity_fields(kind: int, connection: Any, user: str, channel: Any, thread: bytes) -> Fields:
    """Return the fields of WTID; `thread` is its number, as in the correlator."""
    return {
        "wtidatyp": kind,
        "wtidccn": connection,
        "wtidopid": user,
        "wtidnid": b"\x40" * 8 + bytes(8),
        "wtidcori": bytes(4) + thread + bytes(4),
        "wtidchl": channel,
        "wtidtran": user,
    }


def task_fields(work: Work, correlator: tuple[bytes, bytes]) -> Fields:
    """Return the fields of WTAS that say what a task did; `correlator`: thread and block."""
    thread, block = correlator
    return {
        "wtasmthr": thread,
        "wtaswtas": block,
        "wtasver": 8,
        "wtasotet": work.other_cpu * 2,
        "wtasotct": work.other_cpu,
        "wtasotn": work.other_calls,
        "wtascmet": work.commit_elapsed,
        "wtascmct": work.commit_cpu,
        "wtascmn": work.commits,
        "wtasjwet": work.force_elapsed,
        "wtasjwn": work.log_writes,
        "wtasjwb": work.logged,
        "wtasjcet": work.force_elapsed,
        "wtasjcn": work.forces,
        "wtassusn": work.suspends,
        "wtassuse": work.suspended,
        "wtascsec": work.cf_single,
        "wtascmec": work.cf_multiple,
        "wtasgpo": work.old_pages,
        "wtasgpn": work.new_pages,
    }


def queue_fields(use: Use, queue: Any, verb: str = "put") -> Fields:
    """Return the fields of WQ that say how a task used a queue; `verb`: with MQPUT or MQPUT1."""
    return _EYES | {
        "wqver": 8,
        "objname": queue,
        "basename": queue,
        "qtype": 1,
        "openn": use.opens,
        "openct": use.open_cpu,
        "openet": use.open_elapsed,
        "closen": use.closes,
        "closect": use.close_cpu,
        "closeet": use.close_elapsed,
        f"{verb}n": use.puts,
        f"{verb}ct": use.put_cpu,
        f"{verb}et": use.put_elapsed,
        f"{verb}pmsg": use.persistent_puts,
        f"{verb}pwg": use.to_waiting,
        "putbytes": use.put_bytes,
        "validput": use.puts,
        "putmaxms": use.put_max,
        "putminms": choose(use.puts > 0, use.put_min, _NO_MESSAGE),
        "getn": use.gets + use.empty_gets + use.browses,
        "geta": use.gets + use.empty_gets,
        "getbrwa": use.browses,
        "getsmsg": use.browses * 2,
        "getct": use.get_cpu,
        "getet": use.get_elapsed,
        "getbytes": use.get_bytes,
        "validget": use.gets,
        "getdval": use.gets,
        "getpmsg": use.persistent_gets,
        "getmaxms": use.get_max,
        "getminms": choose(use.gets > 0, use.get_min, _NO_MESSAGE),
        "getpsn": use.reads,
        "getpset": use.read_elapsed,
        "totlatnt": use.latency,
        "maxlatnt": use.latency_max,
        "minlatnt": use.latency_min,
        "maxqdpth": use.depth_max,
        "total_use": 1,
    }
