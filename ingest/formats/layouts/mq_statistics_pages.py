"""Statistics of buffer pools and page sets: SMF 115 subtypes 215 and 201."""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

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
        Field("qpstpool",  8, 4, "signed",   "number of the buffer pool"),
        Field("qpstnbuf", 12, 4, "signed",   "buffers in the pool", unit="buffers of 4 KB"),
        Field("qpstcbsl", 16, 4, "signed",   "lowest number of stealable (free) buffers in the interval", unit="buffers of 4 KB"),
        Field("qpstcbs",  20, 4, "signed",   "stealable (free) buffers at the end of the interval", unit="buffers of 4 KB"),
        Field("qpstgetp", 24, 4, "unsigned", "get-page requests for a page that exists and may have to be read", unit="pages"),
        Field("qpstgetn", 28, 4, "unsigned", "get-page requests for a new page that need not be read", unit="pages"),
        Field("qpstrio",  32, 4, "unsigned", "pages read from a page set", unit="pages"),
        Field("qpststw",  36, 4, "unsigned", "updates of pages (set-write requests)", unit="updates"),
        Field("qpsttpw",  40, 4, "unsigned", "pages written to a page set", unit="pages"),
        Field("qpstwio",  44, 4, "unsigned", "write I/Os to page sets", unit="I/Os"),
        Field("qpstimw",  48, 4, "unsigned", "immediate, synchronous writes", unit="pages"),
        Field("qpstdwt",  52, 4, "unsigned", "times that the deferred-write threshold (15 % of the buffers free) was crossed", unit="times"),
        Field("qpstdmc",  56, 4, "unsigned", "times that the synchronous-write threshold (5 % of the buffers free) was crossed", unit="times"),
        Field("qpststl",  60, 4, "unsigned", "buffers stolen for another page", unit="buffers"),
        Field("qpststla", 64, 4, "unsigned", "times that the hash chain changed while a buffer was being stolen", unit="times"),
        Field("qpstsos",  68, 4, "unsigned", "times that no buffer was free and the task was suspended", unit="times"),
        Field("qpstloc",  72, 4, "bit",      "whether the buffers are above the bar", bit=0),
        Field("qpstf4kb", 72, 4, "bit",      "whether the buffers are page-fixed", bit=1),
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
        Field("qis1psno",   8, 4, "unsigned", "number of the page set"),
        Field("qis1bpno",  12, 4, "unsigned", "number of the buffer pool that the page set uses"),
        Field("qis1topg",  16, 4, "unsigned", "pages in the page set", unit="pages of 4 KB"),
        Field("qis1unpg",  20, 4, "unsigned", "unused pages", unit="pages of 4 KB"),
        Field("qis1ppg",   24, 4, "unsigned", "pages that hold persistent messages or objects", unit="pages of 4 KB"),
        Field("qis1nppg",  28, 4, "unsigned", "pages that hold non-persistent messages", unit="pages of 4 KB"),
        Field("qis1full",  32, 4, "unsigned", "times that the page set was full", unit="times"),
        Field("qis1pchi",  36, 4, "unsigned", "highest place of the put cursor"),
        Field("qis1dwpn",  40, 4, "unsigned", "deferred (asynchronous) write I/Os", unit="I/Os"),
        Field("qis1dwpp",  44, 4, "unsigned", "pages written by deferred writes", unit="pages of 4 KB"),
        Field("qis1dwpt",  48, 8, "tod",      "total time of deferred writes"),
        Field("qis1imwn",  56, 4, "unsigned", "immediate (synchronous) write I/Os", unit="I/Os"),
        Field("qis1imwp",  60, 4, "unsigned", "pages written by immediate writes", unit="pages of 4 KB"),
        Field("qis1imwt",  64, 8, "tod",      "total time of immediate writes"),
        Field("qis1getn",  72, 4, "unsigned", "read I/Os", unit="I/Os"),
        Field("qis1getp",  76, 4, "unsigned", "pages read", unit="pages of 4 KB"),
        Field("qis1gett",  80, 8, "tod",      "total time of reads"),
        Field("qis1ckpp",  88, 4, "unsigned", "pages written at checkpoints", unit="pages of 4 KB"),
        Field("qis1expn",  92, 2, "unsigned", "extents added to the page set since the queue manager started", unit="extents"),
        Field("qis1strn",  94, 1, "unsigned", "stripes of the data set", unit="stripes"),
        Field("qis1expm",  95, 1, "unsigned", "expansion method"),
        Field("qis1stat",  96, 1, "unsigned", "state of the page set"),
        Field("qis1expf", 100, 4, "bit",      "the page set was expanded in the interval", bit=0),
        Field("qis1encf", 100, 4, "bit",      "whether the page set is encrypted", bit=1),
    ),
    eyecatcher="QIS1",
)
# fmt: on
