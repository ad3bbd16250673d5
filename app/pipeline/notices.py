"""Notices: what checks found and people answered, tasks that failed, files that cannot be read.

Each is sent once to each channel that is set (app.pipeline.channels).

    LAKE/outbox/after-<check_id>.json   findings behind that check, which no webhook has accepted
    LAKE/outbox/failed-<step>.json      a failed task, likewise
    LAKE/outbox/files-<digest>.json     files that cannot be read, likewise
    LAKE/outbox/slack/, mail/           the same for people, who get one message with all of them
    LAKE/outbox/told.json               the last check and event whose findings were put here; what
                                        is missing; the failures, and the unreadable files, that are
                                        known and last; the last digest of each channel
    LAKE/outbox/room                    reserved space, released on a full disk to report that too

Findings come from what checks stored, so none is lost if a process is killed before it sends them,
or while no server can be reached. A webhook may receive a notice twice if its answer is lost; both
have the same notice_id, and mails of the same notices the same Message-ID.
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
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.pipeline.channels import Channel, channels
from app.pipeline.quiet import Hours, read_hours
from expectations.regressions.store import DETECTOR, SCHEMA, Row, events_after
from expectations.store import failed_in, ids
from ingest.base.errors import SettingsError
from ingest.base.files import name_of, replacing
from ingest.base.waiting import HeldError, locked
from ingest.lake.warehouse import Warehouse

__all__ = ["note_success", "notice", "send_failure", "send_news", "send_unread", "waiting_for"]

DEADLINE = 30.0  # seconds, for all that waits for a channel
_ROOM = 64 * 1024  # bytes
_LISTED = 20  # files that a notice names
_FULL = (errno.ENOSPC, errno.EDQUOT)

Notice = dict[str, Any]
State = dict[str, Any]  # what told.json holds
Put = Callable[[State], tuple[str, Notice | None]]  # changes it; returns a name and a notice for it


def send_news(
    warehouse: Warehouse,
    url: str | None = None,
    *,
    now: bool = False,
    alarms: Mapping[str, str] | None = None,
    absences: Mapping[str, str] | None = None,
) -> str:
    """Send what is new since the last call, and what could not be sent before.

    url: of the webhook, default $PERFHOUSE_NOTIFY; a channel that is not set is sent nothing, now
    or later. now: also in quiet hours and before the time of the digest. alarms: of health, and
    absences: what should have arrived (app.results.last_night), by what each is of; None: not
    known. Returns why something was not accepted, or "". It waits at most DEADLINE seconds for a
    channel, and raises nothing: a verdict holds whether or not anyone is notified.
    """
    return _outbox(
        warehouse, url, lambda state: _put_findings(warehouse, state, alarms, absences), now=now
    )


def waiting_for(warehouse: Warehouse) -> dict[str, list[Notice]]:
    """Return what is pending for Slack and mail, by channel."""
    result = {}
    for channel in channels():
        if channel.for_people:
            folder = _folder(warehouse) / channel.folder
            result[channel.where] = [
                notice_of_file
                for file in _waiting_notices(folder)
                if (notice_of_file := _read(file))
            ]
    return result


def send_failure(warehouse: Warehouse, step: str, reason: str) -> str:
    """Report a failed step, unless it has failed ever since that was sent; else as send_news."""

    def put(state: State) -> tuple[str, Notice | None]:
        failures = state.setdefault("failures", {})
        is_known = failures.get(step) == reason
        failures[step] = reason
        return f"failed-{step}", None if is_known else notice("", faults=[f"{step}: {reason}"])

    return _outbox(warehouse, None, put)


def send_unread(
    warehouse: Warehouse,
    stage: str,
    unread: Mapping[Path, str],
    looked_at: Collection[Path] | None = None,
) -> str:
    """Report which files cannot be read, and why, unless that was sent; otherwise as `send_news`.

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
        unread = state.setdefault("unread", {}).get(stage, {})
        state["unread"][stage] = updated(unread)
        new = [f"{name_of(path)}: {why}" for path, why in now.items() if unread.get(path) != why]
        if len(new) > _LISTED:
            new[_LISTED:] = [f"{len(new) - _LISTED:,} more files cannot be read"]
        digest = hashlib.sha256("\n".join(new).encode()).hexdigest()[:16]
        return f"files-{digest}", notice("", faults=new)

    noted = _state(warehouse).get("unread", {}).get(stage, {})
    return "" if updated(noted) == noted else _outbox(warehouse, None, put)


def note_success(warehouse: Warehouse) -> None:
    """Note that the pipeline reached its end: the next failure is a new one."""

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
    answers: Sequence[Row] = (),
    missing: Sequence[str] = (),
    alarms: Sequence[str] = (),
) -> Notice | None:
    """Return the JSON body that reports a check, or None if there is nothing new.

    Keys: notice_id; build_id; faults, the messages of what prevents publishing; errors, those of
    new errors in the data; missing, those of what should have arrived; alarms, figures of systems
    and queue managers beyond their limits, with what to change; regressions, the new events with
    the columns of meta.regression_event, and `was`, the state before ('' if it is new); answers,
    the events by which people changed a state, likewise.
    """
    if not (events or faults or errors or answers or missing or alarms):
        return None

    def news_rows(rows: Sequence[Row]) -> list[Row]:
        return [
            {name: _plain(row[name]) for name in SCHEMA if name != "parts"}
            | {"parts": json.loads(row["parts"] or "[]"), "was": row.get("was", "")}
            for row in rows
        ]

    return {
        "notice_id": secrets.token_hex(8),
        "build_id": build_id,
        "faults": list(faults),
        "errors": list(errors),
        "missing": list(missing),
        "alarms": list(alarms),
        "regressions": news_rows(events),
        "answers": news_rows(answers),
    }


def _plain(value: object) -> object:
    """Return a value that JSON can hold: timestamps as text, NaN and infinity as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.isoformat() if isinstance(value, datetime) else value


def _put_findings(
    warehouse: Warehouse,
    state: State,
    alarms: Mapping[str, str] | None,
    absences: Mapping[str, str] | None,
) -> tuple[str, Notice | None]:
    """Return what checks after the last reported one found for the first time."""
    checks = ids(warehouse.audit)
    if "check_id" not in state:  # only what the last check found is news
        state["check_id"] = checks[-2] if len(checks) > 1 else ""
        state["event_id"] = state["check_id"]  # both begin with a time
    noted_check = state["check_id"]
    events = _with_states(warehouse, state["event_id"])
    before, faults, errors = failed_in(warehouse.audit, noted_check), list[str](), list[str]()
    for check_id in (check for check in checks if check > noted_check):
        failures = failed_in(warehouse.audit, check_id)
        faults += [message for message in failures.faults if message not in before.faults]
        errors += [message for message in failures.errors if message not in before.errors]
        before = failures
    state["check_id"] = checks[-1] if checks else noted_check
    state["event_id"] = events[-1]["event_id"] if events else state["event_id"]
    found_by_checks = [row for row in events if row["by"] == DETECTOR]
    answers = [row for row in events if row["by"] != DETECTOR and row["state"] != row["was"]]
    # What had stopped before the first notice is no news.
    stopped = {name: "" for name in absences or {} if name.endswith(" stopped")}
    missing = _put_new(state, "missing", absences, stopped)
    new_alarms = _put_new(state, "alarms", alarms)
    # The name depends on what was sent before: a process that was killed here is repeated.
    return f"after-{noted_check or 'none'}", notice(
        before.build_id,
        found_by_checks,
        list(dict.fromkeys(faults)),
        list(dict.fromkeys(errors)),
        answers,
        missing,
        new_alarms,
    )


def _put_new(
    state: State, name: str, now: Mapping[str, str] | None, before: Mapping[str, str] = {}
) -> list[str]:
    """Note what there is now, and return the lines of what was not there before; None: unknown."""
    noted = state.get(name, before)
    state[name] = noted if now is None else dict(now)
    return [text for key, text in (now or {}).items() if key not in noted]


def _with_states(warehouse: Warehouse, told: str) -> list[Row]:
    """Return the events after this one, each with the previous state of its regression."""
    states: dict[str, str] = {}
    new = []
    for row in events_after(warehouse.regressions, ""):
        if row["event_id"] > told:
            new.append(row | {"was": states.get(row["regression_id"], "")})
        states[row["regression_id"]] = row["state"]
    return new


def _outbox(
    warehouse: Warehouse, url: str | None, put: Put, *, send: bool = True, now: bool = False
) -> str:
    """Add the notice of `put` to the outbox, then send all that is in it."""
    to = channels(url)
    folder = _folder(warehouse)
    if not warehouse.lake.is_dir():
        return ""
    try:
        folder.mkdir(exist_ok=True)
        with locked(folder / "lock", wait=(len(to) + 1) * DEADLINE):
            try:
                _keep(folder, put, to)
            except OSError as error:
                if error.errno not in _FULL or not _release_space(folder):
                    raise
                _keep(folder, put, to)
            reasons = _deliver_all(folder, to, now=now) if send else []
            _reserve(folder)
            return "; ".join(reasons)
    except HeldError:
        return "notices were not sent: another process is sending; the next check will"
    except Exception as error:
        unsent = _send_unkept(warehouse, to, put) if to and send else ""
        return f"notices were not kept: {error}{unsent and '; '}{unsent}"


def _send_unkept(warehouse: Warehouse, to: Sequence[Channel], put: Put) -> str:
    """Send a notice that cannot be kept, so not exactly once; return why it was not accepted."""
    try:
        _, body = put(_state(warehouse))
    except Exception as error:
        return str(error)
    return (
        "; ".join(filter(None, (channel.send([body], DEADLINE) for channel in to))) if body else ""
    )


def _keep(folder: Path, put: Put, to: Sequence[Channel]) -> None:
    """Write the notice of `put` for each channel, then the state that `put` made."""
    state = _read(folder / "told.json")
    name, body = put(state)
    for channel in to if body else ():
        (folder / channel.folder).mkdir(exist_ok=True)
        _write(folder / channel.folder / f"{name}.json", body or {})
    _write(folder / "told.json", state)


def _reserve(folder: Path) -> None:
    """Reserve some disk space, if there is any."""
    reserved = folder / "room"
    if reserved.exists():
        return
    try:
        with replacing(reserved) as draft:
            draft.write_bytes(bytes(_ROOM))
    except OSError:  # the disk is full
        pass


def _release_space(folder: Path) -> bool:
    """Release the reserved disk space; return whether there was any."""
    try:
        (folder / "room").unlink()
    except OSError:
        return False
    return True


def _deliver_all(folder: Path, to: Sequence[Channel], *, now: bool) -> list[str]:
    """Send what is pending for each channel that may get it now; return what was not accepted."""
    reasons, moment = [], datetime.now(UTC)
    try:
        hours = read_hours(
            os.environ.get("PERFHOUSE_QUIET", ""), os.environ.get("PERFHOUSE_DIGEST", "")
        )
    except SettingsError as error:
        hours = Hours()
        reasons = [str(error)] if any(target.for_people for target in to) else []
    for channel in to:
        if not channel.for_people:
            reasons += _deliver(folder, channel)
            continue
        due = hours.last_digest(moment)
        state = _read(folder / "told.json")
        digests = state.setdefault("digests", {})
        digest = digests.setdefault(channel.folder, f"{moment:%Y-%m-%dT%H:%M:%S}")
        is_due = due is None or digest < f"{due.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"
        reason = []
        if now or (is_due and not hours.is_quiet(moment)):
            reason = _deliver(folder, channel)
            if not reason:
                digests[channel.folder] = f"{moment:%Y-%m-%dT%H:%M:%S}"
        reasons += reason
        if due is not None:
            with suppress(OSError):  # a second digest today is better than none
                _write(folder / "told.json", state)
    return reasons


def _deliver(folder: Path, channel: Channel) -> list[str]:
    """Send what is pending for a channel; return why it was not accepted, or ''."""
    until = time.monotonic() + DEADLINE
    reason = ""
    files = _waiting_notices(folder / channel.folder)
    for part in [files] if channel.for_people else [[file] for file in files]:
        if bodies := [body for file in part if (body := _read(file))]:
            reason = channel.send(bodies, max(until - time.monotonic(), 0.1))
            if reason:
                break  # the others would fail too, and wait for the next time
        for file in part:
            file.unlink()
    if not reason:
        return []
    waiting = len(_waiting_notices(folder / channel.folder))
    number = "1 notice waits" if waiting == 1 else f"{waiting} notices wait"
    return [f"{channel.where} did not accept a notice: {reason}; {number} for the next check"]


def _waiting_notices(folder: Path) -> list[Path]:
    """Return the notices in a folder, in their order."""
    return sorted(folder.glob("[af]*-*.json"), key=lambda file: (file.stat().st_mtime, file.name))


def _folder(warehouse: Warehouse) -> Path:
    return warehouse.lake / "outbox"


def _state(warehouse: Warehouse) -> State:
    return _read(_folder(warehouse) / "told.json")


def _read(file: Path) -> dict[str, Any]:
    """Return the content of a file; nothing if it is missing or damaged."""
    try:
        held = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _write(file: Path, held: dict[str, Any]) -> None:
    with replacing(file) as draft:
        draft.write_text(json.dumps(held, allow_nan=False, default=str))
