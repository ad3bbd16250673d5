"""The layouts of records: MQ's SMF 115 and 116 from MQ 8.0 to 10.0, and the AMS record 180."""

from __future__ import annotations

from ingest.binary.layout import Layout
from ingest.layouts.ams import SMF180_RECIPIENT
from ingest.layouts.mq_records import AMS_RECORD, MQ_RECORDS

__all__ = ["AMS_RECORD", "LAYOUTS", "MQ_RECORDS"]


def _distinct(layouts: list[Layout]) -> tuple[Layout, ...]:
    return tuple({id(layout): layout for layout in layouts}.values())


LAYOUTS = _distinct(
    [
        layout
        for record in (*MQ_RECORDS, AMS_RECORD)
        for layout in (record.header, *(located.layout for located in record.sections))
    ]
    + [SMF180_RECIPIENT]
)
