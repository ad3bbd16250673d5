"""Dumps of records that a test has made."""

from collections.abc import Sequence

from ingest.formats.binary.framing import Framing
from ingest.formats.binary.write import frame_records


def dump(records: Sequence[bytes]) -> bytes:
    """Return the bytes of a dump with record descriptor words."""
    return b"".join(frame_records(records, Framing.RDW))
