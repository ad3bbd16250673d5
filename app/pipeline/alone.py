"""One change of a warehouse at a time: the lock that build, check, publish and the care take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from ingest.errors import PerfhouseError
from ingest.warehouse import Warehouse

__all__ = ["StepError", "alone", "nothing_built"]


class StepError(PerfhouseError):
    """A step failed; the message is one line."""


def nothing_built(warehouse: Warehouse) -> StepError:
    """Return the error of a step that needs a build."""
    build = warehouse.command("build")
    return StepError(f"{warehouse.file}: nothing is built yet; run '{build}' first")


@contextmanager
def alone(warehouse: Warehouse) -> Iterator[None]:
    """Hold the lock; it goes with the process. Raises StepError if another process has it."""
    if not warehouse.lake.exists():
        raise nothing_built(warehouse)
    try:
        lock = FileLock(warehouse.lake / "build.lock", timeout=0).acquire()
    except Timeout:
        raise StepError(f"{warehouse.file}: another build, check or publish is running") from None
    with lock:
        yield
