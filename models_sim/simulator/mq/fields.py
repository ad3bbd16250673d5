"""Fields of MQ's records by figures, which are numbers of one row or columns of many rows.

The same functions write the records of synthetic queue managers, row by row, and those of
campaigns, column by column.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from models_sim.simulator.mq.periods import Use, Work

__all__ = [
    "NO_TIME",
    "RECEIVER",
    "SENDER",
    "SERVER_CONNECTION",
    "channel",
    "client",
    "data",
    "identity",
    "initiator",
    "locks",
    "messages",
    "pool",
    "product",
    "queue_use",
    "subtask",
    "task",
    "traffic",
]  # fmt: skip

SENDER, RECEIVER, SERVER_CONNECTION = 1, 3, 7  # types of channels

_NO_MESSAGE = 0x0FFF_FFFF  # shortest length if there was no message
NO_TIME = 0x8FFF_FFFF  # shortest time of a channel if there was none
_HEADERS, _FLOWS = 476, 28  # bytes of control data per message and per confirmation
_CALL_BYTES = 420  # bytes per MQI call of a client
_EYES = {"openeye": "OPEN", "closeeye": "CLOS", "geteye": "GET", "puteye": "PUT", "put1eye": "PUT1",
         "inqeye": "INQ", "seteye": "SET", "cbeye": "CB"}  # fmt: skip

Fields = dict[str, Any]


def _choose(condition: Any, figure: Any, other: Any) -> Any:
    """Return a figure where the condition holds, a flag or a column of flags, else the other."""
    if isinstance(condition, pl.Expr):
        return pl.when(condition).then(figure).otherwise(other)
    return figure if condition else other


def identity(kind: int, connection: Any, user: str, via: Any, thread: bytes) -> Fields:
    """Return the fields of WTID: who a task is, and the number of its thread."""
    return {
        "wtidatyp": kind,
        "wtidccn": connection,
        "wtidopid": user,
        "wtidnid": b"\x40" * 8 + bytes(8),
        "wtidcori": bytes(4) + thread + bytes(4),
        "wtidchl": via,
        "wtidtran": user,
    }


def task(work: Work, correlator: tuple[bytes, bytes]) -> Fields:
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


def queue_use(use: Use, queue: Any, verb: str = "put") -> Fields:
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
        "putminms": _choose(use.puts > 0, use.put_min, _NO_MESSAGE),
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
        "getminms": _choose(use.gets > 0, use.get_min, _NO_MESSAGE),
        "getpsn": use.reads,
        "getpset": use.read_elapsed,
        "totlatnt": use.latency,
        "maxlatnt": use.latency_max,
        "minlatnt": use.latency_min,
        "maxqdpth": use.depth_max,
        "total_use": 1,
    }


def initiator(manager: Any, channels: Any, limit: int, storage_mb: Any) -> Fields:
    """Return the fields of QCCT: the channels of a channel initiator, and its storage."""
    return {
        "qcctjobn": manager + "CHIN",
        "qcctnocc": channels,
        "qcctmxcc": limit,
        "qcctnoac": channels,
        "qcctmxac": limit,
        "qcctmxtp": limit,
        "qcctmxlu": 200,
        "qcctstus": storage_mb,
    }


def subtask(number: Any, requests: Any, cpu: Any, elapsed: Any, length: Any) -> Fields:
    """Return the fields of a QCT: the clocks of a channel initiator's task, which else waits."""
    return {
        "qcttskn": 0x8C_9000 + 0x320 * number,
        "qctreqn": requests,
        "qctcptm": _choose(cpu < elapsed, cpu, elapsed),
        "qcteltm": elapsed,
        "qctwttm": length - elapsed,
    }


def channel(
    kind: Any, name: Any, partner: Any, address: Any, times: tuple[Any, Any, Any], batch_size: Any
) -> Fields:
    """Return the fields of QCST that describe a channel.

    times: when it started, was used last, and when the figures were collected.
    """
    started, used, collected = times
    return {
        "qcstcltm": collected,
        "qcstchnm": name,
        "qcstchdp": 4,
        "qcstchty": kind,
        "qcstchst": 3,
        "qcststcl": 65,
        "qcstcnnm": address,
        "qcststrt": started,
        "qcstlmst": used,
        "qcstcbsz": batch_size,
        "qcstrqmn": partner,
        "qcstetmn": NO_TIME,
        "qcstntmn": NO_TIME,
        "qcstcbdl": 5000,
    }


def client(calls: Any, sent: Any, received: Any) -> Fields:
    """Return what a server connection carried: MQI calls, and bytes of their messages."""
    flows = calls * _CALL_BYTES
    return {
        "qcstnmsg": calls,
        "qcstbyst": sent + flows,
        "qcstbyrc": received + flows,
        "qcstbfst": calls,
        "qcstbfrc": calls,
        "qcstcscv": 1,
        "qcstrpid": "MQCC",
    }


def traffic(
    sends: Any,
    messages: tuple[Any, Any],
    persistent: tuple[Any, Any],
    batches: tuple[Any, Any],
    data: Any,
    buffers: Any,
) -> Fields:
    """Return what a channel between queue managers carried: messages, and the bytes on the wire.

    Messages, and the persistent ones of them, have a number and bytes; batches are all and full.
    """
    count, confirmed = messages[0], batches[0]
    moved, control = data + count * _HEADERS, confirmed * _FLOWS
    return {
        "qcstnmsg": count,
        "qcstnpmg": persistent[0],
        "qcstnbyt": messages[1],
        "qcstnpby": persistent[1],
        "qcstbatc": confirmed,
        "qcstfuba": batches[1],
        "qcstbyst": _choose(sends, moved, control),
        "qcstbyrc": _choose(sends, control, moved),
        "qcstbfst": _choose(sends, buffers, confirmed),
        "qcstbfrc": _choose(sends, confirmed, buffers),
        "qcstrpid": "MQMV",
    }


def product(manager: Any, made: Any, component: int, ifcid: int, sections: int) -> Fields:
    """Return the fields of QWHS: which part of a queue manager made a record, and when (UTC)."""
    return {
        "qwhsrmid": component,
        "qwhsiid": ifcid,
        "qwhsnsda": sections,
        "qwhsrn": b"\x10" if ifcid else b"\0",
        "qwhsssid": manager,
        "qwhsstck": made,
    }


def messages(use: Use) -> Fields:
    """Return the fields of QMST that say what all tasks did with messages, by MQPUT and MQGET."""
    return {
        "qmstopen": use.opens,
        "qmstclos": use.closes,
        "qmstget": use.gets + use.empty_gets + use.browses,
        "qmstput": use.puts - use.put1s,
        "qmstspp": use.persistent_puts,
        "qmstsnp": use.puts - use.persistent_puts,
        "qmstpbp": use.persistent_bytes,
        "qmstnbp": use.put_bytes - use.persistent_bytes,
    }


def data(use: Use) -> Fields:
    """Return the fields of QIST that say what the data manager did."""
    return {
        "qistmget": use.gets + use.empty_gets + use.browses,
        "qistmput": use.puts,
        "qistdloc": use.opens,
    }


def locks(got: Any, held: Any, released: Any) -> Fields:
    """Return the fields of QLST."""
    return {"qlstgetl": got, "qlsthldl": held, "qlstrell": released}


def pool(number: int, buffers: int, free: tuple[Any, Any], pages: tuple[Any, Any, Any]) -> Fields:
    """Return the fields of QPST that say how a buffer pool was used.

    free: buffers, at the least and at the end. pages: that were there, new, and changed.
    """
    return {
        "qpstpool": number,
        "qpstnbuf": buffers,
        "qpstcbsl": free[0],
        "qpstcbs": free[1],
        "qpstgetp": pages[0],
        "qpstgetn": pages[1],
        "qpststw": pages[2],
        "qpstf4kb": False,
    }
