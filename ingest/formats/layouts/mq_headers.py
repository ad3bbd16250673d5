"""Headers of MQ's records: the SMF header, and the blocks of the product section.

The product section is a chain of blocks, each with its length and type: QWHS, in SMF 116 QWHC, and
from MQ 10.0 on QWHX. The queue manager writes QWHSDURN in microseconds, the channel initiator in
units of the TOD clock, so there are two layouts of QWHS for each table. A QWHS followed by QWHC
ends before the interval's fields. SMF 115 subtypes 5 to 7 have no QWHS. QWHC is filled in only in
subtype 0. In subtype 1 of MQ 8.0 the four flag bytes of QWHS are not initialised: before version
946, qwhssmfc and qwhsqwhx are meaningless there.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts.mq_codes import CONNECTION_TYPES

__all__ = [
    "QWAS",
    "QWHC",
    "QWHS",
    "QWHS_116",
    "QWHS_116_CHIN",
    "QWHS_CHIN",
    "QWHX",
    "QWHX_116",
    "QWST",
]

# fmt: off
QWST = Layout(
    table="smf115_header",
    title="SMF 115 header",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwst",
    length=28,
    fields=(
        Field("sm115len",  0, 2, "unsigned", "record length", unit="bytes"),
        Field("sm115sgd",  2, 2, "unsigned", "segment descriptor"),
        Field("sm115flg",  4, 1, "unsigned", "system indicator flags"),
        Field("sm115rty",  5, 1, "unsigned", "record type, 115"),
        Field("sm115tme",  6, 4, "time",     "when SMF took the record, local time of day"),
        Field("sm115dte", 10, 4, "date",     "when SMF took the record, local date"),
        Field("sm115sid", 14, 4, "text",     "system (LPAR) that wrote the record"),
        Field("sm115ssi", 18, 4, "text",     "queue manager, the subsystem that wrote the record"),
        Field("sm115stf", 22, 2, "unsigned", "subtype of the SMF record"),
        Field("sm115rel", 24, 3, "text",     "version, release and modification in the SMF header; its three digits do not go beyond 9.4.5"),
    ),
)

QWAS = Layout(
    table="smf116_header",
    title="SMF 116 header",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwas",
    length=28,
    fields=(
        Field("sm116len",  0, 2, "unsigned", "record length", unit="bytes"),
        Field("sm116sgd",  2, 2, "unsigned", "segment descriptor"),
        Field("sm116flg",  4, 1, "unsigned", "system indicator flags"),
        Field("sm116rty",  5, 1, "unsigned", "record type, 116"),
        Field("sm116tme",  6, 4, "time",     "when SMF took the record, local time of day"),
        Field("sm116dte", 10, 4, "date",     "when SMF took the record, local date"),
        Field("sm116sid", 14, 4, "text",     "system (LPAR) that wrote the record"),
        Field("sm116ssi", 18, 4, "text",     "queue manager, the subsystem that wrote the record"),
        Field("sm116stf", 22, 2, "unsigned", "subtype of the SMF record"),
        Field("sm116rel", 24, 3, "text",     "version, release and modification in the SMF header; its three digits do not go beyond 9.4.5"),
    ),
)

_QWHS = (
    Field("qwhslen",    0, 2, "unsigned", "length of this block", unit="bytes"),
    Field("qwhstyp",    2, 1, "unsigned", "type of this block in the product section, 1"),
    Field("qwhsrmid",   3, 1, "unsigned", "resource manager that created the record"),
    Field("qwhsiid",    4, 2, "unsigned", "instrumentation facility component identifier (IFCID)"),
    Field("qwhsnsda",   6, 1, "unsigned", "self-defining sections in the record"),
    Field("qwhsrn",     7, 1, "bytes",    "release of the record's format"),
    Field("qwhsace",    8, 4, "unsigned", "address of the agent control element that the record was made under"),
    Field("qwhsssid",  12, 4, "text",     "subsystem name"),
    Field("qwhsstck",  16, 8, "stck",     "when the record was made, UTC; an interval's end"),
    Field("qwhsiseq",  24, 4, "unsigned", "sequence number of the interval or event within the IFCID"),
    Field("qwhswseq",  28, 4, "unsigned", "sequence number of the record within its destination"),
    Field("qwhssmfc",  32, 1, "bit",      "the interval continues in another record", bit=0),
    Field("qwhsqwhx",  32, 1, "bit",      "a QWHX block follows; valid from version 946 on", bit=1),
    Field("qwhsflag2", 33, 1, "unsigned", "flags"),
    Field("qwhsflag3", 34, 1, "unsigned", "flags"),
    Field("qwhsflag4", 35, 1, "unsigned", "flags"),
    Field("qwhstime",  36, 8, "stck",     "start of the statistics interval, in the local time of the system"),
)
# fmt: on
_INTERVAL_US = Field("qwhsdurn", 44, 8, "ticks", "length of the statistics interval")
_INTERVAL_TOD = Field("qwhsdurn", 44, 8, "tod", "length of the statistics interval")

QWHS = Layout(
    table="smf115_qwhs",
    title="Product section, queue manager",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwhs",
    length=52,
    min_length=36,
    fields=(*_QWHS, _INTERVAL_US),
)

QWHS_CHIN = Layout(
    table="smf115_qwhs",
    title="Product section, channel initiator",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwhs",
    length=52,
    min_length=36,
    fields=(*_QWHS, _INTERVAL_TOD),
)

QWHS_116 = Layout(
    table="smf116_qwhs",
    title="Product section, queue manager",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwhs",
    length=52,
    min_length=36,
    fields=(*_QWHS, _INTERVAL_US),
)

QWHS_116_CHIN = Layout(
    table="smf116_qwhs",
    title="Product section, channel initiator",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwhs",
    length=52,
    min_length=36,
    fields=(*_QWHS, _INTERVAL_TOD),
)

# fmt: off
QWHC = Layout(
    table="smf116_qwhc",
    title="Correlation block",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwhc",
    length=92,
    fields=(
        Field("qwhclen",   0,  2, "unsigned", "length of this block", unit="bytes"),
        Field("qwhctyp",   2,  1, "unsigned", "type of this block in the product section, 2"),
        Field("qwhcaid",   4,  8, "text",     "user that the work is done for"),
        Field("qwhccv",   12, 12, "bytes",    "thread cross-reference; its form depends on qwhcatyp"),
        Field("qwhccn",   24,  8, "text",     "connection name: the job, CICS or IMS region, or channel initiator"),
        Field("qwhcopid", 40,  8, "text",     "user ID of the operator or of the transaction"),
        Field("qwhcatyp", 48,  4, "unsigned", "code of the application type", codes=CONNECTION_TYPES),
        Field("qwhctokn", 52, 22, "bytes",    "z/OS accounting token of the user"),
        Field("qwhcnid",  74, 16, "bytes",    "network id of the unit of work"),
    ),
)

_QWHX = (
    Field("qwhxlen", 0, 2, "unsigned", "length of this block", unit="bytes"),
    Field("qwhxtyp", 2, 1, "unsigned", "type of this block in the product section, 16"),
    Field("qwhxqsg", 4, 4, "text",     "queue-sharing group of the queue manager; empty if it is in none"),
    Field("qwhxrel", 8, 6, "text",     "version, release and modification, of MQ 10.0 and later"),
)
# fmt: on

QWHX = Layout(
    table="smf115_qwhx",
    title="Extension block",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwhx",
    length=16,
    fields=_QWHX,
)

QWHX_116 = Layout(
    table="smf116_qwhx",
    title="Extension block",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qwhx",
    length=16,
    fields=_QWHX,
)
