"""The log of a warehouse: what commands, tasks of DAGs and their steps write to it.

A step writes a line when it begins, and one with its figures when it ends:

    with step(warehouse, "backup") as done:
        ...
        done.note(files=12, bytes=4711)

Within it, `add` and `note` reach the same step from anywhere below. Warnings and errors that the
code logs meanwhile are lines too, and still go to the console.

Each line is one write to the end of the day's file. LAKE/log/.running/<step_id> holds the beginning
of a step under way, locked by its process. A log that cannot be written stops nothing.

PERFHOUSE_LOG_DAYS   files of earlier days are removed (default: 180)
"""

from __future__ import annotations

import fcntl
import json
import logging
import math
import os
import re
import resource
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import disk_usage
from types import MappingProxyType
from typing import TYPE_CHECKING

from ingest.base.errors import PerfhouseError, RequestError
from ingest.lake.log_fields import FOLDER, SCHEMA

if TYPE_CHECKING:
    from ingest.lake.warehouse import Warehouse

__all__ = [
    "SHOWN",
    "Step",
    "add",
    "command",
    "command_of",
    "hide",
    "message",
    "note",
    "note_interrupted",
    "running",
    "step",
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

#: The fields that all lines of this command and step have.
_BOUND: ContextVar[Mapping[str, object]] = ContextVar("bound", default=MappingProxyType({}))
_STEP: ContextVar[Step | None] = ContextVar("step", default=None)
_IN_LOG = "is_in_log"  # of an exception that has its line already
#: `extra` of what is logged for the console only, as it has a line of its own.
SHOWN = {_IN_LOG: True}


class Step:
    """A step under way; what it notes is in the line that it ends with."""

    def __init__(self) -> None:
        self.noted: dict[str, object] = {}

    def note(self, **fields: object) -> None:
        """Set fields of the line (see ingest.lake.log_fields). Raises KeyError for others."""
        for name, value in fields.items():
            if name not in SCHEMA:
                raise KeyError(f"{name} is no field of the log")
            self.noted[name] = value

    def add(self, **counts: int) -> None:
        """Add to fields of the line, which begin with 0."""
        self.note(**{name: self._count(name) + count for name, count in counts.items()})

    def _count(self, name: str) -> int:
        before = self.noted.get(name, 0)
        assert isinstance(before, int)
        return before


def note(**fields: object) -> None:
    """Set fields of the current step, if there is one."""
    if current := _STEP.get():
        current.note(**fields)


def add(**counts: int) -> None:
    """Add to fields of the current step, if there is one."""
    if current := _STEP.get():
        current.add(**counts)


def command_of() -> str:
    """Return the command or the task under way, as the log names it."""
    return str(_BOUND.get().get("command") or _default_command())


@contextmanager
def command(warehouse: Warehouse, name: str) -> Iterator[Step]:
    """Write a line when a command or a task ends; all lines until then have its name."""
    done, begun = Step(), time.monotonic()
    with _bound(warehouse.lake, {"command": name}):
        failure = None
        try:
            yield done
        except BaseException as error:
            failure = error
            raise
        finally:
            ended: dict[str, object] = {"status": "ok"}
            if failure and not isinstance(failure, BrokenPipeError):  # head, say, has read enough
                ended = _failure(failure)
            write_line(
                warehouse.lake,
                {"event": "command", "seconds": time.monotonic() - begun} | ended | done.noted,
            )


@contextmanager
def step(warehouse: Warehouse, name: str, **ids: object) -> Iterator[Step]:
    """Write a line when a step begins, and one when it ends, however it ends."""
    lake = warehouse.lake
    note_interrupted(lake)
    done = Step()
    before, cpu_before, begun = time.monotonic(), _cpu_seconds(), datetime.now(UTC)
    fields = {"step": name, "step_id": os.urandom(8).hex(), **ids}
    with _bound(lake, fields), under_way(lake, _line({"begun": begun})):
        token = _STEP.set(done)
        write_line(lake, {"event": "begun", "begun": begun})
        ended: dict[str, object] = {"status": "ok"}
        try:
            yield done
        except BaseException as error:
            ended = _failure(error)
            raise
        finally:
            _STEP.reset(token)
            write_line(
                lake,
                {
                    "event": "ended",
                    "begun": begun,
                    "seconds": time.monotonic() - before,
                    "cpu_seconds": _cpu_seconds() - cpu_before,
                    "peak_memory_bytes": _peak_memory(),
                    "free_bytes": _free(lake),
                }
                | done.noted
                | ended,
            )


def message(warehouse: Warehouse, level: str, text: str) -> None:
    """Write a line that is shown elsewhere already."""
    write_line(warehouse.lake, {"level": level, "message": text})


# --- lines


def write_line(lake: Path, values: Mapping[str, object]) -> None:
    """Append a line with these fields, and those of the command and the step under way."""
    write(lake, _line(values))


def _line(values: Mapping[str, object]) -> dict[str, object]:
    at = {"level": "info", "host": os.uname().nodename, "process": os.getpid()}
    return at | dict(_BOUND.get()) | dict(values)


def _failure(error: BaseException) -> dict[str, object]:
    """Return how a step or a command failed; the traceback is in the first line only."""
    is_known = vars(error).get(_IN_LOG, False)
    vars(error)[_IN_LOG] = True
    if isinstance(error, KeyboardInterrupt):
        return {"level": "warning", "status": "interrupted", "message": "stopped"}
    if isinstance(error, RequestError):
        return {"level": "warning", "status": "failed", "message": str(error).strip()}
    kind = "" if isinstance(error, PerfhouseError) else f"{type(error).__name__}: "
    return {
        "level": "error",
        "status": "failed",
        "message": f"{kind}{error}".strip(),
        "traceback": None if is_known else _traceback(error),
    }


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


class _ToLog(logging.Handler):
    """Writes what the code logs to the log of a warehouse."""

    def __init__(self, lake: Path) -> None:
        super().__init__(logging.WARNING)
        self.lake = lake
        self.users = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; nothing raises."""
        if hasattr(record, _IN_LOG):
            return
        try:
            raised = record.exc_info[1] if record.exc_info else None
            write_line(
                self.lake,
                {
                    "level": record.levelname.lower(),
                    "logger": record.name,
                    "message": record.getMessage(),
                    "traceback": _traceback(raised) if raised else None,
                },
            )
        except Exception:  # noqa: S110 - a message that cannot be formatted
            pass


_CHANGING = threading.Lock()


@contextmanager
def _bound(lake: Path, values: Mapping[str, object]) -> Iterator[None]:
    """Give these fields to all lines of the block, and write what is logged in it."""
    bound = {"command": command_of()} | dict(_BOUND.get()) | dict(values)
    token = _BOUND.set(bound)
    handler = _attach(lake)
    try:
        yield
    finally:
        _detach(handler)
        _BOUND.reset(token)


def _attach(lake: Path) -> _ToLog:
    root = logging.getLogger()
    with _CHANGING:
        result = next(
            (
                handler
                for handler in root.handlers
                if isinstance(handler, _ToLog) and handler.lake == lake
            ),
            None,
        )
        if result is None:
            result = _ToLog(lake)
            if not root.handlers and logging.lastResort:  # with a handler, this would be off
                root.addHandler(logging.lastResort)
            root.addHandler(result)
        result.users += 1
        return result


def _detach(handler: _ToLog) -> None:
    root = logging.getLogger()
    with _CHANGING:
        handler.users -= 1
        if not handler.users:
            root.removeHandler(handler)
            if logging.lastResort and all(
                present is logging.lastResort for present in root.handlers
            ):
                root.removeHandler(logging.lastResort)


def _default_command() -> str:
    dag, task = os.environ.get("AIRFLOW_CTX_DAG_ID"), os.environ.get("AIRFLOW_CTX_TASK_ID")
    return f"{dag}.{task}" if dag and task else "python"


def _cpu_seconds() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _peak_memory() -> int:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return 1024 * max(usage.ru_maxrss for usage in used)


def _free(lake: Path) -> int | None:
    try:
        return disk_usage(lake).free
    except OSError:
        return None


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
