"""The plain names of the fields of the ledger of loads, view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["VIEWS"]

# fmt: off
VIEWS = (
    View("lake__load_count", "ledger_count", "One row per load, record type and subtype.", (
        "source_id",
        ("record_type", "record_type", "SMF record type. Unit: none. Source: SM115RTY or SM116RTY."),
        ("record_subtype", "record_subtype", "Subtype of the SMF record. Unit: none. Source: SM115STF or SM116STF."),
        ("records", "type_records", "Records of this type and subtype in the file. Unit: records. Source: raw.ledger_count.records."),
        ("sections", "type_sections", "Sections decoded from records of this type and subtype. Unit: sections. Source: raw.ledger_count.sections."),
        ("extra_bytes", "type_extra_bytes", "Bytes at the end of sections that no known layout covers. Unit: bytes. Source: raw.ledger_count.extra_bytes."),
    )),
    View("lake__quarantine", "quarantine", "One row per part of a source file that could not be loaded.", (
        "source_id",
        ("record_no", "record_no", "Number of the record or line; 0 if its position is not known. Unit: none. Source: raw.quarantine.record_no."),
        ("path", "path", "Name under which the file arrived. Unit: none. Source: raw.ledger.path."),
        ("file_offset", "file_offset", "Where it begins in the unpacked file. Unit: bytes. Source: raw.quarantine.file_offset."),
        ("record_type", "record_type", "SMF record type. Unit: none. Source: SM115RTY or SM116RTY."),
        ("record_subtype", "record_subtype", "Subtype of the SMF record. Unit: none. Source: SM115STF or SM116STF."),
        ("reason", "reason", "Why it was set aside. Unit: none. Source: raw.quarantine.reason."),
    )),
    View("smf__record", "smf_record", "One row per SMF record of every load.", (
        "source_id", "record_no",
        ("length", "record_bytes", "Length of the record with its descriptor word, and with its segments combined. Unit: bytes. Source: the loader."),
        ("record_type", "record_type", "SMF record type. Unit: none. Source: the SMF header."),
        ("record_subtype", "record_subtype", "SMF record subtype. Unit: none. Source: the SMF header."),
        ("system_id", "system_id", "System (LPAR) that wrote the record. Unit: none. Source: the SMF header."),
        ("subsystem_id", "subsystem_id", "Subsystem that wrote the record: a queue manager, for example. Unit: none. Source: the SMF header."),
        ("smf_time", "smf_time_local", "When the record was moved to the SMF buffer, in the local time of the system. Unit: timestamp, local. Source: the SMF header."),
        ("content_hash", "content_hash", "Hash of the record's content, the same in every copy; NULL for loads of earlier releases. Unit: none. Source: the loader."),
    )),
)
