"""Notices: what checks found and which tasks failed, posted to a webhook, each once.

    LAKE/outbox/after-<check_id>.json   findings behind that check, which no webhook has accepted
    LAKE/outbox/failed-<step>.json      a failed task, likewise
    LAKE/outbox/told.json               the last check and event whose findings were put here, and
                                        the failures that are known and lasting

Findings are taken from what checks stored, so none is lost if a process is killed before it tells
them, or while no webhook can be reached. A webhook may receive a notice twice if its answer is
lost; both have the same notice_id.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app.pipeline.post import host_of, post
from expectations.regressions.store import SCHEMA, Row, events_after
from expectations.store import failed_in, ids
from ingest.files import replacing
from ingest.warehouse import Warehouse

__all__ = ["notice", "tell", "tell_failure", "works_again"]

DEADLINE = 30.0  # seconds, for all that is in the outbox

Notice = dict[str, Any]
State = dict[str, Any]  # what told.json holds


def tell(warehouse: Warehouse, url: str | None = None) -> str:
    """Send what checks found since the last call, and what could not be sent before.

    url: default $PERFHOUSE_NOTIFY; without one, nothing is sent, now or later. Returns why
    something was not accepted, or "". It waits DEADLINE seconds at most, and raises nothing: a
    verdict holds whether or not it is told.
    """
    return _outbox(warehouse, url, lambda state, keep: _put_findings(warehouse, state, keep))


def tell_failure(warehouse: Warehouse, step: str, reason: str) -> str:
    """Send that a step failed, unless that was sent and it failed ever since; otherwise as tell."""

    def put(state: State, keep: bool) -> None:
        failures = state.setdefault("failures", {})
        if failures.get(step) != reason and keep:
            body = notice("", faults=[f"{step}: {reason}"])
            _write(_folder(warehouse) / f"failed-{step}.json", body or {})
        failures[step] = reason

    return _outbox(warehouse, None, put)


def works_again(warehouse: Warehouse) -> None:
    """Take note that the pipeline reached its end: the next failure is a new one."""
    if _state(warehouse).get("failures"):
        _outbox(warehouse, None, lambda state, _: state.update(failures={}), send=False)


def notice(
    build_id: str,
    events: Sequence[Row] = (),
    faults: Sequence[str] = (),
    errors: Sequence[str] = (),
) -> Notice | None:
    """Return the JSON body that reports a check, or None if there is nothing new.

    Keys: notice_id; build_id; faults, the messages of what prevents publishing; errors, those of
    new errors in the data; regressions, the new events with the columns of meta.regression_event.
    """
    if not (events or faults or errors):
        return None
    regressions = [
        {name: _plain(row[name]) for name in SCHEMA if name != "parts"}
        | {"parts": json.loads(row["parts"] or "[]")}
        for row in events
    ]
    return {
        "notice_id": secrets.token_hex(8),
        "build_id": build_id,
        "faults": list(faults),
        "errors": list(errors),
        "regressions": regressions,
    }


def _plain(value: object) -> object:
    """Return a value as JSON has it: no moments, and no numbers that are none."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.isoformat() if isinstance(value, datetime) else value


def _put_findings(warehouse: Warehouse, state: State, keep: bool) -> None:
    """Write what the checks behind the last one told found for the first time."""
    checks = ids(warehouse.audit)
    if "check_id" not in state:  # only what the last check found is news
        state["check_id"] = checks[-2] if len(checks) > 1 else ""
        state["event_id"] = state["check_id"]  # both begin with a time
    told = state["check_id"]
    events = events_after(warehouse.regressions, state["event_id"])
    before, faults, errors = failed_in(warehouse.audit, told), list[str](), list[str]()
    for check_id in (one for one in checks if one > told):
        found = failed_in(warehouse.audit, check_id)
        faults += [message for message in found.faults if message not in before.faults]
        errors += [message for message in found.errors if message not in before.errors]
        before = found
    state["check_id"] = checks[-1] if checks else told
    state["event_id"] = events[-1]["event_id"] if events else state["event_id"]
    found_by_checks = [row for row in events if row["by"] == "detector"]
    body = notice(
        before.build_id, found_by_checks, list(dict.fromkeys(faults)), list(dict.fromkeys(errors))
    )
    if body and keep:
        # The name depends on what was told before: a process that was killed here is repeated.
        _write(_folder(warehouse) / f"after-{told or 'none'}.json", body)


def _outbox(
    warehouse: Warehouse,
    url: str | None,
    put: Callable[[State, bool], object],
    *,
    send: bool = True,
) -> str:
    """Let `put` add to the outbox, then send all that is in it."""
    from filelock import FileLock, Timeout

    url = url or os.environ.get("PERFHOUSE_NOTIFY")
    folder = _folder(warehouse)
    if not warehouse.lake.is_dir():
        return ""
    try:
        folder.mkdir(exist_ok=True)
        with FileLock(folder / "lock", timeout=2 * DEADLINE):
            state = _state(warehouse)
            put(state, bool(url))
            _write(folder / "told.json", state)
            return _deliver(folder, url) if url and send else ""
    except Timeout:
        return "notices were not sent: another process is sending; the next check will"
    except Exception as error:
        return f"notices were not kept: {error}"


def _deliver(folder: Path, url: str) -> str:
    until = time.monotonic() + DEADLINE
    reason = ""
    for file in sorted(folder.glob("[af]*-*.json"), key=lambda file: file.stat().st_mtime):
        if body := _read(file):
            reason = post(url, body, max(until - time.monotonic(), 0.1))
            if reason:
                break  # the others would fail too, and wait for the next time
        file.unlink()
    if not reason:
        return ""
    waiting = len(list(folder.glob("[af]*-*.json")))
    to = f"the webhook at {host}" if (host := host_of(url)) else "the webhook"
    number = "1 notice waits" if waiting == 1 else f"{waiting} notices wait"
    return f"{to} did not accept a notice: {reason}; {number} for the next check"


def _folder(warehouse: Warehouse) -> Path:
    return warehouse.lake / "outbox"


def _state(warehouse: Warehouse) -> State:
    return _read(_folder(warehouse) / "told.json")


def _read(file: Path) -> dict[str, Any]:
    """Return what a file holds; nothing if it is missing or damaged."""
    try:
        held = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _write(file: Path, held: dict[str, Any]) -> None:
    with replacing(file) as draft:
        draft.write_text(json.dumps(held, allow_nan=False, default=str))
