"""The layouts of records: MQ's SMF 115 and 116, AMS record 180, and records of z/OS."""

from __future__ import annotations

from functools import cache

from ingest.formats.binary.layout import Layout
from ingest.formats.binary.record import RecordLayout
from ingest.formats.layouts.ams import SMF180_RECIPIENT
from ingest.formats.layouts.mq_records import AMS_RECORD, MQ_RECORDS
from ingest.formats.layouts.rmf_records import RMF_RECORDS
from ingest.formats.layouts.zos_7 import SMF7_RECORD
from ingest.formats.layouts.zos_30_records import SMF30_RECORDS
from ingest.formats.layouts.zos_42_6_records import SMF42_RECORDS
from ingest.formats.layouts.zos_113 import SMF113_RECORDS
from ingest.formats.plugin import register

__all__ = ["AMS_RECORD", "LAYOUTS", "MQ_RECORDS", "RECORDS", "RMF_RECORDS", "ZOS_RECORDS"]

ZOS_RECORDS = (SMF7_RECORD, *SMF30_RECORDS, *SMF42_RECORDS, *SMF113_RECORDS, *RMF_RECORDS)
RECORDS: tuple[RecordLayout, ...]  # also of plug-ins
LAYOUTS: tuple[Layout, ...]


def __getattr__(name: str) -> object:
    """Return what has parts of plug-ins: not before it is asked for, as they import layouts."""
    if name == "RECORDS":
        return _records()
    if name == "LAYOUTS":
        return _layouts()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _records() -> tuple[RecordLayout, ...]:
    return register(
        (*MQ_RECORDS, *ZOS_RECORDS),
        lambda plugin: plugin.records,
        lambda record: [
            f"SMF {record.record_type} subtype {record.subtype}",
            *(f"raw.{located.layout.table}" for located in record.sections),
        ],
    )


@cache
def _layouts() -> tuple[Layout, ...]:
    of_all = [
        layout
        for record in (*_records(), AMS_RECORD)
        for layout in (record.header, *(located.layout for located in record.sections))
    ]
    return tuple({id(layout): layout for layout in [*of_all, SMF180_RECIPIENT]}.values())
