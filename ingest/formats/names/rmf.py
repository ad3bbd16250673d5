"""The plain names of the fields of RMF records, view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["VIEWS"]

# fmt: off
VIEWS = (
    View("rmf__record", "smf_record", "One row per decoded RMF record, of every load.", (
        "source_id", "record_no",
        ("length", "record_bytes", "Length of the record with its descriptor word. Unit: bytes. Source: the loader."),
        ("record_type", "record_type", "SMF record type: 70, 72 or 74. Unit: none. Source: the SMF header."),
        ("record_subtype", "record_subtype", "SMF record subtype. Unit: none. Source: the SMF header."),
        ("system_id", "system_id", "System (LPAR) that wrote the record. Unit: none. Source: SMF70SID, SMF72SID or SMF74SID."),
        ("smf_time", "smf_time_local", "When the record was moved to the SMF buffer, in the local time of the system. Unit: timestamp, local. Source: SMF70DTE, SMF72DTE or SMF74DTE and TME."),
    ), where="(record_type, record_subtype) in ((70, 1), (70, 2), (72, 3), (74, 1), (74, 4))"),
)
