"""The layouts of records: MQ's SMF 115 and 116, AMS record 180, and records of z/OS."""

from __future__ import annotations

from ingest.formats.binary.layout import Layout
from ingest.formats.layouts.ams import SMF180_RECIPIENT
from ingest.formats.layouts.mq_records import AMS_RECORD, MQ_RECORDS
from ingest.formats.layouts.rmf_records import RMF_RECORDS
from ingest.formats.layouts.zos_7 import SMF7_RECORD
from ingest.formats.layouts.zos_30_records import SMF30_RECORDS
from ingest.formats.layouts.zos_42_6_records import SMF42_RECORDS
from ingest.formats.layouts.zos_113 import SMF113_RECORDS

__all__ = ["AMS_RECORD", "LAYOUTS", "MQ_RECORDS", "RECORDS", "RMF_RECORDS", "ZOS_RECORDS"]

ZOS_RECORDS = (SMF7_RECORD, *SMF30_RECORDS, *SMF42_RECORDS, *SMF113_RECORDS, *RMF_RECORDS)
RECORDS = (*MQ_RECORDS, *ZOS_RECORDS)


def _distinct(layouts: list[Layout]) -> tuple[Layout, ...]:
    return tuple({id(layout): layout for layout in layouts}.values())


LAYOUTS = _distinct(
    [
        layout
        for record in (*RECORDS, AMS_RECORD)
        for layout in (record.header, *(located.layout for located in record.sections))
    ]
    + [SMF180_RECIPIENT]
)
