"""Records of SMF 30, 42 subtype 6 and 113 for the tests, composed from rows."""

from __future__ import annotations

import io
from datetime import date
from functools import cache
from typing import Any

from ingest.formats.binary.compose import compose
from ingest.formats.binary.framing import Framing, read_batches
from ingest.formats.binary.records import OPAQUE, Decoded, decode_batch
from ingest.formats.binary.write import frame_records
from ingest.formats.layouts import ZOS_RECORDS

Rows = dict[str, list[dict[str, Any]]]
RECORDS = {(r.record_type, r.subtype): r for r in ZOS_RECORDS if r.record_type in (30, 42, 113)}
HEADERS = {
    30: {"smf30dte": date(2024, 2, 29), "smf30sid": "SYS1"},
    42: {"smf42dte": date(2024, 2, 29), "smf42sid": "SYS1"},
    113: {"smf113dte": date(2024, 2, 29), "smf113sid": "SYS1"},
}
DATA_SETS: Rows = {
    "smf42_6_job_header": [{"s42jdjnm": "JOB1"}, {"s42jdjnm": "JOB2"}],
    "smf42_6_data_set_header": [
        {"parent_no": 1, "s42dsn": "A", "s42dsgsr": 2},
        {"parent_no": 1, "s42dsn": "B"},
        {"parent_no": 2, "s42dsn": "C"},
    ],
    "smf42_6_data_set_io_statistics": [
        {"parent_no": 1, "s42dsior": 128 * 3, "s42dsr1u": 390},
        {"parent_no": 3, "s42dsior": 128 * 5, "s42dsr1u": 650},
    ],
    "smf42_6_synchronous_io_section_4": [{"parent_no": 2, "s42sntea": n} for n in (1, 2)],
    "smf42_6_synchronous_io_section_5": [{"parent_no": 2, "s42snded": n} for n in (7, 8, 9)],
    OPAQUE: [{"triplet_no": 0, "content": b"product section"}],
}
EXAMPLES: dict[tuple[int, int], Rows] = {
    (30, 4): {
        "smf30_identification": [{"smf30jbn": "JOB"}],
        "smf30_accounting": [{"smf30acg": "ABC"}, {"smf30acg": "D"}],
        "smf30_excp": [{"smf30ddn": "DD1"}, {"smf30ddn": "DD2"}],
    },
    (42, 6): DATA_SETS,
    (113, 1): {
        "smf113_1_data": [{}],
        "smf113_1_counter_set": [{"smf113_1_csuselcds": True}, {}],
        "smf113_1_short_counter_data": [{"parent_no": 2, "smf113_1_scr": 1}],
        "smf113_1_long_counter_data": [{"parent_no": 1, "smf113_1_lcr": n} for n in (1, 2)],
    },
    (113, 2): {
        "smf113_2_data": [{}],
        "smf113_2_counter_set": [{"smf113_2_csn": 2}],
        "smf113_2_counters": [{"smf113_2_cr": n} for n in (1, 2)],
    },
}


def made(key: tuple[int, int], tables: Rows, records: int = 1, **options: Any) -> list[bytes]:
    """Return records with these rows; each has the date and the system in its header."""
    record = RECORDS[key]
    headers = [HEADERS[key[0]] | {"record_no": n} for n in range(1, records + 1)]
    given_headers = tables.get(record.header.table)
    if given_headers:
        headers = [h | g for h, g in zip(headers, given_headers, strict=True)]
    return compose(record, tables | {record.header.table: headers}, **options)


def decoded(*records: bytes) -> Decoded:
    """Decode records, which lie one behind the other in a file."""
    content = b"".join(frame_records(list(records)))
    (batch,) = [b for b in read_batches(io.BytesIO(content), Framing.RDW) if b.start.size]
    assert not batch.damages
    return decode_batch(batch, RECORDS)


@cache
def example(key: tuple[int, int]) -> tuple[bytes, Decoded]:
    """Return an example, and what it decodes to."""
    (record,) = made(key, EXAMPLES[key])
    return record, decoded(record)
