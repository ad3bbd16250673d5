"""Wait for files in the landing folder without holding a worker."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote_from_bytes, unquote_to_bytes

from airflow.sdk import BaseOperator, Context
from airflow.sdk.exceptions import TaskDeferred
from airflow.triggers.base import BaseTrigger, TriggerEvent

from app.pipeline import landing, places
from app.schedule.tasks import LOADERS
from ingest.lake.warehouse import Warehouse

__all__ = ["ArrivalsTrigger", "WaitForArrivals", "path_of"]

Batches = list[list[str]]

_FILES = 500  # most files in a batch
_MB = 1 << 20
_LEAST, _MOST = 16 * _MB, 256 * _MB  # a batch ends once it has so much: see batches


class ArrivalsTrigger(BaseTrigger):  # type: ignore[misc]
    """Fires with the files that have arrived, in batches; with none after `patience` seconds.

    It looks every `interval` seconds, for the first time after that interval: files that cannot
    be read are found again each time.
    """

    def __init__(self, warehouse: str, folder: str, interval: float, patience: float) -> None:
        super().__init__()
        self.warehouse = warehouse
        self.folder = folder
        self.interval = interval
        self.patience = patience

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return what the triggerer needs to make this trigger again."""
        arguments = {
            "warehouse": self.warehouse,
            "folder": self.folder,
            "interval": self.interval,
            "patience": self.patience,
        }
        return f"{__name__}.{type(self).__name__}", arguments

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Yield one event."""
        arrived: Batches = []
        for _ in range(max(1, round(self.patience / self.interval))):
            await asyncio.sleep(self.interval)
            if arrived := await asyncio.to_thread(self._batches):
                break
        yield TriggerEvent(arrived)

    def _batches(self) -> Batches:
        return batches(landing.arrivals(Warehouse(Path(self.warehouse)), Path(self.folder)))


class WaitForArrivals(BaseOperator):  # type: ignore[misc]
    """Returns the files that have arrived, in batches, for `path_of`; maybe none.

    A batch is loaded by one task, which costs a second or two to start.
    """

    def execute(self, context: Context) -> NoReturn:
        """Let the triggerer wait."""
        places.default_landing().mkdir(parents=True, exist_ok=True)
        trigger = ArrivalsTrigger(
            str(places.default_warehouse().file),
            str(places.default_landing()),
            interval=float(os.environ.get("PERFHOUSE_LOOK_EVERY", "30")),
            patience=float(os.environ.get("PERFHOUSE_LOOK_FOR", "3600")),
        )
        raise TaskDeferred(trigger=trigger, method_name="resume")

    def resume(self, context: Context, event: Batches) -> Batches:
        """Return what the trigger found."""
        return event


def batches(files: list[Path]) -> Batches:
    """Return the files in batches, in order: one per loader at least, unless they get small."""
    sizes = [file.stat().st_size if file.exists() else 0 for file in files]
    enough = min(_MOST, max(_LEAST, sum(sizes) // LOADERS))
    made: Batches = []
    size = enough
    for file, more in zip(files, sizes, strict=True):
        if size >= enough or len(made[-1]) >= _FILES:
            made.append([])
            size = 0
        made[-1].append(quote_from_bytes(os.fsencode(file)))  # names need not be UTF-8
        size += more
    return made


def path_of(name: str) -> Path:
    """Return the path of a file in a batch."""
    return Path(os.fsdecode(unquote_to_bytes(name)))
