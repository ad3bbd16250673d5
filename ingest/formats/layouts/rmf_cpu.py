"""CPU activity, SMF 70 subtype 1: processors, PR/SM's partitions, waiting work.

A partition's logical processors are `smf70bdn` sections, after `smf70bds` others; a core's threads
are CPU data sections in the same way. Sums over samples must be divided by `smf70sam`, or by
`smf70dsa` if they come from diagnose X'204'. Units that the interface description omits (SMF70ONT,
SMF70WST) are those that F. Wong's printing of smf70h.h uses. SMF70CPA is from MVS System Management
Facilities, z/OS 3.1, "CPU control section".
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts.rmf_codes import CPU_TYPES, POLARIZATION
from ingest.formats.layouts.rmf_common import SOURCE

__all__ = [
    "ASID_DATA",
    "CPU_CONTROL",
    "CPU_DATA",
    "CPU_IDENTIFICATION",
    "LOGICAL_CORE",
    "LOGICAL_PROCESSOR",
    "PARTITION",
    "TENANT_GROUP",
]


def _counts(prefix: str, offset: int, what: str, ends: tuple[str, ...]) -> tuple[Field, ...]:
    """Return how often a number of users was seen: a field per class of numbers."""
    return tuple(
        Field(f"smf70{prefix}{i:02}", offset + 4 * i, 4, "signed", f"{what}: {end}", unit="samples")
        for i, end in enumerate(ends)
    )


def _users(prefix: str, offset: int, what: str, ends: tuple[str, ...]) -> tuple[Field, ...]:
    """Return a number of users: minimum, maximum, sum over samples, and the distribution."""
    return (
        Field(f"smf70{prefix}mn", offset, 2, "signed", f"{what}: minimum", unit="users"),
        Field(f"smf70{prefix}mm", offset + 2, 2, "signed", f"{what}: maximum", unit="users"),
        Field(f"smf70{prefix}tt", offset + 4, 4, "signed", f"{what}: sum over samples"),
        *_counts(prefix, offset + 8, what, ends),
    )


def _work_units(prefix: str, offset: int, what: str) -> tuple[Field, ...]:
    return (
        Field(f"smf70{prefix}mn", offset, 4, "unsigned", f"{what}: minimum", unit="work units"),
        Field(f"smf70{prefix}mm", offset + 4, 4, "unsigned", f"{what}: maximum", unit="work units"),
        Field(f"smf70{prefix}tt", offset + 8, 4, "unsigned", f"{what}: sum over smf70srm samples"),
    )


_ONE_BY_ONE = (*map(str, range(15)), "15 or more")
_CLASSES = (
    *("0", "1-2", "3-4", "5-6", "7-8", "9-10", "11-15", "16-20", "21-25", "26-30", "31-35"),
    "36 or more",
)
_ABOVE = (
    *("as many as processors or fewer", "1 more", "2 more", "3 more", "4-5 more", "6-10 more"),
    *("11-15 more", "16-20 more", "21-30 more", "31-40 more", "41-60 more", "61-80 more"),
)

# fmt: off
ASID_DATA = Layout(
    table="smf70_1_asid_data",
    title="Address spaces in queues, and work units",
    source=f"{SOURCE}, structure SMF70AID",
    length=788,
    fields=(
        *_users("r", 0, "ready users", _ONE_BY_ONE),
        *_users("i", 72, "users in storage", _CLASSES),
        *_users("o", 128, "users swapped out and ready", _CLASSES),
        *_users("w", 184, "users swapped out and waiting", _CLASSES),
        *_users("b", 240, "batch users", _CLASSES),
        *_users("s", 296, "started tasks", _CLASSES),
        *_users("t", 352, "TSO users", _CLASSES),
        *_users("l", 408, "users logically swapped and ready", _CLASSES),
        *_users("a", 464, "users logically swapped and waiting", _CLASSES),
        *_users("p", 520, "ASCH users", _CLASSES),
        *_users("x", 576, "OMVS users", _CLASSES),
        *_counts("q", 632, "users in storage and ready", (*_ABOVE, "81 more or over")),
        Field("smf70srm", 684, 4, "signed", "work unit samples that SRM took", unit="samples"),
        *_work_units("c", 688, "work units for CPs"),
        *_work_units("d", 700, "work units for zAAPs"),
        *_work_units("e", 712, "work units for zIIPs"),
        *_counts(
            "u",
            724,
            "work units",
            (*_ABOVE, "81-100 more", "101-120 more", "121-150 more", "151 more or over"),
        ),
    ),
)

CPU_CONTROL = Layout(
    table="smf70_1_cpu_control",
    title="CPU control",
    source=f"{SOURCE}, structure SMF70CTL",
    length=404,
    fields=(
        Field("smf70mod",       0,  2, "bytes",    "processor family, the machine type in hexadecimal digits"),
        Field("smf70ver",       2,  1, "unsigned", "CPU version"),
        Field("smf70bnp",       3,  1, "unsigned", "physical processors that PR/SM can use", unit="processors"),
        Field("smf70dif",       4,  1, "bit",      "diagnose X'204' failed", bit=0),
        Field("smf70npc",       4,  1, "bit",      "the number of physical processors changed", bit=1),
        Field("smf70tsc",       4,  1, "bit",      "the dispatch interval changed", bit=2),
        Field("smf70phy",       4,  1, "bit",      "partition PHYSICAL is present, with time that belongs to no other", bit=3),
        Field("smf70dge",       4,  1, "bit",      "extended data of diagnose X'204' are supported", bit=4),
        Field("smf70vmg",       4,  1, "bit",      "guest of z/VM, with simplified data", bit=5),
        Field("smf70sts",       5,  1, "bit",      "the machine has the store-system-information facility", bit=0),
        Field("smf70adc",       5,  1, "bit",      "the physical adjustment factor changed", bit=1),
        Field("smf70wuc",       5,  1, "bit",      "the capacity available to the image changed", bit=2),
        Field("smf70rcu",       5,  1, "bit",      "smf70lac leaves wait time out, under LPAR and z/VM alike", bit=3),
        Field("smf70hwv",       5,  1, "bit",      "smf70hwm is the physical model and smf70mdl the capacity", bit=4),
        Field("smf70ptc",       5,  1, "bit",      "BLWLTRPCT changed", bit=5),
        Field("smf70plc",       5,  1, "bit",      "BLWLINTHD changed", bit=6),
        Field("smf70gav",       5,  1, "bit",      "smf70gau is valid", bit=7),
        Field("smf70gts",       6,  2, "ticks",    "dispatch interval; 0 if PR/SM chooses it dynamically", tick_us=1000),
        Field("smf70mdl",       8, 16, "text",     "model of the machine; see smf70hwv"),
        Field("smf70dsa",      24,  2, "unsigned", "PR/SM samples that RMF took in the interval", unit="samples"),
        Field("smf70ifa",      26,  2, "signed",   "zAAPs online at the end", unit="processors"),
        Field("smf70cpa",      28,  4, "signed",   "physical CPU adjustment factor, superseded by smf70cpa_actual"),
        Field("smf70wla",      32,  4, "unsigned", "capacity of the image, or of z/VM", unit="MSU"),
        Field("smf70lac",      36,  4, "unsigned", "long-term average of CPU service", unit="MSU"),
        Field("smf70hof",      40,  8, "offset",   "hypervisor's clock less UTC"),
        Field("smf70hwm",      48, 16, "text",     "physical model, if smf70hwv is on"),
        Field("smf70sup",      64,  2, "signed",   "zIIPs online at the end", unit="processors"),
        Field("smf70gjt",      66,  8, "stck",     "when the partition joined or left its capacity group"),
        Field("smf70pom",      74,  4, "text",     "plant of manufacture"),
        Field("smf70csc",      78, 16, "text",     "sequence code of the machine"),
        Field("smf70hhs",      94,  1, "bit",      "can use HiperDispatch", bit=0),
        Field("smf70hha",      94,  1, "bit",      "whether HiperDispatch is on", bit=1),
        Field("smf70hhc",      94,  1, "bit",      "HiperDispatch was turned on or off", bit=2),
        Field("smf70hif",      94,  1, "bit",      "multithreading values are invalid because service HisMT failed", bit=3),
        Field("smf70ham",      94,  1, "bit",      "an absolute cap in MSU is active", bit=4),
        Field("smf70hop",      94,  1, "bit",      "smf70os_prtct is valid", bit=5),
        Field("smf70cr",       95,  1, "bytes",    "ZEP field 0, undescribed"),
        Field("smf70pmi",      96,  4, "signed",   "blocked units of work per second, sum over samples; divide by smf70sam", unit="units of work"),
        Field("smf70pmu",     100,  4, "signed",   "promoted blocked units of work", unit="units of work"),
        Field("smf70pmw",     104,  4, "signed",   "blocked address spaces and enclaves, sum over samples; divide by smf70sam"),
        Field("smf70pmp",     108,  4, "signed",   "most address spaces and enclaves blocked at a time"),
        Field("smf70pmt",     112,  2, "unsigned", "share of CPU for promoting (BLWLTRPCT)", unit="1/1000"),
        Field("smf70pml",     114,  2, "unsigned", "time after which waiting work counts as blocked (BLWLINTHD); unit not documented"),
        Field("smf70mpc",     116, 16, "text",     "permanent model capacity"),
        Field("smf70mtc",     132, 16, "text",     "temporary model capacity"),
        Field("smf70mcr",     148,  4, "unsigned", "rating of smf70mdl"),
        Field("smf70mpr",     152,  4, "unsigned", "rating of smf70mpc"),
        Field("smf70mtr",     156,  4, "unsigned", "rating of smf70mtc"),
        Field("smf70zep",     160,  4, "signed",   "ZEP field 1, undescribed"),
        Field("smf70zer",     164,  8, "bytes",    "ZEP field 2, undescribed"),
        Field("smf70zee",     172,  8, "bytes",    "ZEP field 3, undescribed"),
        Field("smf70zec",     180,  8, "bytes",    "ZEP field 4, undescribed"),
        Field("smf70nrm",     188,  4, "signed",   "factor from zIIP time to CP time", unit="1/256"),
        Field("smf70gau",     192,  4, "signed",   "capacity left to the group; negative is capped", unit="MSU"),
        Field("smf70zei",     196,  8, "bytes",    "ZEP field 5, undescribed"),
        Field("smf70ncr",     204,  4, "unsigned", "nominal rating of smf70mdl"),
        Field("smf70npr",     208,  4, "unsigned", "nominal rating of smf70mpc"),
        Field("smf70ntr",     212,  4, "unsigned", "nominal rating of smf70mtc"),
        Field("smf70cai",     216,  1, "unsigned", "current capacity; 0 is unreported and 100 normal", unit="%"),
        Field("smf70ccr",     217,  1, "unsigned", "why the capacity changed: 1 by hand, more than 1 inside the machine"),
        Field("smf70mcp",     218,  2, "signed",   "highest CPU address of this IPL"),
        Field("smf70icp",     220,  2, "signed",   "highest CPU id at IPL"),
        Field("smf70ccp",     222,  2, "signed",   "highest CPU id now"),
        Field("smf70cpa_actual", 224,  4, "signed",   "physical CPU adjustment factor, times smf70cpa_scaling_factor"),
        Field("smf70cpa_scaling_factor", 228,  4, "signed",   "scaling factor of smf70cpa_actual"),
        Field("smf70mcf",     232,  4, "signed",   "multithreading, maximum capacity of CPs", unit="1/1024"),
        Field("smf70mcfs",    236,  4, "signed",   "multithreading, maximum capacity of zIIPs", unit="1/1024"),
        Field("smf70mcfi",    240,  4, "signed",   "multithreading, maximum capacity of zAAPs", unit="1/1024"),
        Field("smf70cf",      244,  4, "signed",   "multithreading, capacity of CPs", unit="1/1024"),
        Field("smf70cfs",     248,  4, "signed",   "multithreading, capacity of zIIPs", unit="1/1024"),
        Field("smf70cfi",     252,  4, "signed",   "multithreading, capacity of zAAPs", unit="1/1024"),
        Field("smf70atd",     256,  4, "signed",   "active threads per CP on average", unit="1/1024"),
        Field("smf70atds",    260,  4, "signed",   "active threads per zIIP on average", unit="1/1024"),
        Field("smf70atdi",    264,  4, "signed",   "active threads per zAAP on average", unit="1/1024"),
        Field("smf70lacm",    268,  4, "unsigned", "long-term average of work in category MOBILE, without tenants", unit="MSU"),
        Field("smf70laca",    272,  4, "unsigned", "long-term average of work in CATEGORYA, without tenants", unit="MSU"),
        Field("smf70lacb",    276,  4, "unsigned", "long-term average of work in CATEGORYB, without tenants", unit="MSU"),
        Field("smf70adj",     280,  4, "unsigned", "adjustment factor of the logical CPUs"),
        Field("smf70laccr",   284,  4, "unsigned", "long-term average of data set encryption, from z14 on", unit="MSU"),
        Field("smf70maxpu",   288,  2, "signed",   "cores in the machine; 0 is not defined", unit="cores"),
        Field("smf70os_prtct", 290,  1, "unsigned", "OSPROTECT is not SYSTEM unless this is 0; see smf70hop"),
        Field("smf70_ipl_time", 324,  8, "stck",     "when the system was started (IPL)"),
        Field("smf70_trg_m_cnt", 332,  4, "unsigned", "samples of the memory of tenant groups", unit="samples"),
        Field("smf70cpc_type", 340,  4, "text",     "type of the machine, such as 8561"),
        Field("smf70mdl_var", 344, 16, "text",     "variable model capacity; zero if not supported"),
        Field("smf70mvcr",    360,  4, "unsigned", "rating of smf70mdl_var"),
        Field("smf70nvcr",    364,  4, "unsigned", "nominal rating of smf70mdl_var"),
        Field("smf70zsu_on_ziip", 368,  8, "unsigned", "zIIP-eligible work on zIIPs, unweighted", unit="service units"),
        Field("smf70zsu_on_cp", 376,  8, "unsigned", "zIIP-eligible work on CPs, unweighted", unit="service units"),
        Field("smf70jsu_on_ziip", 384,  8, "unsigned", "eligible Java work on zIIPs, unweighted", unit="service units"),
        Field("smf70jsu_on_cp", 392,  8, "unsigned", "eligible Java work on CPs, unweighted", unit="service units"),
        Field("smf70cpe_lo",  400,  2, "signed",   "CPENABLE, low threshold"),
        Field("smf70cpe_hi",  402,  2, "signed",   "CPENABLE, high threshold"),
    ),
)

CPU_DATA = Layout(
    table="smf70_1_cpu_data",
    title="CPU data",
    source=f"{SOURCE}, structure SMF70CPU",
    length=92,
    fields=(
        Field("smf70wat",  0, 8, "tod",      "time that the processor was in wait state, as seen by z/OS; NULL if the data is invalid"),
        Field("smf70cid",  8, 2, "signed",   "address of the processor"),
        Field("smf70mti", 10, 1, "bit",      "whether the thread is offline on a core that is online", bit=3),
        Field("smf70dci", 10, 1, "bit",      "whether the processor has data for the whole interval", bit=4),
        Field("smf70par", 10, 1, "bit",      "varied within the interval of a report", bit=5),
        Field("smf70vac", 10, 1, "bit",      "whether the processor's data is invalid because it was reconfigured", bit=6),
        Field("smf70sta", 10, 1, "bit",      "whether the processor was online at the end of the interval", bit=7),
        Field("smf70ser", 12, 3, "bytes",    "serial number, six hexadecimal digits"),
        Field("smf70typ", 15, 1, "unsigned", "kind of processor: 0 CP, 1 zAAP, 2 zIIP", codes=CPU_TYPES),
        Field("smf70slh", 16, 4, "signed",   "I/O interrupts through the handler (SLIH)", unit="interrupts"),
        Field("smf70tpi", 20, 4, "signed",   "I/O interrupts through TPI", unit="interrupts"),
        Field("smf70vfs", 24, 4, "signed",   "samples with the vector bit on", unit="samples"),
        Field("smf70von", 28, 1, "bit",      "vector facility online", bit=0),
        Field("smf70pat", 32, 8, "tod",      "time that z/OS had the processor parked"),
        Field("smf70tcb", 40, 8, "unsigned", "dispatches of TCBs", unit="dispatches"),
        Field("smf70srb", 48, 8, "unsigned", "dispatches of SRBs", unit="dispatches"),
        Field("smf70nio", 56, 8, "unsigned", "I/Os", unit="requests"),
        Field("smf70sig", 64, 8, "unsigned", "SIGP instructions", unit="instructions"),
        Field("smf70wtd", 72, 8, "unsigned", "dispatches of wait", unit="dispatches"),
        Field("smf70wts", 80, 4, "unsigned", "warning-track interrupts answered in time", unit="interrupts"),
        Field("smf70wtu", 84, 4, "unsigned", "warning-track interrupts not answered in time", unit="interrupts"),
        Field("smf70wti", 88, 4, "ticks",    "time yielded after warning-track interrupts", tick_us=1000),
    ),
)

CPU_IDENTIFICATION = Layout(
    table="smf70_1_cpu_identification",
    title="CPU identification",
    source=f"{SOURCE}, structure SMF70CIS",
    length=24,
    fields=(
        Field("smf70cin",  0, 16, "text",     "name of a kind of processor"),
        Field("smf70ctn", 16,  2, "unsigned", "physical processors of the kind at the end", unit="processors"),
        Field("smf70can", 20,  4, "unsigned", "physical processors of the kind, sum over samples; divide by smf70dsa"),
    ),
)

LOGICAL_CORE = Layout(
    table="smf70_1_logical_core_data",
    title="Logical core data",
    source=f"{SOURCE}, structure SMF70LCS",
    length=16,
    fields=(
        Field("smf70_core_id",    0, 2, "unsigned", "number of the logical core of the processor; without multithreading the number of the processor"),
        Field("smf70_lpb_valid",  2, 1, "bit",      "smf70_lpar_busy is valid", bit=0),
        Field("smf70_cpu_skip",   4, 2, "unsigned", "CPU data sections before the first of this core", unit="sections"),
        Field("smf70_cpu_num",    6, 2, "unsigned", "CPU data sections of this core, one per thread", unit="processors"),
        Field("smf70_prod",       8, 4, "signed",   "multithreading, productivity of the core", unit="1/1024"),
        Field("smf70_lpar_busy", 12, 4, "ticks",    "multithreading, time that the core was busy", tick_us=1000),
    ),
)

PARTITION = Layout(
    table="smf70_1_prsm_partition",
    title="PR/SM partition",
    source=f"{SOURCE}, structure SMF70BCT",
    length=84,
    fields=(
        Field("smf70lpm",   0, 8, "text",     "name of the partition"),
        Field("smf70lpn",   8, 1, "unsigned", "number of the partition"),
        Field("smf70pdv",   9, 1, "bit",      "activated or deactivated in the interval", bit=0),
        Field("smf70nvc",   9, 1, "bit",      "the number of logical processors changed", bit=1),
        Field("smf70ndc",   9, 1, "bit",      "the number of dedicated processors changed", bit=2),
        Field("smf70nsc",   9, 1, "bit",      "the number of shared processors changed", bit=3),
        Field("smf70wlm",   9, 1, "bit",      "managed by WLM", bit=4),
        Field("smf70wtf",   9, 1, "bit",      "smf70wst is valid", bit=5),
        Field("smf70msc",   9, 1, "bit",      "the defined capacity changed", bit=6),
        Field("smf70bdn",  10, 2, "signed",   "logical processors, and so logical processor sections", unit="processors"),
        Field("smf70bds",  12, 4, "signed",   "logical processor sections before the first of this partition", unit="sections"),
        Field("smf70bda",  16, 4, "unsigned", "active logical processors, sum over samples; divide by smf70dsa"),
        Field("smf70spn",  20, 8, "text",     "LPAR cluster"),
        Field("smf70stn",  28, 8, "text",     "system that runs in the partition"),
        Field("smf70csf",  40, 4, "unsigned", "central storage online", unit="MB"),
        Field("smf70esf",  48, 4, "unsigned", "expanded storage online", unit="MB"),
        Field("smf70msu",  52, 4, "unsigned", "defined capacity", unit="MSU"),
        Field("smf70uvf",  56, 2, "bit",      "smf70upi is valid", bit=0),
        Field("smf70grp",  56, 2, "bit",      "member of a capacity group", bit=1),
        Field("smf70pwf",  56, 2, "bit",      "vertically polarized; smf70pow is valid", bit=2),
        Field("smf70uiw",  56, 2, "bit",      "initial weights are used to project the group's use", bit=3),
        Field("smf70upi",  58, 1, "unsigned", "user's number of the partition"),
        Field("smf70mtid", 59, 1, "unsigned", "highest thread number; not 0 is multithreading"),
        Field("smf70gnm",  60, 8, "text",     "capacity group, if smf70grp is on"),
        Field("smf70gmu",  68, 4, "unsigned", "limit of the capacity group, if smf70grp is on", unit="MSU"),
        Field("smf70hwgr_name", 72, 8, "text",     "hardware group"),
        Field("smf70_boostinfo_ziip", 80, 1, "bit",      "zIIP boost in some of the interval", bit=0),
        Field("smf70_boostinfo_speed", 80, 1, "bit",      "speed boost in some of the interval", bit=1),
    ),
)

LOGICAL_PROCESSOR = Layout(
    table="smf70_1_prsm_logical_processor",
    title="PR/SM logical processor",
    source=f"{SOURCE}, structure SMF70BPD",
    length=96,
    fields=(
        Field("smf70pdt",     0, 8, "ticks",    "dispatch time; for PHYSICAL, busy for no partition"),
        Field("smf70vpa",     8, 2, "unsigned", "logical processor of the partition"),
        Field("smf70bps",    10, 2, "unsigned", "weight; X'FFFF' is a dedicated processor"),
        Field("smf70wsa",    12, 1, "bit",      "whether the processor stays dispatched while it waits", bit=0),
        Field("smf70wsc",    12, 1, "bit",      "wait completion changed", bit=1),
        Field("smf70rsc",    12, 1, "bit",      "the weight changed", bit=2),
        Field("smf70cap",    12, 1, "bit",      "initial capping is on", bit=3),
        Field("smf70cpc",    12, 1, "bit",      "initial capping changed", bit=4),
        Field("smf70lpo",    12, 1, "bit",      "varied online in the interval", bit=5),
        Field("smf70hcc",    12, 1, "bit",      "smf70hw_cap_limit changed", bit=6),
        Field("smf70hgc",    12, 1, "bit",      "hardware group or its limit changed", bit=7),
        Field("smf70poi",    13, 1, "bits",     "polarization", bit=0, codes=POLARIZATION, width=2),
        Field("smf70poc",    13, 1, "bit",      "the polarization changed", bit=2),
        Field("smf70cix",    14, 2, "unsigned", "section that identifies the kind of processor"),
        Field("smf70edt",    16, 8, "ticks",    "dispatch time without PR/SM's own time; 0 if not supported"),
        Field("smf70acs",    24, 4, "unsigned", "actual share, sum over samples; divide by smf70dsa"),
        Field("smf70mis",    28, 2, "unsigned", "minimum share"),
        Field("smf70mas",    30, 2, "unsigned", "maximum share"),
        Field("smf70nsi",    32, 4, "unsigned", "samples less than 10 % above the minimum", unit="samples"),
        Field("smf70nsa",    36, 4, "unsigned", "samples less than 10 % below the maximum", unit="samples"),
        Field("smf70ont",    40, 8, "ticks",    "time that the logical processor was online"),
        Field("smf70wst",    48, 8, "ticks",    "time in wait state, if smf70wtf is on"),
        Field("smf70pma",    56, 4, "signed",   "adjustment of the weight for pricing, average"),
        Field("smf70nsw",    60, 4, "unsigned", "samples in which WLM held the partition to its defined capacity or group limit", unit="samples"),
        Field("smf70pow",    64, 4, "unsigned", "HiperDispatch weight times 4096, sum over samples; divide by smf70dsa"),
        Field("smf70nca",    68, 4, "unsigned", "samples in which capping limited the partition", unit="samples"),
        Field("smf70hw_cap_limit", 72, 4, "unsigned", "absolute limit of the partition; 0 means none", unit="1/100 CPU"),
        Field("smf70hwgr_cap_limit", 76, 4, "unsigned", "absolute limit of the hardware group; 0 means none", unit="1/100 CPU"),
        Field("smf70mtit",   80, 8, "ticks",    "multithreading, time that threads idled; needs smf70mtid"),
        Field("smf70topoc",  88, 1, "bit",      "the topology changed", bit=0),
        Field("smf70maxnl",  89, 1, "unsigned", "nesting levels of the machine's topology; 0 if unknown, 1 if there is none", unit="levels"),
        Field("smf70cordl1", 90, 1, "unsigned", "place at nesting level 1, if smf70maxnl is over 0"),
        Field("smf70cordl2", 91, 1, "unsigned", "place at nesting level 2, if smf70maxnl is over 1"),
        Field("smf70cordl3", 92, 1, "unsigned", "place at nesting level 3, if smf70maxnl is over 2"),
        Field("smf70cordl4", 93, 1, "unsigned", "place at nesting level 4, if smf70maxnl is over 3"),
        Field("smf70cordl5", 94, 1, "unsigned", "place at nesting level 5, if smf70maxnl is over 4"),
        Field("smf70cordl6", 95, 1, "unsigned", "place at nesting level 6, if smf70maxnl is over 5"),
    ),
)

TENANT_GROUP = Layout(
    table="smf70_1_tenant_resource_group",
    title="Tenant resource group",
    source=f"{SOURCE}, structure SMF70TNT",
    length=188,
    fields=(
        Field("smf70_trg_name",      0,  8, "text",     "tenant resource group"),
        Field("smf70_trg_desc",      8, 32, "text",     "description of the group"),
        Field("smf70_trg_tntid",    40,  8, "text",     "tenant's id"),
        Field("smf70_trg_tntname",  48, 32, "text",     "tenant's name"),
        Field("smf70_trg_sbid",     80, 64, "text",     "solution's id"),
        Field("smf70_trg_sucp",    144,  8, "unsigned", "service on CPs, unweighted", unit="service units"),
        Field("smf70_trg_suifa",   152,  8, "unsigned", "service on zAAPs, unweighted", unit="service units"),
        Field("smf70_trg_susup",   160,  8, "unsigned", "service on zIIPs, unweighted", unit="service units"),
        Field("smf70_trg_lac",     168,  4, "unsigned", "long-term average on CPs", unit="MSU/h"),
        Field("smf70_trg_flags",   176,  2, "unsigned", "flags, undescribed"),
        Field("smf70_trg_mem",     180,  8, "unsigned", "memory, sum over samples; divide by smf70_trg_m_cnt", unit="4 KiB frames"),
    ),
)
# fmt: on
