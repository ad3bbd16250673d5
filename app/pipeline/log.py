"""What commands, tasks of DAGs and their steps write to the log of a warehouse (ingest.log).

A step writes a line when it begins and one with its figures when it ends:

    with step(warehouse, "backup") as did:
        ...
        did.note(files=12, bytes=4711)

Within it, `add` and `note` reach the same step from anywhere below. Warnings and errors that the
code logs meanwhile are lines too, and still go to the console.
"""

from __future__ import annotations

import logging
import os
import resource
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from shutil import disk_usage
from types import MappingProxyType
from typing import TYPE_CHECKING

from ingest import log as lines
from ingest.errors import PerfhouseError
from ingest.files import name_of
from ingest.log import hide

if TYPE_CHECKING:  # every command writes to the log, and few need Polars
    from ingest.load import Load
    from ingest.warehouse import Warehouse

__all__ = [
    "SHOWN", "Step", "add", "command", "file_loaded", "hide", "lake_size", "message", "note",
    "step",
]  # fmt: skip

#: The fields that all lines of this command and step have.
_BOUND: ContextVar[Mapping[str, object]] = ContextVar("bound", default=MappingProxyType({}))
_STEP: ContextVar[Step | None] = ContextVar("step", default=None)
_IN_LOG = "is_in_log"  # of an exception that has its line already
#: `extra` of what is logged for the console only, as it has a line of its own.
SHOWN = {_IN_LOG: True}
_MADE = {"loaded", "partly", "quarantined"}  # statuses of files that are in the ledger


class Step:
    """A step under way; what it notes is in the line that it ends with."""

    def __init__(self) -> None:
        self.noted: dict[str, object] = {}

    def note(self, **fields: object) -> None:
        """Set fields of the line (see ingest.log.SCHEMA). Raises KeyError for any other."""
        for name, value in fields.items():
            if name not in lines.SCHEMA:
                raise KeyError(f"{name} is no field of the log")
            self.noted[name] = value

    def add(self, **counts: int) -> None:
        """Add to fields of the line, which begin with 0."""
        self.note(**{name: self._count(name) + count for name, count in counts.items()})

    def _count(self, name: str) -> int:
        known = self.noted.get(name, 0)
        assert isinstance(known, int)
        return known


def note(**fields: object) -> None:
    """Set fields of the current step, if there is one."""
    if current := _STEP.get():
        current.note(**fields)


def add(**counts: int) -> None:
    """Add to fields of the current step, if there is one."""
    if current := _STEP.get():
        current.add(**counts)


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
                ended = _described(failure)
            _write(
                warehouse.lake,
                {"event": "command", "seconds": time.monotonic() - begun} | ended | done.noted,
            )


@contextmanager
def step(warehouse: Warehouse, name: str, **ids: object) -> Iterator[Step]:
    """Write a line when a step begins, and one when it ends, however it ends."""
    lake = warehouse.lake
    lines.note_interrupted(lake)
    done = Step()
    before, cpu_before, begun = time.monotonic(), _cpu_seconds(), datetime.now(UTC)
    own = {"step": name, "step_id": os.urandom(8).hex(), **ids}
    with _bound(lake, own), lines.under_way(lake, _line({"begun": begun})):
        token = _STEP.set(done)
        _write(lake, {"event": "begun", "begun": begun})
        ended: dict[str, object] = {"status": "ok"}
        try:
            yield done
        except BaseException as error:
            ended = _described(error)
            raise
        finally:
            _STEP.reset(token)
            _write(
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
    _write(warehouse.lake, {"level": level, "message": text})


def file_loaded(warehouse: Warehouse, load: Load) -> None:
    """Count a file in the current step; write a line, unless its content was there before."""
    is_new, has_failed = load.status in _MADE, load.status == "failed"
    add(files=1, failures=int(has_failed), loads=int(is_new))
    if is_new:
        add(
            bytes=load.bytes, records=load.records, rows=load.rows,
            records_quarantined=load.quarantined,
        )  # fmt: skip
    if is_new or has_failed:
        _write(
            warehouse.lake,
            {
                "event": "file",
                "level": "error" if has_failed else "info",
                "file": name_of(load.path),
                "status": load.status,
                "source_id": load.source_id or None,
                "message": load.reasons[0] if load.reasons else None,
            },
        )


def lake_size(lake: Path) -> dict[str, int]:
    """Return the bytes and the number of the files of a lake; hard links count once."""
    seen, size, number = set[int](), 0, 0
    for folder, _, names in os.walk(lake):
        for file in names:
            try:
                state = os.lstat(os.path.join(folder, file))  # noqa: PTH118 - a lake has many
            except OSError:  # it is gone
                continue
            if state.st_nlink == 1 or state.st_ino not in seen:
                seen.add(state.st_ino)
                size += state.st_size
                number += 1
    return {"lake_bytes": size, "lake_files": number}


# --- lines


def _write(lake: Path, values: Mapping[str, object]) -> None:
    lines.write(lake, _line(values))


def _line(values: Mapping[str, object]) -> dict[str, object]:
    at = {"level": "info", "host": os.uname().nodename, "process": os.getpid()}
    return at | dict(_BOUND.get()) | dict(values)


def _described(error: BaseException) -> dict[str, object]:
    """Return how a step or a command failed; the traceback is in the first line only."""
    is_known = vars(error).get(_IN_LOG, False)
    vars(error)[_IN_LOG] = True
    if isinstance(error, KeyboardInterrupt):
        return {"level": "warning", "status": "interrupted", "message": "stopped"}
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
            _write(
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
    bound = {"command": _default_command()} | dict(_BOUND.get()) | dict(values)
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
        found = next(
            (one for one in root.handlers if isinstance(one, _ToLog) and one.lake == lake), None
        )
        if found is None:
            found = _ToLog(lake)
            if not root.handlers and logging.lastResort:  # with a handler, this would be off
                root.addHandler(logging.lastResort)
            root.addHandler(found)
        found.users += 1
        return found


def _detach(handler: _ToLog) -> None:
    root = logging.getLogger()
    with _CHANGING:
        handler.users -= 1
        if not handler.users:
            root.removeHandler(handler)
            if logging.lastResort and all(one is logging.lastResort for one in root.handlers):
                root.removeHandler(logging.lastResort)


def _default_command() -> str:
    dag, task = os.environ.get("AIRFLOW_CTX_DAG_ID"), os.environ.get("AIRFLOW_CTX_TASK_ID")
    return f"{dag}.{task}" if dag and task else "python"


def _cpu_seconds() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak_memory() -> int:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return 1024 * max(one.ru_maxrss for one in used)


def _free(lake: Path) -> int | None:
    try:
        return disk_usage(lake).free
    except OSError:
        return None
