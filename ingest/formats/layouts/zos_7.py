"""SMF 7, data lost: SMF had no room for records, and counted those that it did not write.

The record has no subtype, and its date and time are the end of the loss. Where more records than
65,535 were lost, their number is in a later field, which is kept raw. Source: MVS System Management
Facilities (z/OS 2.1), record type 7.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import RecordLayout

__all__ = ["SMF7_RECORD"]

# fmt: off
SMF7_HEADER = Layout(
    table="smf7_header",
    title="SMF 7: data lost",
    source="MVS System Management Facilities (z/OS 2.1), record type 7",
    length=29,
    fields=(
        Field("smf7len",  0, 2, "unsigned", "record length", unit="bytes"),
        Field("smf7seg",  2, 2, "unsigned", "segment descriptor"),
        Field("smf7flg",  4, 1, "unsigned", "system indicator flags"),
        Field("smf7rty",  5, 1, "unsigned", "record type, 7"),
        Field("smf7tme",  6, 4, "time",     "when records could be written again, local time of day"),
        Field("smf7dte", 10, 4, "date",     "when records could be written again, local date"),
        Field("smf7sid", 14, 4, "text",     "z/OS system"),
        Field("smf7nro", 18, 2, "unsigned", "records that were lost, up to 65,535; 0 if there were more", unit="records"),
        Field("smf7stm", 20, 4, "time",     "when the loss began, local time of day"),
        Field("smf7std", 24, 4, "date",     "when the loss began, local date"),
        Field("smf7nrf", 28, 1, "bit",      "more than 65,535 records were lost", bit=0),
        Field("smf7lsd", 28, 1, "bit",      "they were lost for a log stream", bit=1),
    ),
)
# fmt: on

SMF7_RECORD = RecordLayout(7, -1, SMF7_HEADER, (), (), title="Data lost")
