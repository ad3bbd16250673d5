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

import logging
import os
import resource
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING

from ingest.lake.log_fields import SCHEMA
from ingest.lake.log_lines import (
    BOUND,
    IN_LOG,
    failure_of,
    line_of,
    note_interrupted,
    traceback_of,
    under_way,
    write_line,
)

__all__ = ["SHOWN", "Step", "add", "command", "command_of", "message", "note", "step"]

if TYPE_CHECKING:
    from ingest.lake.warehouse import Warehouse


#: The fields that all lines of this command and step have.


_STEP: ContextVar[Step | None] = ContextVar("step", default=None)


#: `extra` of what is logged for the console only, as it has a line of its own.
SHOWN = {IN_LOG: True}


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
    return str(BOUND.get().get("command") or _default_command())


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
                ended = failure_of(failure)
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
    with _bound(lake, fields), under_way(lake, line_of({"begun": begun})):
        token = _STEP.set(done)
        write_line(lake, {"event": "begun", "begun": begun})
        ended: dict[str, object] = {"status": "ok"}
        try:
            yield done
        except BaseException as error:
            ended = failure_of(error)
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


class _ToLog(logging.Handler):
    """Writes what the code logs to the log of a warehouse."""

    def __init__(self, lake: Path) -> None:
        super().__init__(logging.WARNING)
        self.lake = lake
        self.users = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; nothing raises."""
        if hasattr(record, IN_LOG):
            return
        try:
            raised = record.exc_info[1] if record.exc_info else None
            write_line(
                self.lake,
                {
                    "level": record.levelname.lower(),
                    "logger": record.name,
                    "message": record.getMessage(),
                    "traceback": traceback_of(raised) if raised else None,
                },
            )
        except Exception:  # noqa: S110 - a message that cannot be formatted
            pass


_CHANGING = threading.Lock()


@contextmanager
def _bound(lake: Path, values: Mapping[str, object]) -> Iterator[None]:
    """Give these fields to all lines of the block, and write what is logged in it."""
    bound = {"command": command_of()} | dict(BOUND.get()) | dict(values)
    token = BOUND.set(bound)
    handler = _attach(lake)
    try:
        yield
    finally:
        _detach(handler)
        BOUND.reset(token)


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
