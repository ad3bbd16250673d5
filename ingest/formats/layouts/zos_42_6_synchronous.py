"""SMF 42 subtype 6: synchronous I/O of data sets (zHyperLink).

Section 3 has no count: the section of the first device is decoded, and the bytes after it, up to
the section's length, are counted as extra bytes. Section 1 belongs to another subtype. Source: MVS
System Management Facilities (z/OS 3.2), record type 42 subtype 6.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

__all__ = [
    "SMF42_6_SYNCHRONOUS_IO_SECTION_2",
    "SMF42_6_SYNCHRONOUS_IO_SECTION_3",
    "SMF42_6_SYNCHRONOUS_IO_SECTION_4",
    "SMF42_6_SYNCHRONOUS_IO_SECTION_5",
]

_SOURCE = "MVS System Management Facilities (z/OS 3.2), record type 42 subtype 6"

# fmt: off
SMF42_6_SYNCHRONOUS_IO_SECTION_2 = Layout(
    table="smf42_6_synchronous_io_section_2",
    title="Synchronous writes of a data set",
    source=_SOURCE,
    length=112,
    fields=(
        Field("s42sntwr",   0, 4, "unsigned", "synchronous write requests", unit="requests"),
        Field("s42sntwo",   4, 4, "unsigned", "done synchronously", unit="requests"),
        Field("s42sntws",   8, 4, "unsigned", "not tried because of an earlier asynchronous write", unit="requests"),
        Field("s42sntwb",  12, 4, "unsigned", "asynchronous: the link was busy", unit="requests"),
        Field("s42sntwm",  16, 4, "unsigned", "asynchronous: not in the cache", unit="requests"),
        Field("s42sntwp",  20, 4, "unsigned", "asynchronous: the operation was delayed", unit="requests"),
        Field("s42sntwe",  24, 4, "unsigned", "asynchronous: the set of write tokens was incomplete", unit="requests"),
        Field("s42sntwi",  28, 4, "unsigned", "asynchronous: a write token was invalid", unit="requests"),
        Field("s42sntwc",  32, 4, "unsigned", "asynchronous: writes were inconsistent", unit="requests"),
        Field("s42sntwd",  36, 4, "unsigned", "asynchronous: a device had writes disabled", unit="requests"),
        Field("s42sntwa",  40, 4, "unsigned", "reads of a data set that is open for writing", unit="requests"),
        Field("s42sntwk",  44, 4, "unsigned", "zHyperLink could not be done", unit="requests"),
        Field("s42sntwv",  48, 4, "unsigned", "a device was reserved by another system", unit="requests"),
        Field("s42sntwl",  52, 4, "unsigned", "disabled: not opened for synchronous writes", unit="requests"),
        Field("s42sntwt",  56, 4, "unsigned", "disabled: extended since it was opened", unit="requests"),
        Field("s42sntwn",  60, 4, "unsigned", "disabled: the data set is not eligible", unit="requests"),
        Field("s42sntwg",  64, 4, "unsigned", "disabled by storage class or operator", unit="requests"),
        Field("s42sntwy",  68, 4, "unsigned", "disabled: error in the array of tokens", unit="requests"),
        Field("s42sntwu",  72, 4, "unsigned", "disabled: copy relationship not supported", unit="requests"),
        Field("s42sntwf",  76, 4, "unsigned", "disabled: buffer not at a page boundary", unit="requests"),
        Field("s42sntwq",  80, 4, "unsigned", "disabled: invalid write request", unit="requests"),
        Field("s42sntwz",  84, 4, "unsigned", "disabled: zHPF is off", unit="requests"),
        Field("s42sntww",  88, 4, "unsigned", "disabled: internal error", unit="requests"),
        Field("s42sntwx",  92, 4, "unsigned", "disabled for other reasons", unit="requests"),
        Field("s42sntwh",  96, 4, "unsigned", "disabled: the other log is disabled; valid with s42ds2dl", unit="requests"),
        Field("s42sntdr", 100, 4, "unsigned", "dual logging requests; valid with s42ds2dl", unit="requests"),
        Field("s42sntdx", 104, 4, "unsigned", "only the other log's write was asynchronous; valid with s42ds2dl", unit="requests"),
        Field("s42sntwj", 108, 4, "unsigned", "disabled: crosses volumes; valid with s42ds2mv", unit="requests"),
    ),
)

SMF42_6_SYNCHRONOUS_IO_SECTION_3 = Layout(
    table="smf42_6_synchronous_io_section_3",
    title="Synchronous writes of a data set to a device",
    source=_SOURCE,
    length=64,
    fields=(
        Field("s42sndwh",  2, 2, "unsigned", "subsystem id of the device"),
        Field("s42sndwj",  5, 1, "unsigned", "subchannel set of the device"),
        Field("s42sndwn",  6, 2, "unsigned", "device number"),
        Field("s42sndwt",  8, 4, "unsigned", "writes tried or skipped", unit="requests"),
        Field("s42sndwo", 12, 4, "unsigned", "successful writes", unit="requests"),
        Field("s42sndws", 16, 4, "unsigned", "asynchronous: preceded by an asynchronous write", unit="requests"),
        Field("s42sndwb", 20, 4, "unsigned", "asynchronous: the link was busy", unit="requests"),
        Field("s42sndwm", 24, 4, "unsigned", "asynchronous: not in the cache", unit="requests"),
        Field("s42sndwp", 28, 4, "unsigned", "asynchronous: the operation was delayed", unit="requests"),
        Field("s42sndwe", 32, 4, "unsigned", "asynchronous: no write token", unit="requests"),
        Field("s42sndwi", 36, 4, "unsigned", "asynchronous: the write token was invalid", unit="requests"),
        Field("s42sndwc", 40, 4, "unsigned", "asynchronous: inconsistent pattern of writes", unit="requests"),
        Field("s42sndwd", 44, 4, "unsigned", "asynchronous: the device had writes disabled", unit="requests"),
        Field("s42sndwu", 48, 4, "unsigned", "asynchronous: copy relationship not supported", unit="requests"),
        Field("s42sndwk", 52, 4, "unsigned", "asynchronous: zHyperLink could not be used", unit="requests"),
        Field("s42sndwv", 56, 4, "unsigned", "asynchronous: the device was reserved by another system", unit="requests"),
        Field("s42sndwx", 60, 4, "unsigned", "asynchronous for other reasons", unit="requests"),
    ),
)

SMF42_6_SYNCHRONOUS_IO_SECTION_4 = Layout(
    table="smf42_6_synchronous_io_section_4",
    title="Write access of a data set",
    source=_SOURCE,
    length=72,
    fields=(
        Field("s42dss5o",  0, 4, "unsigned", "offset of the first synchronous I/O section 5", unit="bytes"),
        Field("s42dss5l",  4, 2, "unsigned", "length of synchronous I/O section 5", unit="bytes"),
        Field("s42dss5n",  6, 2, "unsigned", "synchronous I/O sections 5", unit="sections"),
        Field("s42sntea",  8, 4, "unsigned", "attempts to establish write access", unit="attempts"),
        Field("s42snteo", 12, 4, "unsigned", "successes", unit="attempts"),
        Field("s42sntec", 16, 4, "unsigned", "failed: too few control unit resources", unit="attempts"),
        Field("s42sntee", 20, 4, "unsigned", "failed: extents overlap with another group's", unit="attempts"),
        Field("s42sntes", 24, 4, "unsigned", "failed: the software identifier is in use", unit="attempts"),
        Field("s42sntet", 28, 4, "unsigned", "failed: too many tasks with write access", unit="attempts"),
        Field("s42sntei", 32, 4, "unsigned", "failed: the device cannot be reached", unit="attempts"),
        Field("s42snteq", 36, 4, "unsigned", "failed: the device is quiesced", unit="attempts"),
        Field("s42sntel", 40, 4, "unsigned", "failed: the device is long busy", unit="attempts"),
        Field("s42sntep", 44, 4, "unsigned", "failed: Concurrent Copy or XRC session", unit="attempts"),
        Field("s42snteg", 48, 4, "unsigned", "failed: secondary of Global Copy", unit="attempts"),
        Field("s42sntem", 52, 4, "unsigned", "failed: primary of Global Mirror", unit="attempts"),
        Field("s42snter", 56, 4, "unsigned", "failed: Metro Mirror pair not in full duplex", unit="attempts"),
        Field("s42sntef", 60, 4, "unsigned", "failed: soft fenced", unit="attempts"),
        Field("s42sntew", 64, 4, "unsigned", "failed: node name (WWNN) is zero", unit="attempts"),
        Field("s42sntmc", 68, 4, "unsigned", "failed for other reasons", unit="attempts"),
    ),
)

SMF42_6_SYNCHRONOUS_IO_SECTION_5 = Layout(
    table="smf42_6_synchronous_io_section_5",
    title="Write access of a data set to a device",
    source=_SOURCE,
    length=72,
    fields=(
        Field("s42sndss",  2, 2, "unsigned", "subsystem id of the device"),
        Field("s42sndsi",  5, 1, "unsigned", "subchannel set of the device"),
        Field("s42snded",  6, 2, "unsigned", "device number"),
        Field("s42sndea",  8, 4, "unsigned", "attempts to establish write access", unit="attempts"),
        Field("s42sndeo", 12, 4, "unsigned", "successes", unit="attempts"),
        Field("s42sndec", 16, 4, "unsigned", "failed: too few control unit resources", unit="attempts"),
        Field("s42sndee", 20, 4, "unsigned", "failed: extents overlap with another group's", unit="attempts"),
        Field("s42sndes", 24, 4, "unsigned", "failed: the software identifier is in use", unit="attempts"),
        Field("s42sndet", 28, 4, "unsigned", "failed: too many tasks with write access", unit="attempts"),
        Field("s42sndei", 32, 4, "unsigned", "failed: the device cannot be reached", unit="attempts"),
        Field("s42sndeq", 36, 4, "unsigned", "failed: the device is quiesced", unit="attempts"),
        Field("s42sndel", 40, 4, "unsigned", "failed: the device is long busy", unit="attempts"),
        Field("s42sndep", 44, 4, "unsigned", "failed: Concurrent Copy or XRC session", unit="attempts"),
        Field("s42sndeg", 48, 4, "unsigned", "failed: secondary of Global Copy", unit="attempts"),
        Field("s42sndem", 52, 4, "unsigned", "failed: primary of Global Mirror", unit="attempts"),
        Field("s42snder", 56, 4, "unsigned", "failed: Metro Mirror pair not in full duplex", unit="attempts"),
        Field("s42sndef", 60, 4, "unsigned", "failed: soft fenced", unit="attempts"),
        Field("s42sndew", 64, 4, "unsigned", "failed: node name (WWNN) is zero", unit="attempts"),
        Field("s42sndmc", 68, 4, "unsigned", "failed for other reasons", unit="attempts"),
    ),
)
# fmt: on
