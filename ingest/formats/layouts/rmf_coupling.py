"""Coupling facility activity, SMF 74 subtype 4: the facility, its processors and its links.

The interface description omits the offsets of six arrays. Two of them (R744RTAP, R744RIDP) are in
MVS System Management Facilities, z/OS 2.1, "Remote Facility Data Section"; the other four are
inferred from the gaps that they fill, as their notes say. R744HSAP also has four elements there.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts.rmf_codes import PATH_MODES
from ingest.formats.layouts.rmf_common import SOURCE

__all__ = ["CHANNEL_PATH", "CONNECTIVITY", "LOCAL", "PROCESSOR", "REMOTE", "STORAGE"]

# fmt: off
LOCAL = Layout(
    table="smf74_4_cf_local",
    title="Coupling facility",
    source=f"{SOURCE}, structure R744FLCF",
    length=188,
    fields=(
        Field("r744fnam",    0,  8, "text",     "coupling facility"),
        Field("r744fsys",    8,  8, "text",     "system that reports"),
        Field("r744fcei",   16,  1, "bit",      "whether the system was connected to the coupling facility at the end of the interval", bit=0),
        Field("r744fadi",   16,  1, "bit",      "became active in the interval", bit=1),
        Field("r744fpec",   16,  1, "bit",      "could not be measured during the whole interval", bit=2),
        Field("r744fdyd",   16,  1, "bit",      "dynamic dispatching, if r744flvl is over 14", bit=3),
        Field("r744fthn",   16,  1, "bit",      "thin interrupts, if r744flvl is over 18", bit=4),
        Field("r744fnohw",  16,  1, "bit",      "no hardware statistics because gathering was optimized", bit=5),
        Field("r744fflc",   17,  1, "unsigned", "flags; X'80' is channel paths set offline in the interval"),
        Field("r744famv",   19,  1, "unsigned", "version of the IXLYAMDA answer"),
        Field("r744fpam",   20,  4, "signed",   "paths from the system to the coupling facility", unit="paths"),
        Field("r744fpbc",   24,  8, "hexfloat", "requests that failed because a path was busy", unit="requests"),
        Field("r744fscg",   32,  4, "signed",   "subchannels defined to the coupling facility", unit="subchannels"),
        Field("r744fscu",   36,  4, "signed",   "subchannels in use", unit="subchannels"),
        Field("r744fscl",   40,  4, "signed",   "usable subchannels", unit="subchannels"),
        Field("r744fscc",   44,  8, "hexfloat", "times that all subchannels were busy", unit="times"),
        Field("r744ftor",   52,  8, "hexfloat", "requests of the system to the coupling facility", unit="requests"),
        Field("r744fail",   60,  8, "hexfloat", "requests of the system that failed", unit="requests"),
        Field("r744ftim",   68,  8, "ticks",    "service time of requests that failed"),
        Field("r744fsqu",   76,  8, "unsigned", "requests that failed: service time, sum of squares", unit="us^2"),
        Field("r744fctm",   84,  8, "ticks",    "time that synchronous immediate requests waited for a subchannel"),
        Field("r744fcsq",   92,  8, "unsigned", "synchronous immediate: wait for a subchannel, sum of squares", unit="us^2"),
        Field("r744fmod",  100,  6, "text",     "machine type"),
        Field("r744fver",  106,  3, "text",     "machine model"),
        Field("r744fmpc",  109,  2, "text",     "plant of manufacture"),
        Field("r744flpn",  111,  1, "unsigned", "partition number, from SMF level 55 and RMF version 718 on"),
        Field("r744flvl",  112,  4, "signed",   "level of the coupling facility control code"),
        Field("r744fpas",  116,  1, "unsigned", "mask of available paths"),
        Field("r744fpis",  117,  1, "unsigned", "mask of installed paths"),
        Field("r744fpcm",  118,  1, "unsigned", "mask of connected paths"),
        Field("r744ftap",  120,  5, "text",     "path types; the offset is inferred from the gap", shape=(8,), strides=(5,)),
        Field("r744fseq",  160, 12, "text",     "sequence number of the machine"),
        Field("r744fpsn",  172,  2, "unsigned", "shared processors, if r744flvl is over 14", unit="processors"),
        Field("r744fpdn",  174,  2, "unsigned", "dedicated processors, if r744flvl is over 14", unit="processors"),
        Field("r744fidp",  176,  1, "unsigned", "path identifiers; the offset is inferred from the gap", shape=(8,), strides=(1,)),
        Field("r744fcpi",  184,  2, "unsigned", "number of its first channel path section"),
        Field("r744fcpn",  186,  2, "unsigned", "its channel path sections", unit="sections"),
    ),
)

CONNECTIVITY = Layout(
    table="smf74_4_connectivity",
    title="Connected system",
    source=f"{SOURCE}, structure R744XCON",
    length=8,
    fields=(
        Field("r744xsys", 0, 8, "text", "another system that reports on this coupling facility"),
    ),
)

STORAGE = Layout(
    table="smf74_4_storage",
    title="Storage",
    source=f"{SOURCE}, storage data section",
    length=50,
    fields=(
        Field("r744gcsd",  0, 4, "signed",   "control storage", unit="4 KiB blocks"),
        Field("r744gcsf",  4, 4, "signed",   "free control storage", unit="4 KiB blocks"),
        Field("r744gtsd",  8, 4, "signed",   "storage of the coupling facility", unit="4 KiB blocks"),
        Field("r744gtsf", 12, 4, "signed",   "free storage of the coupling facility", unit="4 KiB blocks"),
        Field("r744gdsa", 16, 4, "signed",   "dump space", unit="4 KiB blocks"),
        Field("r744gdsf", 20, 4, "signed",   "free dump space", unit="4 KiB blocks"),
        Field("r744gdsr", 24, 4, "signed",   "dump space, most requested", unit="4 KiB blocks"),
        Field("r744gtsc", 32, 8, "unsigned", "storage class memory that structures can use", unit="4 KiB blocks"),
        Field("r744gfsc", 40, 8, "unsigned", "free storage class memory", unit="4 KiB blocks"),
        Field("r744gisc", 48, 2, "unsigned", "storage class memory is given in steps of", unit="4 KiB blocks"),
    ),
)

PROCESSOR = Layout(
    table="smf74_4_processor_utilization",
    title="Processor utilization",
    source=f"{SOURCE}, structure R744PROC",
    length=68,
    fields=(
        Field("r744pnum",  0,  4, "signed",   "processor of the coupling facility"),
        Field("r744pbsy",  4,  4, "ticks",    "time that the processor was busy"),
        Field("r744pwai",  8,  4, "ticks",    "time that the processor waited"),
        Field("r744ptde", 12,  1, "bit",      "dedicated, if r744flvl is over 14", bit=0),
        Field("r744pwgt", 14,  2, "unsigned", "weight of a shared processor, if r744flvl is over 14"),
        Field("r744pbsg", 16,  1, "unsigned", "buffer summary group, if r744flvl is over 24"),
        Field("r744pcct", 24,  4, "unsigned", "commands, if r744flvl is over 24", unit="commands"),
        Field("r744ptle", 28, 16, "bytes",    "place in the machine (STSI 15.1.2), if r744flvl is over 24"),
    ),
)

REMOTE = Layout(
    table="smf74_4_remote_cf",
    title="Remote coupling facility",
    source=f"{SOURCE}, structure R744CFRF",
    length=248,
    fields=(
        Field("ndeconfigcode",   1,  1, "bits",     "node: configuration code, the side of the machine", bit=0, width=4),
        Field("ndeppmode",       1,  1, "bit",      "node: physically partitioned", bit=5),
        Field("ndepartition",    3,  1, "unsigned", "node: partition"),
        Field("ndetype",         4,  6, "text",     "node: machine type"),
        Field("ndemodel",       10,  3, "text",     "node: machine model, perhaps not the current one"),
        Field("ndemfg",         13,  3, "text",     "node: manufacturer"),
        Field("ndeplant",       16,  2, "text",     "node: plant of manufacture"),
        Field("ndesequence",    18, 12, "text",     "node: sequence number"),
        Field("ndetag",         30,  2, "bytes",    "node: tag; the second byte is also NDECPCID, the machine's identifier"),
        Field("r744rsys",       32,  8, "bytes",    "identification of the remote coupling facility"),
        Field("r744rnam",       40,  8, "text",     "remote coupling facility"),
        Field("r744rpgs",       48,  1, "unsigned", "paths to it: receiver group", unit="paths"),
        Field("r744rcei",       49,  1, "bit",      "connected at the end", bit=0),
        Field("r744radi",       49,  1, "bit",      "became active in the interval", bit=1),
        Field("r744rres",       52,  4, "unsigned", "signals: ready to execute", unit="signals"),
        Field("r744rrcs",       56,  4, "unsigned", "signals: ready to complete", unit="signals"),
        Field("r744rhes",       60,  4, "unsigned", "signals: halt execution", unit="signals"),
        Field("r744rrss",       64,  4, "unsigned", "signals: request for suppression", unit="signals"),
        Field("r744rrsa",       68,  4, "unsigned", "signals: request for suppression accepted", unit="signals"),
        Field("r744rsst",       72,  4, "unsigned", "not used; see r744rsse"),
        Field("r744rsss",       76,  8, "unsigned", "signals: service time, sum of squares; unit not documented"),
        Field("r744rdsc",       84,  4, "unsigned", "signals: delayed", unit="signals"),
        Field("r744rsdt",       88,  4, "ticks",    "signals: delay, sum"),
        Field("r744rssd",       92,  8, "unsigned", "signals: delay, sum of squares; unit not documented"),
        Field("r744rsrs",      100,  4, "unsigned", "signals: sent again", unit="signals"),
        Field("r744rtap",      104,  5, "text",     "receiver paths: types", shape=(8,), strides=(5,)),
        Field("r744rsse",      144,  8, "ticks",    "signals: service time, sum"),
        Field("r744ridp",      152,  1, "unsigned", "receiver paths: identifiers", shape=(8,), strides=(1,)),
        Field("r744rcpi",      160,  2, "unsigned", "number of its first channel path section"),
        Field("r744rcpn",      162,  2, "unsigned", "its channel path sections", unit="sections"),
        Field("r744rsgs",      164,  1, "unsigned", "paths from it: sender group", unit="paths"),
        Field("r744rsap",      168,  5, "text",     "sender paths: types; the offset is inferred from the gap", shape=(8,), strides=(5,)),
        Field("r744rsid",      208,  1, "unsigned", "sender paths: identifiers; the offset is inferred from the gap", shape=(8,), strides=(1,)),
        Field("r744rsc",       216,  4, "unsigned", "subchannels to it", unit="subchannels"),
        Field("r744ramc",      220,  4, "unsigned", "asynchronous messages to it", unit="messages"),
        Field("r744ramst",     224,  8, "ticks",    "asynchronous messages: service time, sum"),
        Field("r744ramsq",     232,  8, "unsigned", "asynchronous messages: service time, sum of squares", unit="us^2"),
        Field("r744rampb",     240,  4, "unsigned", "asynchronous messages that found the path busy", unit="messages"),
        Field("r744ramns",     244,  4, "unsigned", "asynchronous messages without a subchannel", unit="messages"),
    ),
)

CHANNEL_PATH = Layout(
    table="smf74_4_channel_path",
    title="Channel path",
    source=f"{SOURCE}, structure R744CHPA",
    length=28,
    fields=(
        Field("r744hcpi",  0, 1, "unsigned", "channel path identifier"),
        Field("r744htap",  1, 5, "text",     "path type"),
        Field("r744hhca",  6, 1, "bit",      "adapter and port are valid", bit=0),
        Field("r744hmov",  6, 1, "bit",      "operation mode is valid", bit=1),
        Field("r744hlav",  6, 1, "bit",      "latency is valid", bit=2),
        Field("r744hdev",  6, 1, "bit",      "degraded flag is valid", bit=3),
        Field("r744hsav",  6, 1, "bits",     "which elements of r744hsap are valid: 8 the first to 1 the last", bit=4, width=4),
        Field("r744hpcv",  7, 1, "bit",      "physical channel is valid", bit=0),
        Field("r744hopm", 10, 1, "unsigned", "operation mode: speed, protocol and adapter", codes=PATH_MODES),
        Field("r744hdeg", 11, 1, "bit",      "degraded, or not operating", bit=0),
        Field("r744hsnd", 11, 1, "bit",      "sender path", bit=1),
        Field("r744hlat", 12, 4, "ticks",    "mean round trip; 0 is not measured"),
        Field("r744hpcp", 16, 2, "unsigned", "physical channel (CHID)"),
        Field("r744haid", 18, 2, "unsigned", "coupling adapter"),
        Field("r744hapn", 20, 1, "unsigned", "port"),
        Field("r744hsap", 24, 1, "unsigned", "I/O processors that reach the path; r744hsav says which of the four are valid", shape=(4,), strides=(1,)),
    ),
)
# fmt: on
