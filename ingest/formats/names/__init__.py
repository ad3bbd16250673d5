"""The plain names, units and texts of fields: what the views of `staging` show."""

from __future__ import annotations

from functools import cache

from ingest.formats.names import (
    bench,
    lake,
    mq,
    mq_accounting,
    published,
    rmf_report,
    zos_capacity,
    zos_cpu,
    zos_devices,
)
from ingest.formats.names.view import KEYS, View
from ingest.formats.plugin import register

__all__ = ["KEYS", "PLAIN_VIEWS", "View"]

_OURS: tuple[View, ...] = (
    *bench.VIEWS,
    *lake.VIEWS,
    *mq.VIEWS,
    *mq_accounting.VIEWS,
    *published.VIEWS,
    *rmf_report.VIEWS,
    *zos_capacity.VIEWS,
    *zos_cpu.VIEWS,
    *zos_devices.VIEWS,
)
PLAIN_VIEWS: tuple[View, ...]  # also of plug-ins


@cache
def __getattr__(name: str) -> tuple[View, ...]:
    """Return what has parts of plug-ins: not before it is asked for, as they import View."""
    if name != "PLAIN_VIEWS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return register(_OURS, lambda plugin: plugin.views, lambda view: [f"staging.{view.name}"])
