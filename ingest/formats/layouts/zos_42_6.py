"""SMF 42 subtype 6: I/O of the data sets of a job, when they are closed or an interval ends.

The time fields whose names do not end in "1u" are in units of 128 us: the manual says so for the
access method's delays, and for the same fields of the other subtypes of this record. The newest
time fields have no unit in the manual and stay numbers. Source: MVS System Management Facilities
(z/OS 3.2), record type 42 subtype 6.
"""

from __future__ import annotations

from types import MappingProxyType

from ingest.formats.binary.layout import Field, Layout

__all__ = [
    "SMF42_6_DATA_ACCESS_METHOD_STATISTICS",
    "SMF42_6_DATA_SET_HEADER",
    "SMF42_6_DATA_SET_IO_STATISTICS",
    "SMF42_6_HEADER",
    "SMF42_6_JOB_HEADER",
]

_SOURCE = "MVS System Management Facilities (z/OS 3.2), record type 42 subtype 6"
_OCCASIONS = MappingProxyType({0: "Close", 1: "Interval"})
_ORGANISATIONS = MappingProxyType(
    {
        0: "Other",
        1: "PS",
        2: "PDS",
        3: "PDSE",
        4: "Direct",
        5: "ISAM",
        6: "EXCP",
        7: "PS, extended format",
        10: "HFS",
        16: "KSDS, data",
        17: "KSDS, index",
        18: "VRRDS, data",
        19: "VRRDS, index",
        20: "RRDS",
        21: "Linear",
        22: "ESDS",
    }
)
_BUFFERING = MappingProxyType({0: "NSR", 1: "RLS", 2: "LSR", 3: "GSR"})
_COMPRESSIONS = MappingProxyType({0: "None", 1: "Generic", 2: "Tailored", 3: "zEDC"})

# fmt: off
SMF42_6_HEADER = Layout(
    table="smf42_6_header",
    title="SMF 42 header, subtype 6",
    source=_SOURCE,
    length=28,
    fields=(
        Field("smf42rcl",  0, 2, "unsigned", "record length", unit="bytes"),
        Field("smf42sgd",  2, 2, "unsigned", "segment descriptor"),
        Field("smf42flg",  4, 1, "unsigned", "system indicator flags"),
        Field("smf42rty",  5, 1, "unsigned", "record type, 42"),
        Field("smf42tme",  6, 4, "time",     "when SMF took the record, local time of day"),
        Field("smf42dte", 10, 4, "date",     "when SMF took the record, local date"),
        Field("smf42sid", 14, 4, "text",     "z/OS system"),
        Field("smf42ssi", 18, 4, "text",     "subsystem"),
        Field("smf42sty", 22, 2, "unsigned", "record subtype"),
        Field("smf42nt",  24, 2, "unsigned", "pointers in the record; may be 0", unit="pointers"),
    ),
)

SMF42_6_JOB_HEADER = Layout(
    table="smf42_6_job_header",
    title="Job",
    source=_SOURCE,
    length=72,
    fields=(
        Field("s42jdjnm",  0, 8, "text",     "job"),
        Field("s42jdrst",  8, 4, "time",     "when the reader saw the JOB card, local time of day"),
        Field("s42jdrsd", 12, 4, "date",     "when the reader saw the JOB card, local date"),
        Field("s42jduid", 16, 8, "text",     "user id field of the exits' common area"),
        Field("s42jddso", 24, 4, "unsigned", "offset of the first data set header", unit="bytes"),
        Field("s42jddsl", 28, 2, "unsigned", "length of a data set header", unit="bytes"),
        Field("s42jdcod", 30, 1, "unsigned", "why the record was written", codes=_OCCASIONS),
        Field("s42jdver", 31, 1, "unsigned", "version of the section"),
        Field("s42jdpgn", 32, 2, "unsigned", "performance group"),
        Field("s42jdiol", 34, 2, "unsigned", "length of an I/O statistics section", unit="bytes"),
        Field("s42jdaml", 36, 2, "unsigned", "length of an access method statistics section", unit="bytes"),
        Field("s42jdst1", 38, 1, "unsigned", "number of the step in the job"),
        Field("s42jdgmo", 40, 4, "signed",   "difference of local time to GMT", unit="1.048576 s"),
        Field("s42jdwsc", 44, 8, "text",     "service class"),
        Field("s42jdwld", 52, 8, "text",     "workload"),
        Field("s42jdstn", 64, 8, "text",     "step"),
    ),
)

SMF42_6_DATA_SET_HEADER = Layout(
    table="smf42_6_data_set_header",
    title="Data set",
    source=_SOURCE,
    length=120,
    fields=(
        Field("s42dsnxt",   0,  4, "unsigned", "offset of the next data set header; 0 in the last", unit="bytes"),
        Field("s42dsn",     4, 44, "text",     "data set"),
        Field("s42dstyp",  48,  1, "unsigned", "organisation of the data set", codes=_ORGANISATIONS),
        Field("s42first",  49,  1, "bit",      "first entry for the data set since it was opened", bit=0),
        Field("s42dsgsr",  50,  1, "bits",     "buffering of a VSAM data set", bit=0, width=2, codes=_BUFFERING),
        Field("s42dsexc",  50,  1, "bit",      "opened for EXCP", bit=3),
        Field("s42dsfxd",  50,  1, "bit",      "not VSAM, with records of fixed length", bit=4),
        Field("s42dspl",   50,  1, "bit",      "program library", bit=5),
        Field("s42dsef",   50,  1, "bit",      "extended format", bit=6),
        Field("s42dsefc",  50,  1, "bit",      "compressed format", bit=7),
        Field("s42dsioo",  52,  4, "unsigned", "offset of the I/O statistics section", unit="bytes"),
        Field("s42dsamo",  56,  4, "unsigned", "offset of the access method statistics section", unit="bytes"),
        Field("s42dsvol",  60,  6, "text",     "volume"),
        Field("s42dsdev",  66,  2, "unsigned", "device number"),
        Field("s42dssc",   68,  8, "text",     "storage class"),
        Field("s42dsbsz",  76,  4, "unsigned", "block size; for a concatenation, that of the first data set", unit="bytes"),
        Field("s42dstrp",  80,  2, "unsigned", "stripes", unit="stripes"),
        Field("s42dsent",  82,  2, "unsigned", "kind of encryption; X'0100' is AES-256"),
        Field("s42dscmt",  84,  1, "unsigned", "kind of compression", codes=_COMPRESSIONS),
        Field("s42dssno",  88,  4, "unsigned", "offset of synchronous I/O section 1, whose layout is unknown", unit="bytes"),
        Field("s42dssnl",  92,  2, "unsigned", "length of synchronous I/O section 1", unit="bytes"),
        Field("s42dss2o",  96,  4, "unsigned", "offset of synchronous I/O section 2", unit="bytes"),
        Field("s42dss2l", 100,  2, "unsigned", "length of synchronous I/O section 2", unit="bytes"),
        Field("s42ds2dl", 102,  1, "bit",      "counts of dual logging in section 2 are valid", bit=0),
        Field("s42ds2mv", 102,  1, "bit",      "count of multivolume data sets in section 2 is valid", bit=1),
        Field("s42dss3o", 104,  4, "unsigned", "offset of synchronous I/O section 3", unit="bytes"),
        Field("s42dss3l", 108,  2, "unsigned", "length of synchronous I/O section 3", unit="bytes"),
        Field("s42dss4o", 112,  4, "unsigned", "offset of the first synchronous I/O section 4", unit="bytes"),
        Field("s42dss4l", 116,  2, "unsigned", "length of synchronous I/O section 4", unit="bytes"),
        Field("s42dss4n", 118,  2, "unsigned", "synchronous I/O sections 4", unit="sections"),
    ),
)

SMF42_6_DATA_SET_IO_STATISTICS = Layout(
    table="smf42_6_data_set_io_statistics",
    title="I/O of a data set",
    source=_SOURCE,
    length=152,
    fields=(
        Field("s42dsior",   0, 4, "ticks",    "average response time", tick_us=128),
        Field("s42dsioc",   4, 4, "ticks",    "average connect time", tick_us=128),
        Field("s42dsiop",   8, 4, "ticks",    "average pending time", tick_us=128),
        Field("s42dsiod",  12, 4, "ticks",    "average disconnect time", tick_us=128),
        Field("s42dsioq",  16, 4, "ticks",    "average control unit queue time", tick_us=128),
        Field("s42dsion",  20, 4, "unsigned", "I/O operations", unit="operations"),
        Field("s42dscnd",  24, 4, "unsigned", "cache candidates", unit="operations"),
        Field("s42dsshts",  28, 4, "unsigned", "cache hits", unit="operations"),
        Field("s42dswcn",  32, 4, "unsigned", "write candidates", unit="operations"),
        Field("s42dswhi",  36, 4, "unsigned", "write hits", unit="operations"),
        Field("s42dsseq",  40, 4, "unsigned", "sequential I/O operations; not among the candidates", unit="operations"),
        Field("s42dsrlc",  44, 4, "unsigned", "I/O operations with record level cache", unit="operations"),
        Field("s42dsicl",  48, 4, "unsigned", "I/O operations with cache loading inhibited", unit="operations"),
        Field("s42dsda0",  52, 4, "ticks",    "average time with only the device active", tick_us=128),
        Field("s42dsmxr",  56, 4, "ticks",    "longest response time", tick_us=128),
        Field("s42dsmxs",  60, 4, "ticks",    "service time of the I/O with the longest response time", tick_us=128),
        Field("s42dsrdd",  64, 4, "ticks",    "average disconnect time of reads", tick_us=128),
        Field("s42dsrdt",  68, 4, "unsigned", "reads", unit="operations"),
        Field("s42dshrd",  72, 4, "unsigned", "zHPF reads, without synchronous I/O", unit="operations"),
        Field("s42dshwr",  76, 4, "unsigned", "zHPF writes, without synchronous I/O", unit="operations"),
        Field("s42dsr1u",  80, 4, "ticks",    "average response time"),
        Field("s42dsc1u",  84, 4, "ticks",    "average connect time"),
        Field("s42dsp1u",  88, 4, "ticks",    "average pending time"),
        Field("s42dsd1u",  92, 4, "ticks",    "average disconnect time"),
        Field("s42dsq1u",  96, 4, "ticks",    "average control unit queue time"),
        Field("s42dsa1u", 100, 4, "ticks",    "average time with only the device active"),
        Field("s42dst1u", 104, 4, "ticks",    "average disconnect time of reads"),
        Field("s42dsb1u", 108, 4, "ticks",    "average device busy time"),
        Field("s42dsm1u", 112, 4, "ticks",    "average initial command response time"),
        Field("s42dsios", 116, 4, "unsigned", "zHyperWrite requests to a Metro Mirror secondary", unit="requests"),
        Field("s42dscnt", 120, 4, "unsigned", "zHPF consistent reads from a secondary, without synchronous I/O", unit="operations"),
        Field("s42dsrru", 124, 4, "unsigned", "average response time of random reads that hit the cache; unit not documented"),
        Field("s42dsrsu", 128, 4, "unsigned", "average service time of random reads that hit the cache; unit not documented"),
        Field("s42snavgardelay", 132, 4, "unsigned", "average delay until the application resumed; unit not documented"),
        Field("s42snardelaycount", 136, 4, "unsigned", "delays until the application resumed", unit="delays"),
        Field("s42dsmxi", 140, 2, "unsigned", "subsystem id of the device with the longest response time"),
        Field("s42dscrp", 144, 8, "ticks",    "average response time of zHPF consistent reads from a secondary"),
    ),
)

SMF42_6_DATA_ACCESS_METHOD_STATISTICS = Layout(
    table="smf42_6_data_access_method_statistics",
    title="Access method of a data set",
    source=_SOURCE,
    length=88,
    fields=(
        Field("s42amsrb",  0, 4, "unsigned", "blocks read sequentially", unit="blocks"),
        Field("s42amsrr",  4, 4, "ticks",    "delay of sequential reads", tick_us=128),
        Field("s42amswb",  8, 4, "unsigned", "blocks written sequentially", unit="blocks"),
        Field("s42amswr", 12, 4, "ticks",    "delay of sequential writes", tick_us=128),
        Field("s42amdrb", 16, 4, "unsigned", "blocks read directly", unit="blocks"),
        Field("s42amdrr", 20, 4, "ticks",    "delay of direct reads, total", tick_us=128),
        Field("s42amdwb", 24, 4, "unsigned", "blocks written directly", unit="blocks"),
        Field("s42amdwr", 28, 4, "ticks",    "delay of direct writes, total", tick_us=128),
        Field("s42amzrb", 32, 4, "unsigned", "directory reads; not in use, 0", unit="reads"),
        Field("s42amzrr", 36, 4, "ticks",    "delay of directory reads", tick_us=128),
        Field("s42amzwb", 40, 4, "unsigned", "directory writes; not in use, 0", unit="writes"),
        Field("s42amzwr", 44, 4, "ticks",    "delay of directory writes", tick_us=128),
        Field("s42amrib", 48, 8, "unsigned", "data read", unit="bytes"),
        Field("s42amwib", 56, 8, "unsigned", "data written", unit="bytes"),
        Field("s42amrbd", 64, 8, "unsigned", "decrypted on reading; for an unencrypted data set, what could be", unit="bytes"),
        Field("s42amwbe", 72, 8, "unsigned", "encrypted on writing; for an unencrypted data set, what could be", unit="bytes"),
        Field("s42amrci", 80, 4, "unsigned", "control intervals read; blocks if not VSAM", unit="control intervals"),
        Field("s42amwci", 84, 4, "unsigned", "control intervals written; blocks if not VSAM", unit="control intervals"),
    ),
)
# fmt: on
