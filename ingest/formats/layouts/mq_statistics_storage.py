"""Statistics of the storage manager: SMF 115 subtypes 1, 5, 6 and 7.

The manual names QSST. For subtypes 5 to 7 it says that part of the data is for IBM's use, and does
not describe the fields. The notes on region sizes follow the local data area of the z/OS virtual
storage manager, whose field names are the same. Block ids, the units of QSPHSTOR and QSRSMEMLIM, and
which fields count latches are as in real records. The ids are two less than those of the C header.
Sizes of 64 bits may have the top bit set, so they are bytes.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

__all__ = ["QSGM", "QSPH", "QSRS", "QSST"]

# fmt: off
QSST = Layout(
    table="smf115_qsst",
    title="Storage manager",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qsst",
    length=72,
    fields=(
        Field("qsstid",    0, 2, "unsigned", "block id"),
        Field("qsstlen",   2, 2, "unsigned", "block length", unit="bytes"),
        Field("qsstdesc",  4, 4, "text",     "eyecatcher"),
        Field("qsstgplf",  8, 4, "unsigned", "fixed storage pools created", unit="requests"),
        Field("qsstfplf", 12, 4, "unsigned", "fixed storage pools deallocated", unit="requests"),
        Field("qsstfref", 16, 4, "unsigned", "segments of fixed pools freed", unit="segments"),
        Field("qsstexpf", 20, 4, "unsigned", "expansions of fixed pools", unit="expansions"),
        Field("qsstconf", 24, 4, "unsigned", "contractions of fixed pools", unit="contractions"),
        Field("qsstgplv", 28, 4, "unsigned", "variable storage pools created", unit="requests"),
        Field("qsstfplv", 32, 4, "unsigned", "variable storage pools deallocated", unit="requests"),
        Field("qsstfrev", 36, 4, "unsigned", "segments of variable pools freed", unit="segments"),
        Field("qsstexpv", 40, 4, "unsigned", "expansions of variable pools", unit="expansions"),
        Field("qsstconv", 44, 4, "unsigned", "contractions of variable pools", unit="contractions"),
        Field("qsstgetm", 48, 4, "unsigned", "GETMAIN requests for storage", unit="requests"),
        Field("qsstfrem", 52, 4, "unsigned", "FREEMAIN requests for storage", unit="requests"),
        Field("qsstrcnz", 56, 4, "unsigned", "storage requests that ended with a non-zero return code", unit="requests"),
        Field("qsstcont", 60, 4, "unsigned", "pool contractions caused by short-on-storage", unit="contractions"),
        Field("qsstcrit", 64, 4, "unsigned", "times that short-on-storage was signalled", unit="times"),
        Field("qsstabnd", 68, 4, "unsigned", "abends caused by short-on-storage", unit="abends"),
    ),
    eyecatcher="QSST",
)

QSPH = Layout(
    table="smf115_qsph",
    title="Storage pool headers",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qsph",
    length=88,
    fields=(
        Field("qsphid",     0,  2, "unsigned", "block id, X'E20E'"),
        Field("qsphll",     2,  2, "unsigned", "block length", unit="bytes"),
        Field("qspheyec",   4,  4, "text",     "eyecatcher"),
        Field("qsphstor",   8,  4, "signed",   "pool size now; below the bar, fixed pools in pages of 4 KB, variable ones in bytes"),
        Field("qsphostor", 12,  4, "signed",   "the same in the previous record"),
        Field("qsphxstor", 16,  4, "signed",   "size of an expansion"),
        Field("qsphbsize", 20,  2, "unsigned", "size of one storage block of the pool"),
        Field("qsphbcnt",  22,  2, "unsigned", "storage blocks in a segment", unit="blocks"),
        Field("qsphcount", 24,  4, "unsigned", "pool headers summed here", unit="pools"),
        Field("qsphdspnm", 28,  8, "text",     "data space, if qsphdspc is set"),
        Field("qsphname",  36, 48, "text",     "pool name"),
        Field("qsphfixed", 84,  1, "bit",      "pool of fixed-size blocks", bit=0),
        Field("qsphglob",  84,  1, "bit",      "global pool", bit=1),
        Field("qsphdspc",  84,  1, "bit",      "pool in a data space", bit=2),
        Field("qsphivsa",  84,  1, "bit",      "attribute IVSA", bit=3),
        Field("qsph64bit", 84,  1, "bit",      "pool above the bar", bit=4),
    ),
    eyecatcher="QSPH",
)

QSGM = Layout(
    table="smf115_qsgm",
    title="Storage requests by module",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qsgm",
    length=48,
    fields=(
        Field("qsgmid",      0, 2, "unsigned", "block id, X'E20D'"),
        Field("qsgmll",      2, 2, "unsigned", "block length", unit="bytes"),
        Field("qsgmeyec",    4, 4, "text",     "eyecatcher"),
        Field("qsgmlvtot",   8, 4, "unsigned", "storage got by this caller, in total"),
        Field("qsgmlvnew",  12, 4, "unsigned", "requests since the previous record", unit="requests"),
        Field("qsgmlvmax",  16, 4, "signed",   "largest length"),
        Field("qsgmlvmin",  20, 4, "signed",   "smallest length"),
        Field("qsgmcount",  24, 4, "unsigned", "GETMAIN requests summed here", unit="requests"),
        Field("qsgmscls",   28, 1, "unsigned", "storage class"),
        Field("qsgmcsect",  32, 8, "text",     "requesting module (CSECT)"),
        Field("qsgmoffset", 40, 4, "signed",   "offset of the request in the module", unit="bytes"),
    ),
    eyecatcher="QSGM",
)

QSRS = Layout(
    table="smf115_qsrs",
    title="Storage of the region",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qsrs",
    length=232,
    fields=(
        Field("qsrsid",        0, 2, "unsigned", "block id, X'E20C'"),
        Field("qsrsll",        2, 2, "unsigned", "block length", unit="bytes"),
        Field("qsrseyec",      4, 4, "text",     "eyecatcher"),
        Field("qsrsphbgf",     8, 4, "signed",   "31-bit global fixed pools"),
        Field("qsrsphbgv",    12, 4, "signed",   "31-bit global variable pools"),
        Field("qsrsphblf",    16, 4, "signed",   "31-bit local fixed pools"),
        Field("qsrsphblv",    20, 4, "signed",   "31-bit local variable pools"),
        Field("qsrsgmbt",     24, 4, "signed",   "31-bit storage by GETMAIN"),
        Field("qsrsstkt",     28, 4, "signed",   "stack storage"),
        Field("qsrsstrta",    32, 4, "unsigned", "start address of the region below 16 MB"),
        Field("qsrssiza",     36, 4, "signed",   "size of the region below 16 MB", unit="bytes"),
        Field("qsrscrgtp",    40, 4, "unsigned", "top address now of the region below 16 MB"),
        Field("qsrslimit",    44, 4, "signed",   "limit of the region below 16 MB", unit="bytes"),
        Field("qsrsloal",     48, 4, "signed",   "low private allocated below 16 MB", unit="bytes"),
        Field("qsrsoloal",    52, 4, "signed",   "the same in the previous record", unit="bytes"),
        Field("qsrshial",     56, 4, "signed",   "high private allocated below 16 MB", unit="bytes"),
        Field("qsrsohial",    60, 4, "signed",   "the same in the previous record", unit="bytes"),
        Field("qsrssmfl",     64, 4, "signed",   "VSM's IEFUSI limit below 16 MB", unit="bytes"),
        Field("qsrssmfr",     68, 4, "signed",   "VSM's IEFUSI region below 16 MB", unit="bytes"),
        Field("qsrsestra",    72, 4, "unsigned", "start address of the extended region"),
        Field("qsrsesiza",    76, 4, "signed",   "size of the extended region", unit="bytes"),
        Field("qsrsergtp",    80, 4, "unsigned", "top address now of the extended region"),
        Field("qsrselim",     84, 4, "signed",   "limit of the extended region", unit="bytes"),
        Field("qsrseloal",    88, 4, "signed",   "extended low private allocated", unit="bytes"),
        Field("qsrsoeloal",   92, 4, "signed",   "the same in the previous record", unit="bytes"),
        Field("qsrsehial",    96, 4, "signed",   "extended high private allocated", unit="bytes"),
        Field("qsrsoehial",  100, 4, "signed",   "the same in the previous record", unit="bytes"),
        Field("qsrssmfel",   104, 4, "signed",   "VSM's IEFUSI limit, extended region", unit="bytes"),
        Field("qsrssmfer",   108, 4, "signed",   "VSM's IEFUSI extended region", unit="bytes"),
        Field("qsrsmemlim",  112, 8, "unsigned", "MEMLIMIT of the address space", unit="MB"),
        Field("qsrsabytes",  120, 8, "unsigned", "bytes in memory objects", unit="bytes"),
        Field("qsrsgbytes",  128, 8, "unsigned", "guarded bytes in memory objects", unit="bytes"),
        Field("qsrsnmomb",   136, 4, "unsigned", "memory objects", unit="objects"),
        Field("qsrsmemlims", 140, 1, "unsigned", "source of MEMLIMIT"),
        Field("qsrsfmct",    144, 4, "unsigned", "FREEMAIN count"),
        Field("qsrsaval",    152, 4, "signed",   "free storage below the bar, as recorded"),
        Field("qsrsmvs",     156, 4, "signed",   "31-bit storage reserved for MVS"),
        Field("qsrscrit",    160, 4, "signed",   "31-bit critical threshold"),
        Field("qsrssos",     164, 4, "signed",   "31-bit short-on-storage threshold"),
        Field("qsrsaval64",  168, 8, "unsigned", "free storage above the bar; nearly 2^64 without a limit", unit="bytes"),
        Field("qsrscush64",  176, 8, "unsigned", "64-bit storage cushion", unit="bytes"),
        Field("qsrssmds64",  184, 8, "unsigned", "64-bit storage for shared message data sets", unit="bytes"),
        Field("qsrsphblgf",  192, 8, "unsigned", "latch of global fixed pools, in the interval", unit="times"),
        Field("qsrsphblgv",  200, 8, "unsigned", "latch of global variable pools, in the interval", unit="times"),
        Field("qsrsphbllf",  208, 8, "unsigned", "latch of local fixed pools, in the interval", unit="times"),
        Field("qsrsphbllv",  216, 8, "unsigned", "latch of local variable pools, in the interval", unit="times"),
        Field("qsrsgmbl",    224, 8, "unsigned", "latch of GETMAIN, in the interval", unit="times"),
    ),
    eyecatcher="QSRS",
)
# fmt: on
