"""Notices: what checks found, tasks that failed and files that cannot be read, posted to a webhook.

Each is told once.

    LAKE/outbox/after-<check_id>.json   findings behind that check, which no webhook has accepted
    LAKE/outbox/failed-<step>.json      a failed task, likewise
    LAKE/outbox/files-<digest>.json     files that cannot be read, likewise
    LAKE/outbox/told.json               the last check and event whose findings were put here; the
                                        failures, and the unreadable files, that are known and last
    LAKE/outbox/room                    given up on a full disk, so that this can be told too

Findings are taken from what checks stored, so none is lost if a process is killed before it tells
them, or while no webhook can be reached. A webhook may receive a notice twice if its answer is
lost; both have the same notice_id.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app.pipeline.post import host_of, post
from expectations.regressions.store import DETECTOR, SCHEMA, Row, events_after
from expectations.store import failed_in, ids
from ingest.files import name_of, replacing
from ingest.warehouse import Warehouse

__all__ = ["notice", "tell", "tell_failure", "tell_unread", "works_again"]

DEADLINE = 30.0  # seconds, for all that is in the outbox
_ROOM = 64 * 1024  # bytes
_LISTED = 20  # files that a notice names
_FULL = (errno.ENOSPC, errno.EDQUOT)

Notice = dict[str, Any]
State = dict[str, Any]  # what told.json holds
Put = Callable[[State], tuple[str, Notice | None]]  # changes it; returns a name and a notice for it


def tell(warehouse: Warehouse, url: str | None = None) -> str:
    """Send what checks found since the last call, and what could not be sent before.

    url: default $PERFHOUSE_NOTIFY; without one, nothing is sent, now or later. Returns why
    something was not accepted, or "". It waits DEADLINE seconds at most, and raises nothing: a
    verdict holds whether or not it is told.
    """
    return _outbox(warehouse, url, lambda state: _put_findings(warehouse, state))


def tell_failure(warehouse: Warehouse, step: str, reason: str) -> str:
    """Send that a step failed, unless that was sent and it failed ever since; otherwise as tell."""

    def put(state: State) -> tuple[str, Notice | None]:
        failures = state.setdefault("failures", {})
        is_known = failures.get(step) == reason
        failures[step] = reason
        return f"failed-{step}", None if is_known else notice("", faults=[f"{step}: {reason}"])

    return _outbox(warehouse, None, put)


def tell_unread(
    warehouse: Warehouse,
    stage: str,
    unread: Mapping[Path, str],
    looked_at: Collection[Path] | None = None,
) -> str:
    """Send which files cannot be read, and why, unless that was sent; otherwise as `tell`.

    stage: where it was noticed; each has its own list of what is known. looked_at: the files that
    `unread` is about, by default all: what is known of others stays, as long as they are there.
    """
    now = {str(path): reason for path, reason in unread.items()}
    looked = set(map(str, looked_at or ()))

    def updated(known: Mapping[str, str]) -> dict[str, str]:
        others = {} if looked_at is None else known
        kept = {p: why for p, why in others.items() if p not in looked and os.path.lexists(p)}
        return kept | now

    def put(state: State) -> tuple[str, Notice | None]:
        known = state.setdefault("unread", {}).get(stage, {})
        state["unread"][stage] = updated(known)
        new = [f"{name_of(path)}: {why}" for path, why in now.items() if known.get(path) != why]
        if len(new) > _LISTED:
            new[_LISTED:] = [f"{len(new) - _LISTED:,} more files cannot be read"]
        digest = hashlib.sha256("\n".join(new).encode()).hexdigest()[:16]
        return f"files-{digest}", notice("", faults=new)

    known = _state(warehouse).get("unread", {}).get(stage, {})
    return "" if updated(known) == known else _outbox(warehouse, None, put)


def works_again(warehouse: Warehouse) -> None:
    """Take note that the pipeline reached its end: the next failure is a new one."""

    def put(state: State) -> tuple[str, Notice | None]:
        state["failures"] = {}
        return "", None

    if _state(warehouse).get("failures"):
        _outbox(warehouse, None, put, send=False)


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


def _put_findings(warehouse: Warehouse, state: State) -> tuple[str, Notice | None]:
    """Return what the checks behind the last one told found for the first time."""
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
    found_by_checks = [row for row in events if row["by"] == DETECTOR]
    # The name depends on what was told before: a process that was killed here is repeated.
    return f"after-{told or 'none'}", notice(
        before.build_id, found_by_checks, list(dict.fromkeys(faults)), list(dict.fromkeys(errors))
    )


def _outbox(warehouse: Warehouse, url: str | None, put: Put, *, send: bool = True) -> str:
    """Add the notice of `put` to the outbox, then send all that is in it."""
    from filelock import FileLock, Timeout

    url = url or os.environ.get("PERFHOUSE_NOTIFY")
    folder = _folder(warehouse)
    if not warehouse.lake.is_dir():
        return ""
    try:
        folder.mkdir(exist_ok=True)
        with FileLock(folder / "lock", timeout=2 * DEADLINE):
            try:
                _keep(folder, put, with_notice=bool(url))
            except OSError as error:
                if error.errno not in _FULL or not _give_room(folder):
                    raise
                _keep(folder, put, with_notice=bool(url))
            reason = _deliver(folder, url) if url and send else ""
            _reserve(folder)
            return reason
    except Timeout:
        return "notices were not sent: another process is sending; the next check will"
    except Exception as error:
        unsent = _send_unkept(warehouse, url, put) if url and send else ""
        return f"notices were not kept: {error}{unsent and '; '}{unsent}"


def _send_unkept(warehouse: Warehouse, url: str, put: Put) -> str:
    """Send a notice that cannot be kept, so not exactly once; return why it was not accepted."""
    try:
        _, body = put(_state(warehouse))
    except Exception as error:
        return str(error)
    return post(url, body, DEADLINE) if body else ""


def _keep(folder: Path, put: Put, *, with_notice: bool) -> None:
    """Write the notice of `put`, then the state that `put` made."""
    state = _read(folder / "told.json")
    name, body = put(state)
    if body and with_notice:
        _write(folder / f"{name}.json", body)
    _write(folder / "told.json", state)


def _reserve(folder: Path) -> None:
    """Hold some of the disk, if there is room."""
    reserved = folder / "room"
    if reserved.exists():
        return
    try:
        with replacing(reserved) as draft:
            draft.write_bytes(bytes(_ROOM))
    except OSError:  # the disk is full
        pass


def _give_room(folder: Path) -> bool:
    """Let go of what is reserved; return whether there was any."""
    try:
        (folder / "room").unlink()
    except OSError:
        return False
    return True


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
