"""SMF 113, hardware counters per processor: 1 increases, 2 values since the collection began.

In subtype 1 each counter set points to its own counters; in subtype 2 the data section points to
the counters of all sets. Inferred, not documented: they are in the order of the sets, as many of
each as the set says, and the first one of a set has the lowest counter number of that set. Source:
IBM z/OS 3.1 Data Gatherer, SMF record type 113.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import Inside, Located, RecordLayout

__all__ = ["SMF113_RECORDS"]

_SOURCE = "IBM z/OS 3.1 Data Gatherer, SMF record type 113"
_PROCESSORS = MappingProxyType({0: "CP", 2: "zAAP or zCBP", 4: "zIIP"})
_SETS = MappingProxyType(
    {1: "Basic", 2: "Problem state", 3: "Crypto", 4: "Extended", 5: "z/OS", 6: "MT diagnostic"}
)

# fmt: off
SMF113_1_HEADER = Layout(
    table="smf113_1_header",
    title="SMF 113 header, subtype 1",
    source=_SOURCE,
    length=28,
    fields=(
        Field("smf113len",  0, 2, "unsigned", "record length", unit="bytes"),
        Field("smf113seg",  2, 2, "unsigned", "segment descriptor"),
        Field("smf113ssf",  4, 1, "bit",      "a subsystem id follows the system id", bit=0),
        Field("smf113sbt",  4, 1, "bit",      "the record has a subtype", bit=1),
        Field("smf113rty",  5, 1, "unsigned", "record type, 113"),
        Field("smf113tme",  6, 4, "time",     "when SMF took the record, local time of day"),
        Field("smf113dte", 10, 4, "date",     "when SMF took the record, local date"),
        Field("smf113sid", 14, 4, "text",     "z/OS system"),
        Field("smf113wid", 18, 4, "text",     "subsystem"),
        Field("smf113sty", 22, 2, "signed",   "record subtype: 1 increases of counters, 2 their values"),
        Field("smf113sdl", 26, 2, "signed",   "length of the self-defining section", unit="bytes"),
    ),
)

SMF113_1_SUBSYSTEM = Layout(
    table="smf113_1_subsystem",
    title="Subsystem",
    source=_SOURCE,
    length=20,
    fields=(
        Field("smf113rvn",  2, 2, "text", "version of the record's format"),
        Field("smf113pnm",  4, 8, "text", "product, HIS"),
        Field("smf113osl", 12, 8, "text", "level of z/OS"),
    ),
)

SMF113_1_IDENTIFICATION = Layout(
    table="smf113_1_identification",
    title="Job and interval",
    source=_SOURCE,
    length=40,
    fields=(
        Field("smf113jbn",            0, 8, "text", "job"),
        Field("smf113rst",            8, 4, "time", "when the reader saw the JOB card, local time of day"),
        Field("smf113rsd",           12, 4, "date", "when the reader saw the JOB card, local date"),
        Field("smf113stp",           16, 8, "text", "step"),
        Field("smf113intervalstart", 24, 8, "stck", "start of the interval, UTC"),
        Field("smf113intervalend",   32, 8, "stck", "end of the interval, UTC"),
    ),
)

SMF113_1_DATA = Layout(
    table="smf113_1_data",
    title="Processor and its counters",
    source=_SOURCE,
    length=78,
    fields=(
        Field("smf113_1_cts",           0,  8, "stck",     "when the collection began, UTC"),
        Field("smf113_1_ctm",           8,  8, "stck",     "when the record was written, UTC"),
        Field("smf113_1_cpuid",        16,  2, "unsigned", "processor; 0 is one too"),
        Field("smf113_1_cpuprocclass", 18,  1, "unsigned", "kind of the processor", codes=_PROCESSORS),
        Field("smf113_1_cpuspeed",     20,  4, "unsigned", "speed of the processor", unit="cycles per us"),
        Field("smf113_1_machtype",     24,  4, "text",     "machine type"),
        Field("smf113_1_machmodel",    28, 16, "text",     "machine model"),
        Field("smf113_1_ctrversion0",  44,  2, "unsigned", "version of the z/OS counter set"),
        Field("smf113_1_ctrversion1",  46,  2, "unsigned", "version of the basic and the problem-state set"),
        Field("smf113_1_ctrversion2",  48,  2, "unsigned", "version of the crypto, the extended and the MT-diagnostic set"),
        Field("smf113_1_lostctrdata",  50,  2, "bit",      "the machine lost counter data in the interval", bit=0),
        Field("smf113_1_lostdata",     50,  2, "bit",      "data were lost; which data is not documented", bit=1),
        Field("smf113_1_lostmtdata",   50,  2, "bit",      "the machine lost MT counter data in the interval", bit=2),
        Field("smf113_1_zcbp",         50,  2, "bit",      "kind 2 of processor is zCBP, otherwise zAAP", bit=3),
        Field("smf113_1_csof",         52,  4, "unsigned", "offset of the counter sets, from the start of the record", unit="bytes"),
        Field("smf113_1_csln",         56,  2, "unsigned", "length of a counter set section", unit="bytes"),
        Field("smf113_1_cson",         58,  2, "unsigned", "counter sets", unit="sets"),
        Field("smf113_1_machseqcode",  60, 16, "text",     "serial number of the machine"),
        Field("smf113_1_coreid",       76,  2, "unsigned", "core; 0 is one too"),
    ),
)

SMF113_1_COUNTER_SET = Layout(
    table="smf113_1_counter_set",
    title="Counter set",
    source=_SOURCE,
    length=12,
    fields=(
        Field("smf113_1_cstype",     0, 2, "unsigned", "kind of the set", codes=_SETS),
        Field("smf113_1_csuselcds",  2, 2, "bit",      "counters of 8 bytes, otherwise of 4", bit=0),
        Field("smf113_1_cdof",       4, 4, "unsigned", "offset of the counters, from the start of the record", unit="bytes"),
        Field("smf113_1_cdln",       8, 2, "unsigned", "length of a counter", unit="bytes"),
        Field("smf113_1_cdon",      10, 2, "unsigned", "counters in the set", unit="counters"),
    ),
)

SMF113_1_SHORT_COUNTER_DATA = Layout(
    table="smf113_1_short_counter_data",
    title="Counter of 4 bytes",
    source=_SOURCE,
    length=4,
    fields=(
        Field("smf113_1_scr", 0, 4, "unsigned", "increase of the counter since the previous record, or since the start of the collection", unit="events"),
    ),
)

SMF113_1_LONG_COUNTER_DATA = Layout(
    table="smf113_1_long_counter_data",
    title="Counter of 8 bytes",
    source=_SOURCE,
    length=8,
    fields=(
        Field("smf113_1_lcr", 0, 8, "unsigned", "increase of the counter since the previous record, or since the start of the collection", unit="events"),
    ),
)
# fmt: on

SMF113_2_HEADER = replace(
    SMF113_1_HEADER, table="smf113_2_header", title="SMF 113 header, subtype 2"
)
SMF113_2_SUBSYSTEM = replace(SMF113_1_SUBSYSTEM, table="smf113_2_subsystem")
SMF113_2_IDENTIFICATION = replace(SMF113_1_IDENTIFICATION, table="smf113_2_identification")

# fmt: off
SMF113_2_DATA = Layout(
    table="smf113_2_data",
    title="Processor and its counters",
    source=_SOURCE,
    length=84,
    fields=(
        Field("smf113_2_cts",           0,  8, "stck",     "when the collection began, UTC"),
        Field("smf113_2_ctm",           8,  8, "stck",     "when the record was written, UTC"),
        Field("smf113_2_cpuprocclass", 17,  1, "unsigned", "kind of the processor", codes=_PROCESSORS),
        Field("smf113_2_cff",          18,  2, "bit",      "first record of the collection: values at its start", bit=0),
        Field("smf113_2_cfm",          18,  2, "bit",      "record of an interval, with values so far", bit=1),
        Field("smf113_2_cfl",          18,  2, "bit",      "last record of the collection: values at its end", bit=2),
        Field("smf113_2_cfns",         18,  2, "bit",      "the machine is not a standard one", bit=3),
        Field("smf113_2_lostdata",     18,  2, "bit",      "the machine lost counter data in the interval", bit=4),
        Field("smf113_2_zcbp",         18,  2, "bit",      "kind 2 of processor is zCBP, otherwise zAAP", bit=5),
        Field("smf113_2_ctrvn1",       20,  2, "unsigned", "version of the basic and the problem-state set"),
        Field("smf113_2_ctrvn2",       22,  2, "unsigned", "version of the crypto and the extended set"),
        Field("smf113_2_csof",         24,  4, "unsigned", "offset of the counter sets, from the start of the record", unit="bytes"),
        Field("smf113_2_csln",         28,  2, "unsigned", "length of a counter set section", unit="bytes"),
        Field("smf113_2_cson",         30,  2, "unsigned", "counter sets", unit="sets"),
        Field("smf113_2_cdof",         32,  4, "unsigned", "offset of the counters, from the start of the record", unit="bytes"),
        Field("smf113_2_cdln",         36,  2, "unsigned", "length of a counter", unit="bytes"),
        Field("smf113_2_cdon",         38,  2, "unsigned", "counters of all sets", unit="counters"),
        Field("smf113_2_cpsp",         40,  4, "unsigned", "speed of the processor", unit="cycles per us"),
        Field("smf113_2_machtype",     44,  4, "text",     "machine type"),
        Field("smf113_2_machmodel",    48, 16, "text",     "machine model"),
        Field("smf113_2_cpuid",        64,  2, "unsigned", "processor; 0 is one too"),
        Field("smf113_2_machseqcode",  68, 16, "text",     "serial number of the machine"),
    ),
)

SMF113_2_COUNTER_SET = Layout(
    table="smf113_2_counter_set",
    title="Counter set",
    source=_SOURCE,
    length=4,
    fields=(
        Field("smf113_2_cst", 0, 1, "unsigned", "kind of the set", codes=_SETS),
        Field("smf113_2_csn", 2, 2, "signed",   "counters in the set", unit="counters"),
    ),
)
# fmt: on

SMF113_2_COUNTERS = Layout(
    table="smf113_2_counters",
    title="Counter",
    source=_SOURCE,
    length=8,
    fields=(Field("smf113_2_cr", 0, 8, "unsigned", "value of the counter", unit="events"),),
)


_POINTERS = (28, 36, 44)

SMF113_RECORDS = (
    RecordLayout(
        113,
        1,
        SMF113_1_HEADER,
        _POINTERS,
        (
            Located(SMF113_1_SUBSYSTEM, 0),
            Located(SMF113_1_IDENTIFICATION, 1),
            Located(SMF113_1_DATA, 2),
            Located(
                SMF113_1_COUNTER_SET,
                Inside(SMF113_1_DATA, "smf113_1_csof", "smf113_1_csln", "smf113_1_cson"),
            ),
            Located(
                SMF113_1_SHORT_COUNTER_DATA,
                Inside(SMF113_1_COUNTER_SET, "smf113_1_cdof", "smf113_1_cdln", "smf113_1_cdon"),
                only_length=4,
            ),
            Located(
                SMF113_1_LONG_COUNTER_DATA,
                Inside(SMF113_1_COUNTER_SET, "smf113_1_cdof", "smf113_1_cdln", "smf113_1_cdon"),
                only_length=8,
            ),
        ),
        title="Hardware counters, their increase",
    ),
    RecordLayout(
        113,
        2,
        SMF113_2_HEADER,
        _POINTERS,
        (
            Located(SMF113_2_SUBSYSTEM, 0),
            Located(SMF113_2_IDENTIFICATION, 1),
            Located(SMF113_2_DATA, 2),
            Located(
                SMF113_2_COUNTER_SET,
                Inside(SMF113_2_DATA, "smf113_2_csof", "smf113_2_csln", "smf113_2_cson"),
            ),
            Located(
                SMF113_2_COUNTERS,
                Inside(SMF113_2_DATA, "smf113_2_cdof", "smf113_2_cdln", "smf113_2_cdon"),
            ),
        ),
        title="Hardware counters, as they stand",
    ),
)
