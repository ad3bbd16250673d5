"""SMF 30: I/O of the address space, of each DD statement, and of the compression adapter.

The EXCP sections of a job with many DD statements continue in continuation records, which have only
the identification section and EXCP sections; smf30_header.smf30eos counts those that follow.
Source: IBM z/OS 3.1 Data Gatherer, SMF record type 30; unit of smf30tcn: MVS System Management
Facilities (z/OS 2.1), "I/O Activity Section"; that of smf30dct is assumed to be the same.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

__all__ = ["SMF30_EXCP", "SMF30_IO_ACTIVITY", "SMF30_ZEDC_USAGE"]

_SOURCE = "IBM z/OS 3.1 Data Gatherer, SMF record type 30"

# fmt: off
SMF30_IO_ACTIVITY = Layout(
    table="smf30_io_activity",
    title="I/O of the address space",
    source=_SOURCE,
    length=76,
    fields=(
        Field("smf30inp",  0, 4, "signed",   "card images read for the job by the reader", unit="records"),
        Field("smf30tep",  4, 4, "unsigned", "blocks transferred (EXCP counts); invalid with smf30tef on: use smf30tex", unit="blocks"),
        Field("smf30tpt",  8, 4, "signed",   "writes to the terminal (TPUT)", unit="calls"),
        Field("smf30tgt", 12, 4, "signed",   "reads from the terminal (TGET)", unit="calls"),
        Field("smf30rdr", 16, 1, "unsigned", "device class of the reader"),
        Field("smf30rdt", 17, 1, "unsigned", "device type of the reader"),
        Field("smf30tcn", 18, 4, "ticks",    "device connect time of the address space", tick_us=128),
        Field("smf30mfl", 22, 4, "bit",      "connect time may be wrong", bit=0),
        Field("smf30iin", 22, 4, "bit",      "the times and counts of DASD I/O (smf30aic to smf30eis) are incomplete", bit=1),
        Field("smf30tef", 22, 4, "bit",      "smf30tep is invalid", bit=2),
        Field("smf30trr", 28, 4, "signed",   "rereads of data-in-virtual objects", unit="rereads"),
        Field("smf30aic", 32, 4, "ticks",    "DASD connect time, address space with its dependent enclaves", tick_us=128),
        Field("smf30aid", 36, 4, "ticks",    "DASD disconnect time, address space with its dependent enclaves", tick_us=128),
        Field("smf30aiw", 40, 4, "ticks",    "DASD pending and control unit queue time, address space with its dependent enclaves", tick_us=128),
        Field("smf30ais", 44, 4, "unsigned", "DASD start subchannels, address space with its dependent enclaves", unit="operations"),
        Field("smf30eic", 48, 4, "ticks",    "DASD connect time of independent enclaves", tick_us=128),
        Field("smf30eid", 52, 4, "ticks",    "DASD disconnect time of independent enclaves", tick_us=128),
        Field("smf30eiw", 56, 4, "ticks",    "DASD pending and control unit queue time of independent enclaves", tick_us=128),
        Field("smf30eis", 60, 4, "unsigned", "DASD start subchannels of independent enclaves", unit="operations"),
        Field("smf30tex", 64, 8, "unsigned", "blocks transferred (EXCP counts)", unit="blocks"),
        Field("smf30das", 72, 4, "unsigned", "DD statements not counted in any EXCP section", unit="statements"),
    ),
)

SMF30_EXCP = Layout(
    table="smf30_excp",
    title="I/O by DD statement and device",
    source=_SOURCE,
    length=30,
    fields=(
        Field("smf30dev",  0, 1, "unsigned", "device class"),
        Field("smf30utp",  1, 1, "unsigned", "unit type"),
        Field("smf30cua",  2, 2, "unsigned", "device number"),
        Field("smf30ddn",  4, 8, "text",     "DD name"),
        Field("smf30blk", 12, 4, "signed",   "blocks transferred (EXCP count)", unit="blocks"),
        Field("smf30bsz", 16, 2, "unsigned", "largest block size; bit 0 on: it changed; 0 if it is in smf30xbs", unit="bytes"),
        Field("smf30dct", 18, 4, "ticks",    "device connect time", tick_us=128),
        Field("smf30xbs", 22, 8, "unsigned", "block size of more than 32 KB", unit="bytes"),
    ),
)

SMF30_ZEDC_USAGE = Layout(
    table="smf30_zedc_usage",
    title="Use of the compression adapter (zEDC)",
    source=_SOURCE,
    length=64,
    fields=(
        Field("smf30_us_comprreq",        0, 8, "unsigned", "requests to compress or decompress", unit="requests"),
        Field("smf30_us_comprreq_prob",   8, 8, "unsigned", "requests to compress or decompress in problem state", unit="requests"),
        Field("smf30_us_queuetime",      16, 8, "ticks",    "time from submission to the adapter's start"),
        Field("smf30_us_exectime",       24, 8, "ticks",    "time of execution"),
        Field("smf30_us_def_uncomprin",  32, 8, "unsigned", "data given to be compressed", unit="bytes"),
        Field("smf30_us_def_comprout",   40, 8, "unsigned", "output of compression", unit="bytes"),
        Field("smf30_us_inf_comprin",    48, 8, "unsigned", "data given to be decompressed", unit="bytes"),
        Field("smf30_us_inf_decomprout", 56, 8, "unsigned", "output of decompression", unit="bytes"),
    ),
)
# fmt: on
