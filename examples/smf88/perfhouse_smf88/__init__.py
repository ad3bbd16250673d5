"""SMF 88 subtype 1, system logger data of log streams, as a plug-in of perfhouse.

Source: MVS System Management Facilities (z/OS 2.1), record type 88: Header/Self-defining Section
and Log Stream Section. The product section is kept raw.
"""

from __future__ import annotations

from pathlib import Path

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import Located, RecordLayout
from ingest.formats.names.view import View
from ingest.formats.plugin import Plugin

__all__ = ["PLUGIN"]

_SOURCE = "MVS System Management Facilities (z/OS 2.1), record type 88"

# fmt: off
SMF88_HEADER = Layout(
    table="smf88_header",
    title="SMF 88 header",
    source=_SOURCE,
    length=28,
    fields=(
        Field("smf88len",  0, 2, "unsigned", "record length", unit="bytes"),
        Field("smf88seg",  2, 2, "unsigned", "segment descriptor"),
        Field("smf88flg",  4, 1, "unsigned", "system indicator flags"),
        Field("smf88rty",  5, 1, "unsigned", "record type, 88"),
        Field("smf88tme",  6, 4, "time",     "when the record was built, local time of day"),
        Field("smf88dte", 10, 4, "date",     "when the record was built, local date"),
        Field("smf88sid", 14, 4, "text",     "z/OS system"),
        Field("smf88wid", 18, 4, "text",     "subsystem"),
        Field("smf88stp", 22, 2, "unsigned", "record subtype"),
        Field("smf88sdl", 24, 4, "unsigned", "length of the self-defining section", unit="bytes"),
    ),
)

SMF88_1_LOG_STREAM = Layout(
    table="smf88_1_log_stream",
    title="Log stream",
    source=f"{_SOURCE}, Log Stream Section",
    length=72,
    fields=(
        Field("smf88lit",  0,  8, "bytes",    "token of the connection to the log stream"),
        Field("smf88lsn",  8, 26, "text",     "log stream"),
        Field("smf88lfl_staging",    34, 1, "bit", "staging data sets were used", bit=1),
        Field("smf88lfl_disconnect", 34, 1, "bit", "written as the log stream disconnected", bit=2),
        Field("smf88ltd", 36,  8, "stck",     "end of the SMF interval, GMT"),
        Field("smf88lwi", 44,  4, "unsigned", "IXGWRITE requests", unit="requests"),
        Field("smf88lib", 48,  4, "unsigned", "least length of a block", unit="bytes"),
        Field("smf88lab", 52,  4, "unsigned", "greatest length of a block", unit="bytes"),
        Field("smf88lwb", 56,  8, "hexfloat", "bytes that applications wrote", unit="bytes"),
        Field("smf88ldb", 64,  8, "hexfloat", "bytes written to DASD", unit="bytes"),
    ),
)
# fmt: on

PLUGIN = Plugin(
    "smf88",
    records=(
        RecordLayout(
            88, 1, SMF88_HEADER, (28, 36), (Located(SMF88_1_LOG_STREAM, 1),), undocumented=(0,)
        ),
    ),
    views=(
        View(
            "smf88__log_stream",
            "smf88_1_log_stream",
            "One row per log stream in an SMF 88 subtype 1 record.",
            (
                "source_id",
                "record_no",
                "section_no",
                ("smf88lsn", "log_stream"),
                ("smf88ltd", "interval_end_utc"),
                ("smf88lwi", "writes"),
                ("smf88lwb", "written_bytes"),
                ("smf88ldb", "dasd_bytes"),
            ),
        ),
    ),
    dbt=Path(__file__).parent / "dbt",
)
