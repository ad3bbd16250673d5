"""One change of a warehouse at a time: the lock that build, check, publish and the care take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path

from ingest.base.errors import PerfhouseError, WarehouseError
from ingest.base.waiting import locked
from ingest.lake.log import command_of
from ingest.lake.warehouse import Warehouse

__all__ = ["StepError", "alone", "nothing_built", "waiting"]

_LOCK = "build.lock"  # in the lake
#: Seconds to wait for another process: longer than most builds take.
_WAIT: ContextVar[float] = ContextVar("wait", default=3600.0)
_HELD: ContextVar[frozenset[Path]] = ContextVar("held", default=frozenset())


class StepError(PerfhouseError):
    """A step failed; the message is one line."""


def nothing_built(warehouse: Warehouse) -> StepError:
    """Return the error of a step that needs a build."""
    build = warehouse.command("build")
    return StepError(f"{warehouse.file}: nothing is built yet; run '{build}' first")


@contextmanager
def waiting(seconds: float | None) -> Iterator[None]:
    """Let the steps within wait this long for another process.

    0: not at all; None: an hour, the default.
    """
    token = _WAIT.set(_WAIT.get() if seconds is None else seconds)
    try:
        yield
    finally:
        _WAIT.reset(token)


@contextmanager
def alone(warehouse: Warehouse, *, as_is: bool = False) -> Iterator[None]:
    """Hold the lock, which the system releases when the process ends.

    Steps within take it, too: together they are one change. as_is: also if the warehouse cannot be
    used; otherwise raises WarehouseError as `Warehouse.recover` does. Raises StepError if another
    process holds the lock for longer than `waiting` allows.
    """
    if warehouse.lake in _HELD.get():
        yield
        return
    if not as_is:
        warehouse.recover()
    if not warehouse.lake.exists():
        raise nothing_built(warehouse)
    with ExitStack() as held:
        lock, name = warehouse.lake / _LOCK, str(warehouse.file)
        try:
            held.enter_context(locked(lock, wait=_WAIT.get(), name=name, command=command_of()))
        except FileNotFoundError:  # another process removed the lake
            raise nothing_built(warehouse) from None
        except WarehouseError as error:
            raise StepError(str(error)) from None
        token = _HELD.set(_HELD.get() | {warehouse.lake})
        try:
            yield
        finally:
            _HELD.reset(token)
