"""Lines of the log: written, without secrets, and of steps that a kill interrupted."""

from __future__ import annotations

import fcntl
import json
import math
import os
import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

from ingest.base.errors import PerfhouseError, RequestError
from ingest.lake.log_fields import FOLDER, SCHEMA

__all__ = [
    "BOUND",
    "IN_LOG",
    "failure_of",
    "hide",
    "line_of",
    "note_interrupted",
    "running",
    "traceback_of",
    "under_way",
    "write",
    "write_line",
]

_DAYS = 180  # that are kept, unless PERFHOUSE_LOG_DAYS says otherwise
_LONGEST_TEXT = 4_000  # characters of a value
_LONGEST_TRACEBACK = 16_000
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")
_SECRETS = set[str]()
_SECRET = ("PERFHOUSE_NOTIFY", "PERFHOUSE_SLACK", "PERFHOUSE_MAIL_SERVER")  # variables
BOUND: ContextVar[Mapping[str, object]] = ContextVar("bound", default=MappingProxyType({}))
IN_LOG = "is_in_log"  # of an exception that has its line already


# --- lines


def write_line(lake: Path, values: Mapping[str, object]) -> None:
    """Append a line with these fields, and those of the command and the step under way."""
    write(lake, line_of(values))


def line_of(values: Mapping[str, object]) -> dict[str, object]:
    """Return a line of the log with what every line has."""
    at = {"level": "info", "host": os.uname().nodename, "process": os.getpid()}
    return at | dict(BOUND.get()) | dict(values)


def failure_of(error: BaseException) -> dict[str, object]:
    """Return how a step or a command failed; the traceback is in the first line only."""
    is_known = vars(error).get(IN_LOG, False)
    vars(error)[IN_LOG] = True
    if isinstance(error, KeyboardInterrupt):
        return {"level": "warning", "status": "interrupted", "message": "stopped"}
    if isinstance(error, RequestError):
        return {"level": "warning", "status": "failed", "message": str(error).strip()}
    kind = "" if isinstance(error, PerfhouseError) else f"{type(error).__name__}: "
    return {
        "level": "error",
        "status": "failed",
        "message": f"{kind}{error}".strip(),
        "traceback": None if is_known else traceback_of(error),
    }


def traceback_of(error: BaseException) -> str:
    """Return the traceback of an error as text."""
    return "".join(traceback.format_exception(error))


def hide(secret: str | None) -> None:
    """Hide a text in all lines of this process."""
    if secret and secret.strip():
        _SECRETS.add(secret.strip())


def write(lake: Path, values: Mapping[str, object]) -> None:
    """Append a line with these fields (see SCHEMA) and the time; nothing if there is no lake."""
    now = datetime.now(UTC)
    line = _encode({"time": now} | dict(values))
    file = lake / FOLDER / f"{now:%Y-%m-%d}.jsonl"
    with suppress(OSError):
        if not lake.is_dir():
            return
        file.parent.mkdir(exist_ok=True)
        is_new = not file.exists()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        opened = os.open(file, flags, 0o666)
        try:
            size = os.fstat(opened).st_size
            is_cut_off = size and os.pread(opened, 1, size - 1) != b"\n"
            os.write(opened, b"\n" * bool(is_cut_off) + line)
        finally:
            os.close(opened)
        if is_new:
            _remove_old(file.parent, now)


def _encode(values: Mapping[str, object]) -> bytes:
    """Return a line: a JSON object in ASCII, whatever it contains."""
    plain = {name: _plain(name, value) for name, value in values.items() if value is not None}
    return json.dumps(plain, allow_nan=False).encode() + b"\n"


def _plain(name: str, value: object) -> object:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, int):
        return value
    text = str(value).encode("utf-8", "backslashreplace").decode().replace("\0", r"\x00")
    for secret in (*_SECRETS, *(os.environ.get(name, "").strip() for name in _SECRET)):
        if secret:
            text = text.replace(secret, "***")
    text = _CREDENTIALS.sub("***@", text)
    if name == "traceback":  # its end says what went wrong
        return text[-_LONGEST_TRACEBACK:]
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _remove_old(folder: Path, now: datetime) -> None:
    given = os.environ.get("PERFHOUSE_LOG_DAYS", "")
    days = int(given) if given.isdecimal() and len(given) < 6 else _DAYS
    first = now - timedelta(days=days)
    for file in folder.glob("????-??-??.jsonl"):
        if file.stem < f"{first:%Y-%m-%d}":
            file.unlink(missing_ok=True)


# --- steps under way


@contextmanager
def under_way(lake: Path, values: Mapping[str, object]) -> Iterator[None]:
    """Note in the lake that a step is under way; `values` has the fields of its first line."""
    marker = lake / FOLDER / ".running" / str(values["step_id"])
    draft = marker.with_name(f".{marker.name}")
    opened = None
    with suppress(OSError):
        if lake.is_dir():
            marker.parent.mkdir(parents=True, exist_ok=True)
            opened = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            fcntl.flock(opened, fcntl.LOCK_EX)  # the system lets go when the process ends
            os.write(opened, _encode(values))
            draft.rename(marker)
    try:
        yield
    finally:
        if opened is not None:
            for file in (draft, marker):
                with suppress(OSError):
                    file.unlink(missing_ok=True)
            os.close(opened)


def running(lake: Path) -> set[str]:
    """Return the step_id of the steps whose processes run."""
    return {step_id for step_id, is_running in _notes(lake) if is_running}


def note_interrupted(lake: Path) -> None:
    """Write the last line of each step that was under way when its process ended."""
    for step_id, is_running in _notes(lake):
        if is_running:
            continue
        marker = lake / FOLDER / ".running" / step_id
        with suppress(OSError, ValueError, AttributeError):  # it is damaged
            begun = json.loads(marker.read_bytes())
            columns = {name: value for name, value in begun.items() if name in SCHEMA}
            write(
                lake,
                columns | {
                    "level": "error", "event": "ended", "status": "interrupted",
                    "message": "its process was ended",
                },
            )  # fmt: skip
        with suppress(OSError):
            marker.unlink(missing_ok=True)


def _notes(lake: Path) -> Iterator[tuple[str, bool]]:
    """Yield each noted step, and whether its process runs. An ended one is locked meanwhile."""
    folder = lake / FOLDER / ".running"
    try:
        noted = [file.name for file in folder.iterdir() if not file.name.startswith(".")]
    except OSError:
        return
    for step_id in noted:
        try:
            opened = os.open(folder / step_id, os.O_RDONLY)
        except OSError:  # it has ended
            continue
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_running = False
        except OSError:
            is_running = True
        try:
            yield step_id, is_running
        finally:
            os.close(opened)
