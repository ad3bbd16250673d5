"""Statistics of the log manager: SMF 115 subtype 1.

The I/O fields are arrays by log copy (1, 2) and kind of write: of one control interval (CI), or of
several. Not established: the unit of the zHyperLink times, and the meaning of each of the two
doublewords of a sum of squares.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

__all__ = ["QJST"]


def _io(name: str, offset: int, length: int, kind: str, note: str, unit: str = "") -> Field:
    """Return a field of the array by log copy and kind of write; `offset` is its first element's."""
    return Field(name, offset, length, kind, note, unit, shape=(2, 2), strides=(144, 72))


# fmt: off
QJST = Layout(
    table="smf115_qjst",
    title="Log manager",
    source="IBM MQ 10.0 for z/OS, CSQDSMFC, structure qjst",
    length=720,
    fields=(
        Field("qjstid",           0, 2, "unsigned", "block id"),
        Field("qjstll",           2, 2, "unsigned", "block length", unit="bytes"),
        Field("qjsteid",          4, 4, "text",     "eyecatcher"),
        Field("qjstwrw",          8, 4, "unsigned", "log write requests that waited until the buffer was written", unit="requests"),
        Field("qjstwrnw",        12, 4, "unsigned", "log write requests that did not wait", unit="requests"),
        Field("qjstwrf",         16, 4, "unsigned", "log write requests that forced the buffer to the data set", unit="requests"),
        Field("qjstwtb",         20, 4, "unsigned", "times that a task waited because all log buffers were full", unit="times"),
        Field("qjstrbuf",        24, 4, "unsigned", "log reads satisfied from the output buffer", unit="reads"),
        Field("qjstract",        28, 4, "unsigned", "log reads satisfied from an active log", unit="reads"),
        Field("qjstrarh",        32, 4, "unsigned", "log reads satisfied from an archive log", unit="reads"),
        Field("qjsttvc",         36, 4, "unsigned", "log reads delayed because all tape units allowed for reading were in use", unit="reads"),
        Field("qjstbsds",        40, 4, "unsigned", "accesses to the bootstrap data set", unit="requests"),
        Field("qjstbffl",        44, 4, "unsigned", "active-log control intervals created", unit="control intervals"),
        Field("qjstbfwr",        48, 4, "unsigned", "times that the routine writing log buffers was called", unit="calls"),
        Field("qjstalr",         52, 4, "unsigned", "archive log data sets allocated for reading", unit="allocations"),
        Field("qjstalw",         56, 4, "unsigned", "archive log data sets allocated for writing", unit="allocations"),
        Field("qjstciof",        60, 4, "unsigned", "control intervals offloaded to archive logs", unit="control intervals"),
        Field("qjstllcp",        64, 4, "unsigned", "checkpoints caused by the number of log records written (LOGLOAD)", unit="checkpoints"),
        Field("qjstwur",         68, 4, "unsigned", "reads that waited for a resource", unit="requests"),
        Field("qjstlama",        72, 4, "unsigned", "look-ahead tape mounts tried", unit="mounts"),
        Field("qjstlams",        76, 4, "unsigned", "successful look-ahead tape mounts", unit="mounts"),
        Field("qjstlsus",        80, 4, "unsigned", "times that a task was suspended until a log write ended", unit="times"),
        Field("qjstlogw",        84, 4, "unsigned", "write I/Os to the active logs, all copies together", unit="I/Os"),
        Field("qjstciwr",        88, 4, "unsigned", "control intervals of 4 KB written to the active logs, all copies together", unit="control intervals"),
        Field("qjstserw",        92, 4, "unsigned", "log writes that had to be made serially, one copy after the other, because a control interval was rewritten", unit="I/Os"),
        Field("qjstthrw",        96, 4, "unsigned", "log writes started because the write threshold was reached", unit="times"),
        Field("qjstbpag",       100, 4, "unsigned", "log buffer pages that had to be paged in", unit="pages"),
        Field("qjstcmpreq",     120, 4, "unsigned", "log records to be compressed", unit="requests"),
        Field("qjstcmpfail",    124, 4, "unsigned", "log records that could not be compressed", unit="requests"),
        Field("qjstcmpuncmp",   128, 8, "signed",   "bytes of log records before compression", unit="bytes"),
        Field("qjstcmpcomp",    136, 8, "signed",   "bytes of log records after compression", unit="bytes"),
        Field("qjstdecreq",     144, 4, "unsigned", "decompressions", unit="requests"),
        Field("qjstdecfail",    148, 4, "unsigned", "failed decompressions", unit="requests"),
        Field("qjstdecuncmp",   152, 8, "signed",   "bytes after decompression", unit="bytes"),
        Field("qjstdeccomp",    160, 8, "signed",   "bytes before decompression", unit="bytes"),
        _io("qjstiocount", 264, 4, "unsigned", "log write I/Os", unit="requests"),
        _io("qjstioci", 268, 4, "unsigned", "CIs written", unit="pages"),
        _io("qjstiototio", 272, 8, "tod", "I/O time, sum"),
        _io("qjstiototsus", 280, 8, "tod", "suspend time, sum"),
        _io("qjstiomaxio", 288, 8, "tod", "longest I/O"),
        _io("qjstiomaxiot", 296, 8, "stck", "when the longest I/O was, UTC"),
        _io("qjstiomaxiol", 304, 8, "text", "log data set of the longest I/O"),
        _io("qjstiomaxsus", 312, 8, "tod", "longest suspend"),
        _io("qjstiomaxsust", 320, 8, "stck", "when the longest suspend was, UTC"),
        _io("qjstiomaxsusl", 328, 8, "text", "log data set of the longest suspend"),
        Field("qjstslptu",      552, 8, "ticks",    "time that the log writer task slept"),
        Field("qjstiosqu",      560, 8, "unsigned", "sum of squared I/O times", unit="us^2", shape=(2,), strides=(8,)),
        Field("qjstcp1n",       576, 4, "unsigned", "new log data sets of copy 1", unit="data sets"),
        Field("qjstcp2n",       580, 4, "unsigned", "new log data sets of copy 2", unit="data sets"),
        Field("qjsthwc",        584, 4, "unsigned", "new logs capable of zHyperWrite", unit="data sets"),
        Field("qjsthwe",        588, 4, "unsigned", "new logs with zHyperWrite on", unit="data sets"),
        Field("qjstencr",       592, 4, "unsigned", "encrypted new logs", unit="data sets"),
        Field("qjsthlsciw",     600, 4, "unsigned", "zHyperLink writes, one CI", unit="requests"),
        Field("qjsthlmciw",     604, 4, "unsigned", "zHyperLink writes, several CIs", unit="requests"),
        Field("qjsthlcicntw",   608, 4, "unsigned", "CIs tried by zHyperLink", unit="pages"),
        Field("qjsthlscis",     612, 4, "unsigned", "one CI: succeeded", unit="requests"),
        Field("qjsthlmcis",     616, 4, "unsigned", "several CIs: succeeded", unit="requests"),
        Field("qjsthlcicnts",   620, 4, "unsigned", "CIs written by zHyperLink", unit="pages"),
        Field("qjsthlscif",     624, 4, "unsigned", "one CI: asynchronous", unit="requests"),
        Field("qjsthlmcif",     628, 4, "unsigned", "several CIs: asynchronous", unit="requests"),
        Field("qjsthlcicntf",   632, 4, "unsigned", "CIs turned asynchronous", unit="pages"),
        Field("qjsthlscicon",   636, 4, "unsigned", "one CI: while connecting", unit="requests"),
        Field("qjsthlmcicon",   640, 4, "unsigned", "several CIs: while connecting", unit="requests"),
        Field("qjsthlconcicnt", 644, 4, "unsigned", "CIs written while connecting", unit="pages"),
        Field("qjsthlsciwtmax", 648, 8, "unsigned", "longest zHyperLink I/O, one CI"),
        Field("qjsthlsciwtmin", 656, 8, "unsigned", "shortest zHyperLink I/O, one CI"),
        Field("qjsthlsciwttot", 664, 8, "unsigned", "zHyperLink I/O time, one CI"),
        Field("qjsthlmciwtmax", 672, 8, "unsigned", "longest zHyperLink I/O, several CIs"),
        Field("qjsthlmciwtmin", 680, 8, "unsigned", "shortest zHyperLink I/O, several CIs"),
        Field("qjsthlmciwttot", 688, 8, "unsigned", "zHyperLink I/O time, several CIs"),
        Field("qjsthliosqu",    696, 8, "unsigned", "sum of squared zHyperLink I/O times", shape=(2,), strides=(8,)),
        Field("qjsthlc",        712, 4, "unsigned", "new logs capable of zHyperLink", unit="data sets"),
        Field("qjsthle",        716, 4, "unsigned", "new logs with zHyperLink on", unit="data sets"),
    ),
    eyecatcher="QJST",
)
# fmt: on
