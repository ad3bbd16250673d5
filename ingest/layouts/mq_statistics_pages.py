"""Statistics of buffer pools and page sets: SMF 115 subtypes 215 and 201."""

from __future__ import annotations

from ingest.binary.layout import Field, Layout

__all__ = ["QIS1", "QPST"]

# fmt: off
QPST = Layout(
    table="smf115_qpst",
    title="Buffer manager",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qpst",
    length=104,
    fields=(
        Field("qpstid",    0, 2, "unsigned", "block id"),
        Field("qpstll",    2, 2, "unsigned", "block length", unit="bytes"),
        Field("qpsteyec",  4, 4, "text",     "eyecatcher"),
        Field("qpstpool",  8, 4, "signed",   "buffer pool"),
        Field("qpstnbuf", 12, 4, "signed",   "buffers in the pool", unit="buffers"),
        Field("qpstcbsl", 16, 4, "signed",   "fewest stealable buffers", unit="buffers"),
        Field("qpstcbs",  20, 4, "signed",   "stealable buffers now", unit="buffers"),
        Field("qpstgetp", 24, 4, "signed",   "page gets with read if needed", unit="requests"),
        Field("qpstgetn", 28, 4, "signed",   "page gets of a new page, no read", unit="requests"),
        Field("qpstrio",  32, 4, "signed",   "page reads from disk", unit="requests"),
        Field("qpststw",  36, 4, "signed",   "page updates (set-write)", unit="requests"),
        Field("qpsttpw",  40, 4, "signed",   "pages written", unit="pages"),
        Field("qpstwio",  44, 4, "signed",   "page write I/Os", unit="requests"),
        Field("qpstimw",  48, 4, "signed",   "immediate, synchronous writes", unit="requests"),
        Field("qpstdwt",  52, 4, "signed",   "deferred-write threshold reached", unit="events"),
        Field("qpstdmc",  56, 4, "signed",   "synchronous-write threshold reached", unit="events"),
        Field("qpststl",  60, 4, "signed",   "buffers stolen", unit="buffers"),
        Field("qpststla", 64, 4, "signed",   "hash-chain changes during steals", unit="events"),
        Field("qpstsos",  68, 4, "signed",   "suspensions because no buffer was free", unit="suspensions"),
        Field("qpstloc",  72, 4, "bit",      "on: the pool is above the bar; off: below", bit=0),
        Field("qpstf4kb", 72, 4, "bit",      "on: page-fixed 4 KB pages; off: pageable", bit=1),
    ),
    eyecatcher="QPST",
)

QIS1 = Layout(
    table="smf115_qis1",
    title="Page sets",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qis1",
    length=104,
    fields=(
        Field("qis1id",     0, 2, "unsigned", "block id, X'D90F'"),
        Field("qis1ll",     2, 2, "unsigned", "block length", unit="bytes"),
        Field("qis1eyec",   4, 4, "text",     "eyecatcher"),
        Field("qis1psno",   8, 4, "unsigned", "page set"),
        Field("qis1bpno",  12, 4, "unsigned", "its buffer pool"),
        Field("qis1topg",  16, 4, "unsigned", "pages of the page set", unit="pages"),
        Field("qis1unpg",  20, 4, "unsigned", "unused pages", unit="pages"),
        Field("qis1ppg",   24, 4, "unsigned", "pages with persistent data", unit="pages"),
        Field("qis1nppg",  28, 4, "unsigned", "pages with nonpersistent data", unit="pages"),
        Field("qis1full",  32, 4, "unsigned", "times that the page set was full", unit="events"),
        Field("qis1pchi",  36, 4, "unsigned", "highest place of the put cursor"),
        Field("qis1dwpn",  40, 4, "unsigned", "deferred-write I/Os", unit="requests"),
        Field("qis1dwpp",  44, 4, "unsigned", "pages written deferred", unit="pages"),
        Field("qis1dwpt",  48, 8, "tod",      "time of deferred-write I/O"),
        Field("qis1imwn",  56, 4, "unsigned", "immediate-write I/Os", unit="requests"),
        Field("qis1imwp",  60, 4, "unsigned", "pages written immediately", unit="pages"),
        Field("qis1imwt",  64, 8, "tod",      "time of immediate-write I/O"),
        Field("qis1getn",  72, 4, "unsigned", "read I/Os", unit="requests"),
        Field("qis1getp",  76, 4, "unsigned", "pages read", unit="pages"),
        Field("qis1gett",  80, 8, "tod",      "time of read I/O"),
        Field("qis1ckpp",  88, 4, "unsigned", "pages written at checkpoints", unit="pages"),
        Field("qis1expn",  92, 2, "unsigned", "extents added since restart", unit="extents"),
        Field("qis1strn",  94, 1, "unsigned", "stripes of the data set", unit="stripes"),
        Field("qis1expm",  95, 1, "unsigned", "expansion method"),
        Field("qis1stat",  96, 1, "unsigned", "state of the page set"),
        Field("qis1expf", 100, 4, "bit",      "the page set was expanded in the interval", bit=0),
        Field("qis1encf", 100, 4, "bit",      "the data set is encrypted", bit=1),
    ),
    eyecatcher="QIS1",
)
# fmt: on
