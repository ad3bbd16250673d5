"""Dumps of the simulator, decoded."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import polars as pl

from ingest.formats.binary.framing import detect_framing, read_batches
from ingest.formats.binary.records import decode_batch
from ingest.lake.catalogue import smf_catalogue

Tables = dict[str, pl.DataFrame]
US_1900_TO_1970 = 2_208_988_800_000_000


def content_of(path: Path) -> bytes:
    """Return a file, unpacked."""
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def tables_of(content: bytes) -> Tables:
    """Decode a dump; each table also has its record's subtype and system."""
    framing = detect_framing(content, whole=True)
    assert framing
    pieces: dict[str, list[pl.DataFrame]] = {}
    for batch in read_batches(io.BytesIO(content), framing):
        decoded = decode_batch(batch, smf_catalogue())
        assert not batch.damages
        assert not decoded.rejected
        for table, frame in decoded.tables.items():
            pieces.setdefault(table, []).append(frame)
    tables = {table: pl.concat(some) for table, some in pieces.items()}
    record = tables["smf_record"].select("record_no", "record_type", "record_subtype", "smf_time")
    return {
        t: f if t in {"smf_record", "smf_opaque"} else f.join(record, on="record_no")
        for t, f in tables.items()
    }
