"""Statistics of the log manager: SMF 115 subtype 1.

The I/O fields are arrays by log copy (1, 2) and kind of write: of one control interval (CI), or of
several. Not established: the unit of the zHyperLink times, and the meaning of each of the two
doublewords of a sum of squares.
"""

from __future__ import annotations

from ingest.binary.layout import Field, Layout

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
        Field("qjstwrw",          8, 4, "signed",   "log write requests that wait", unit="requests"),
        Field("qjstwrnw",        12, 4, "signed",   "log write requests that do not wait", unit="requests"),
        Field("qjstwrf",         16, 4, "signed",   "log write requests that force", unit="requests"),
        Field("qjstwtb",         20, 4, "signed",   "waits because no log buffer was free", unit="waits"),
        Field("qjstrbuf",        24, 4, "signed",   "log reads satisfied from an output buffer", unit="requests"),
        Field("qjstract",        28, 4, "signed",   "log reads satisfied from an active log", unit="requests"),
        Field("qjstrarh",        32, 4, "signed",   "log reads satisfied from an archive log", unit="requests"),
        Field("qjsttvc",         36, 4, "signed",   "reads that waited for an archive log", unit="requests"),
        Field("qjstbsds",        40, 4, "signed",   "accesses to the bootstrap data set", unit="requests"),
        Field("qjstbffl",        44, 4, "signed",   "CIs (log buffers) filled", unit="pages"),
        Field("qjstbfwr",        48, 4, "signed",   "calls that started to write buffers", unit="requests"),
        Field("qjstalr",         52, 4, "signed",   "archive logs allocated for reading", unit="data sets"),
        Field("qjstalw",         56, 4, "signed",   "archive logs allocated for writing", unit="data sets"),
        Field("qjstciof",        60, 4, "signed",   "CIs offloaded to archive logs", unit="pages"),
        Field("qjstllcp",        64, 4, "signed",   "log checkpoints", unit="checkpoints"),
        Field("qjstwur",         68, 4, "signed",   "reads that waited for a resource", unit="requests"),
        Field("qjstlama",        72, 4, "signed",   "look-ahead tape mounts tried", unit="mounts"),
        Field("qjstlams",        76, 4, "signed",   "successful look-ahead tape mounts", unit="mounts"),
        Field("qjstlsus",        80, 4, "signed",   "tasks suspended for a log write", unit="suspensions"),
        Field("qjstlogw",        84, 4, "signed",   "log write I/O operations", unit="requests"),
        Field("qjstciwr",        88, 4, "signed",   "CIs written", unit="pages"),
        Field("qjstserw",        92, 4, "signed",   "writes of a CI that was already written", unit="requests"),
        Field("qjstthrw",        96, 4, "signed",   "writes at the write threshold", unit="requests"),
        Field("qjstbpag",       100, 4, "signed",   "waits for a buffer paged out", unit="pages"),
        Field("qjstcmpreq",     120, 4, "signed",   "compressions", unit="requests"),
        Field("qjstcmpfail",    124, 4, "signed",   "failed compressions", unit="requests"),
        Field("qjstcmpuncmp",   128, 8, "signed",   "bytes before compression", unit="bytes"),
        Field("qjstcmpcomp",    136, 8, "signed",   "bytes after compression", unit="bytes"),
        Field("qjstdecreq",     144, 4, "signed",   "decompressions", unit="requests"),
        Field("qjstdecfail",    148, 4, "signed",   "failed decompressions", unit="requests"),
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
        Field("qjstslptu",      552, 8, "ticks",    "time that the log writer was idle"),
        Field("qjstiosqu",      560, 8, "unsigned", "sum of squared I/O times", unit="us^2", shape=(2,), strides=(8,)),
        Field("qjstcp1n",       576, 4, "signed",   "new log data sets of copy 1", unit="data sets"),
        Field("qjstcp2n",       580, 4, "signed",   "new log data sets of copy 2", unit="data sets"),
        Field("qjsthwc",        584, 4, "signed",   "new logs capable of zHyperWrite", unit="data sets"),
        Field("qjsthwe",        588, 4, "signed",   "new logs with zHyperWrite on", unit="data sets"),
        Field("qjstencr",       592, 4, "signed",   "encrypted new logs", unit="data sets"),
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
