"""What Managed File Transfer logged about a campaign's transfers: start and end, with files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from models_sim.simulator.campaigns.plan import MB
from models_sim.simulator.campaigns.site import PARTNER, SOURCE, TARGET, agent, manager

__all__ = ["ON_LINUX", "transfers"]

#: Agents on Linux and their queue managers, for the source and for the destination.
ON_LINUX = {"source": ("AGNTX1", "XQM1"), "destination": ("AGNTX2", "XQM2")}
_OVERHEAD = 1.0008  # factor on the bytes, for the protocol: invented
_LEAD = timedelta(milliseconds=180)  # from a request to the first byte
#: Kind of an end -> names of its files (LPAR, number), their type, and the element that names one.
_FILES = {
    "z/OS": ("//'PERF.MFT{}.PAYLOAD.F{:05}'", "dataset", "file"),
    "USS": ("/u/perf/mft{}/payload/f{:05}", "file", "file"),
    "xLinux": ("/perf/mft{}/payload/f{:05}", "file", "file"),
    "Linux": ("/perf/mft{}/payload/f{:05}", "file", "file"),
    "queue": ("PERF.M2F@MQA{}", "queue", "queue"),
}
_ENDS = {"source": ("source", SOURCE, 'disposition="leave"'),
         "destination": ("target", TARGET, 'exist="overwrite"')}  # fmt: skip
_STATUS = {
    0: "BFGRP0032I: The file transfer request has successfully completed.",
    20: "BFGRP0034I: The file transfer request has completed with partial success.",
    1: "BFGIO0001E: The file could not be written.",
}


def transfers(runs: pl.DataFrame) -> bytes:
    """Return the XML messages of runs with the columns of a plan: one transfer per run with files.

    A transfer is started and completed; its last files are those that failed.
    """
    texts = []
    for number, run in enumerate(runs.iter_rows(named=True)):
        if run["files"] > 0:
            texts += [_start_messages(run, number), _completion_messages(run, number)]
    return "".join(texts).encode()


def _start_messages(run: dict[str, Any], number: int) -> str:
    moment = _utc(run["begin"] - _LEAD)
    sent = f'    <transferSet index="0" startTime="{moment}" total="{run["files"]}" bytesSent="0"/>'
    return _message(run, number, "started", moment, "", sent, "")


def _completion_messages(run: dict[str, Any], number: int) -> str:
    failed, files = run["failed"], run["files"]
    sent = (
        f'    <transferSet index="0" size="{files}" startTime="{_utc(run["begin"] - _LEAD)}" '
        f'total="{files}" bytesSent="{round(run["bytes"] * _OVERHEAD)}">'
        + "".join(_items(run))
        + "\n    </transferSet>"
    )
    statistics = (
        f"    <statistics><actualStartTime>{_utc(run['begin'])}</actualStartTime>"
        f"<retryCount>0</retryCount><numFileFailures>{failed}</numFileFailures>"
        "<numFileWarnings>0</numFileWarnings></statistics>\n"
    )
    status = f"    {_status(20 if failed else 0)}\n"
    return _message(run, number, "completed", _utc(run["end"]), status, sent, statistics)


def _message(
    run: dict[str, Any], number: int, action: str, moment: str, status: str, sent: str, more: str
) -> str:
    since_1970 = (run["begin"] - datetime(1970, 1, 1)) // timedelta(milliseconds=1)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<transaction xmlns:xsi="https://www.w3.org/2001/XMLSchema-instance" version="4.00" \
ID="414d51204d5141312020202020202020{since_1970:024}" agentRole="sourceAgent" \
xsi:noNamespaceSchemaLocation="TransferLog.xsd">
    <action time="{moment}">{action}</action>
{_agent(run, "source")}{_agent(run, "destination")}\
    <originator><userID>PERFUSR</userID></originator>
{status}{sent}
    <job><name>PERF{number:05}</name></job>
{more}</transaction>
"""


def _agent(run: dict[str, Any], side: str) -> str:
    end, lpar, _ = _ENDS[side]
    kind = run[end]
    name, queues = {"Linux": ON_LINUX[side], "xLinux": PARTNER}.get(
        kind, (agent(lpar), manager(lpar))
    )
    if kind == "Linux" and run["connection"] == "client":
        queues = ON_LINUX["source"][1]  # clients share a queue manager: document 002, section 2
    system = "Linux" if kind in {"Linux", "xLinux"} else "z/OS"
    return (
        f'    <{side}Agent agent="{name}" QMgr="{queues}">\n'
        f'        <systemInfo name="{system}"/>\n    </{side}Agent>\n'
    )


def _items(run: dict[str, Any]) -> Iterator[str]:
    """Yield the files of a completed transfer; one that failed has no size at its destination."""
    size = f' size="{int(run["file_size_mb"] * MB)}"'
    ends = [(side, *_FILES[run[end]], lpar[-1], how) for side, (end, lpar, how) in _ENDS.items()]
    for index in range(run["files"]):
        fails = index >= run["files"] - run["failed"]
        yield f'\n        <item mode="{run["mode"]}">'
        for side, pattern, kind, element, lpar, how in ends:
            shown = "" if fails and side == "destination" else size
            yield f"""
            <{side} {how} type="{kind}">
                <{element}{shown}>{pattern.format(lpar, index)}</{element}>
                <checksum method="none"></checksum>
            </{side}>"""
        yield f"\n            {_status(1) if fails else _MOVED}\n        </item>"


_MOVED = '<status resultCode="0"/>'


def _status(code: int) -> str:
    return f'<status resultCode="{code}"><supplement>{_STATUS[code]}</supplement></status>'


def _utc(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds") + "Z"
