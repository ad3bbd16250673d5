"""Device activity, SMF 74 subtype 1.

The interface description gives no unit for most of a device's times: they are 128 microseconds
in MVS System Management Facilities, z/OS 2.1, "Device Data Section".
"""

from __future__ import annotations

from ingest.binary.layout import Field, Layout
from ingest.layouts.rmf_common import SOURCE

__all__ = ["DEVICE_CONTROL", "DEVICE_DATA"]

DEVICE_CONTROL = Layout(
    table="smf74_1_device_control",
    title="Device control",
    source=f"{SOURCE}, structure SMF74A",
    length=110,
    fields=(
        Field(
            "smf74nxt",
            0,
            2,
            "unsigned",
            "device data sections in the broken records that follow",
            unit="sections",
        ),
        Field(
            "smf74tot",
            2,
            2,
            "unsigned",
            "device data sections in all records of the class",
            unit="sections",
        ),
        Field(
            "smf74gen",
            4,
            2,
            "unsigned",
            "devices of all classes in the configuration",
            unit="devices",
        ),
        Field("smf74sub", 6, 2, "bytes", "device class, in the second byte"),
        Field("smf74nrf", 8, 1, "bit", "two areas in the report", bit=0),
        Field("smf74sgf", 8, 1, "bit", "sorted by storage group", bit=1),
        Field("smf74429", 9, 1, "bit", "message ERB429I was issued", bit=0),
        Field("smf74sme", 9, 1, "bit", "SMS could not be asked", bit=1),
        Field("smf74ecm", 10, 1, "bit", "extended channel measurement blocks", bit=0),
        Field("smf74sts", 10, 1, "bit", "STSCH gives no data that depend on the model", bit=1),
        Field("smf74fcm", 10, 1, "bit", "smf74cmr is valid", bit=2),
        Field("smf74fid", 10, 1, "bit", "smf74idt is valid", bit=3),
        Field("smf74msm", 11, 1, "bit", "more records of the class follow", bit=0),
        Field("smf74s15", 12, 4, "signed", "return code of the subsystem interface"),
        Field("smf74src", 16, 4, "signed", "return code of SMS"),
        Field("smf74srs", 20, 4, "signed", "reason code of SMS"),
        Field("smf74tsr", 24, 2, "unsigned", "small records in the interval", unit="records"),
        Field("smf74dca", 26, 1, "bit", "the configuration changed in the interval", bit=0),
        Field("smf74iac", 26, 1, "bit", "the configuration changed since IPL", bit=1),
        Field("smf74iod", 26, 1, "bit", "the IPL used an IODF", bit=2),
        Field("smf74icv", 26, 1, "bit", "the configuration token is valid", bit=3),
        Field("smf74lsn", 27, 1, "unsigned", "number of the record within its class"),
        Field("smf74tnm", 30, 44, "text", "IODF data set"),
        Field("smf74tsf", 74, 2, "text", "IODF suffix"),
        Field("smf74tdt", 78, 8, "text", "date of the IODF, mm/dd/yy"),
        Field("smf74ttm", 86, 8, "text", "time of the IODF, hh.mm.ss"),
        Field(
            "smf74mct", 96, 4, "unsigned", "most tape devices allocated at a time", unit="devices"
        ),
        Field("smf74tdy", 100, 10, "text", "date of the IODF, mm/dd/yyyy"),
    ),
)

DEVICE_DATA = Layout(
    table="smf74_1_device_data",
    title="Device data",
    source=f"{SOURCE}, structure SMF74B",
    length=300,
    fields=(
        Field("smf74num", 0, 2, "bytes", "device number"),
        Field("smf74lcu", 2, 2, "bytes", "logical control unit"),
        Field("smf74lcd", 5, 1, "bit", "no data of the logical control unit", bit=1),
        Field("smf74cmb", 5, 1, "bit", "measurements are invalid", bit=2),
        Field("smf74del", 5, 1, "bit", "device was deleted", bit=3),
        Field("smf74par", 5, 1, "bit", "statistics of a part of the interval only", bit=4),
        Field(
            "smf74vac", 5, 1, "bit", "data invalid, as the device was varied or reconfigured", bit=6
        ),
        Field("smf74sta", 5, 1, "bit", "online, or to be monitored, at the end", bit=7),
        Field("smf74ser", 6, 6, "text", "volume"),
        Field("smf74typ", 12, 4, "bytes", "unit type, UCBTYP"),
        Field(
            "smf74nux",
            16,
            4,
            "unsigned",
            "exposures; of a HyperPAV base, aliases summed over smf74psm",
        ),
        Field(
            "smf74ssc", 20, 4, "unsigned", "start subchannel instructions (SSCH)", unit="requests"
        ),
        Field("smf74mec", 24, 4, "unsigned", "SSCHs whose times were measured", unit="requests"),
        Field("smf74cnn", 28, 4, "ticks", "connect time", tick_us=128),
        Field("smf74pen", 32, 4, "ticks", "pending time", tick_us=128),
        Field("smf74atv", 36, 4, "ticks", "active time", tick_us=128),
        Field("smf74dis", 40, 4, "ticks", "disconnect time", tick_us=128),
        Field(
            "smf74que",
            44,
            4,
            "unsigned",
            "requests queued in IOS, sum over samples",
            unit="requests",
        ),
        Field("smf74utl", 48, 4, "unsigned", "reserved without SSCH", unit="samples"),
        Field("smf74rsv", 52, 4, "unsigned", "reserved", unit="samples"),
        Field("smf74alc", 60, 4, "unsigned", "allocated", unit="samples"),
        Field("smf74mtp", 64, 4, "unsigned", "mount pending", unit="samples"),
        Field("smf74nrd", 68, 4, "unsigned", "not ready", unit="samples"),
        Field(
            "smf74cof", 72, 2, "unsigned", "requests whose connect time overflowed", unit="requests"
        ),
        Field("smf74dvb", 76, 4, "ticks", "device busy delay", tick_us=128),
        Field("smf74rnr", 84, 1, "bit", "option for the number is on", bit=0),
        Field("smf74rsg", 84, 1, "bit", "option for storage groups is on", bit=1),
        Field("smf74rcs", 84, 1, "bit", "storage group was renamed in the interval", bit=2),
        Field("smf74mts", 84, 1, "bit", "mount was pending at the start", bit=3),
        Field("smf74mte", 84, 1, "bit", "mount was pending at the end", bit=4),
        Field(
            "smf74clw", 84, 1, "bit", "channel-to-channel adapter with a protocol of its own", bit=6
        ),
        Field("smf74sgn", 88, 8, "text", "storage group"),
        Field("smf74nda", 96, 4, "unsigned", "allocations in effect", unit="allocations"),
        Field("smf74dev", 100, 8, "text", "device model"),
        Field("smf74cu", 108, 8, "text", "control unit"),
        Field("smf74dyc", 120, 1, "bit", "device was changed dynamically", bit=0),
        Field("smf74ddt", 120, 1, "bit", "disconnect time is invalid", bit=1),
        Field("smf74pav", 120, 1, "bit", "base of a parallel access volume", bit=2),
        Field("smf74nxc", 120, 1, "bit", "the number of aliases changed", bit=3),
        Field("smf74ntf", 120, 1, "bit", "timing facility is not active", bit=4),
        Field("smf74cni", 120, 1, "bit", "connect time is invalid", bit=5),
        Field("smf74hpv", 120, 1, "bit", "HyperPAV base", bit=6),
        Field("smf74cfc", 120, 1, "bit", "attached by FICON", bit=7),
        Field("smf74hwr", 121, 1, "bit", "HyperWrite was requested", bit=0),
        Field("smf74xpv", 121, 1, "bit", "SuperPAV", bit=1),
        Field("smf74sir", 121, 1, "bit", "can read synchronously", bit=2),
        Field("smf74siw", 121, 1, "bit", "can write synchronously", bit=3),
        Field("smf74mtc", 122, 2, "unsigned", "mounts", unit="mounts"),
        Field("smf74srd", 124, 1, "bit", "describes itself: smf74dct is a node descriptor", bit=0),
        Field(
            "smf74snd",
            124,
            1,
            "bit",
            "does not describe itself: smf74dct begins with the device number in text",
            bit=1,
        ),
        Field("smf74shv", 124, 1, "bit", "smf74shr is valid", bit=3),
        Field("smf74shr", 124, 1, "bit", "shared by several systems", bit=4),
        Field(
            "smf74dct",
            125,
            28,
            "bytes",
            "node descriptor; or smf74ndn, the device number in text, if smf74snd is on",
        ),
        Field("smf74hpc", 153, 1, "unsigned", "HyperPAV aliases of the subsystem", unit="aliases"),
        Field(
            "smf74nss",
            154,
            2,
            "unsigned",
            "samples left out as too much had changed",
            unit="samples",
        ),
        Field("smf74psm", 156, 4, "unsigned", "good samples of PAV", unit="samples"),
        Field("smf74pct", 160, 4, "unsigned", "failed samples of PAV", unit="samples"),
        Field("smf74cmr", 164, 4, "ticks", "initial command response time", tick_us=128),
        Field("smf74cap", 168, 4, "unsigned", "size of the volume", unit="cylinders"),
        Field(
            "smf74idt",
            172,
            4,
            "unsigned",
            "interrupt delay; sources differ in its unit: 1 us or 128 us",
        ),
        Field(
            "smf74cuq",
            176,
            4,
            "ticks",
            "control unit queuing time; taken to be in 128 us as the other times",
            tick_us=128,
        ),
        Field("smf74scs", 181, 1, "unsigned", "subchannel set"),
        Field("smf74nm2", 182, 2, "bytes", "device number"),
        Field(
            "smf74atd", 184, 4, "unsigned", "I/Os that were delayed for aliases", unit="requests"
        ),
        Field("smf74agc", 191, 1, "unsigned", "alias group in the controller, if smf74xpv is on"),
        Field("smf74ags", 192, 4, "unsigned", "alias group in z/OS, if smf74xpv is on"),
        Field("smf74sbr", 200, 8, "hexfloat", "synchronous reads", unit="bytes"),
        Field("smf74sbw", 208, 8, "hexfloat", "synchronous writes", unit="bytes"),
        Field("smf74sqr", 216, 8, "hexfloat", "synchronous reads that succeeded", unit="requests"),
        Field("smf74sqw", 224, 8, "hexfloat", "synchronous writes that succeeded", unit="requests"),
        Field(
            "smf74spr",
            232,
            8,
            "hexfloat",
            "time of synchronous reads that succeeded",
            unit="0.5 us",
        ),
        Field(
            "smf74spw",
            240,
            8,
            "hexfloat",
            "time of synchronous writes that succeeded",
            unit="0.5 us",
        ),
        Field(
            "smf74sftr", 248, 8, "hexfloat", "time of synchronous reads that failed", unit="0.5 us"
        ),
        Field(
            "smf74sftw", 256, 8, "hexfloat", "time of synchronous writes that failed", unit="0.5 us"
        ),
        Field(
            "smf74slbr",
            264,
            4,
            "hexfloat",
            "synchronous reads that found the link busy",
            unit="requests",
        ),
        Field(
            "smf74slbw",
            268,
            4,
            "hexfloat",
            "synchronous writes that found the link busy",
            unit="requests",
        ),
        Field(
            "smf74scmr",
            272,
            4,
            "hexfloat",
            "synchronous reads that missed the cache",
            unit="requests",
        ),
        Field(
            "smf74snis",
            276,
            4,
            "hexfloat",
            "synchronous writes that could not be stored at once",
            unit="requests",
        ),
        Field("smf74stor", 280, 4, "hexfloat", "synchronous reads that timed out", unit="requests"),
        Field(
            "smf74stow", 284, 4, "hexfloat", "synchronous writes that timed out", unit="requests"
        ),
        Field(
            "smf74sor",
            288,
            4,
            "hexfloat",
            "synchronous reads refused for other reasons",
            unit="requests",
        ),
        Field(
            "smf74sow",
            292,
            4,
            "hexfloat",
            "synchronous writes refused for other reasons",
            unit="requests",
        ),
        Field("smf74ios", 296, 4, "hexfloat", "queue time in IOS", unit="us"),
    ),
)
