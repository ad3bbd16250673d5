"""The plain names, units and texts of fields: what the views of `staging` show."""

from __future__ import annotations

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

__all__ = ["KEYS", "PLAIN_VIEWS", "View"]

PLAIN_VIEWS: tuple[View, ...] = (
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
