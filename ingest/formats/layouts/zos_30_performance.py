"""SMF 30: service, service class, and mounts by the operator.

Normalisation factors, including that of zIIP, are in units of 1/256. Source: IBM z/OS 3.1 Data
Gatherer, SMF record type 30.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

__all__ = ["SMF30_OPERATOR", "SMF30_PERFORMANCE"]

_SOURCE = "IBM z/OS 3.1 Data Gatherer, SMF record type 30"

# fmt: off
SMF30_PERFORMANCE = Layout(
    table="smf30_performance",
    title="Service and WLM class",
    source=_SOURCE,
    length=216,
    fields=(
        Field("smf30srv",                 0,  4, "unsigned", "service; may wrap: see smf30srv_l", unit="service units"),
        Field("smf30csu",                 4,  4, "unsigned", "CPU service; may wrap: see smf30csu_l", unit="service units"),
        Field("smf30srb",                 8,  4, "unsigned", "SRB service; may wrap: see smf30srb_l", unit="service units"),
        Field("smf30io",                 12,  4, "unsigned", "I/O service; may wrap: see smf30io_l", unit="service units"),
        Field("smf30mso",                16,  4, "unsigned", "storage service; may wrap: see smf30mso_l", unit="service units"),
        Field("smf30tat",                20,  4, "ticks",    "transaction active time", tick_us=1024),
        Field("smf30sus",                24,  4, "unsigned", "CPU time of one service unit", unit="1/16 us"),
        Field("smf30res",                28,  4, "ticks",    "transaction residency time", tick_us=1024),
        Field("smf30trs",                32,  4, "signed",   "transactions", unit="transactions"),
        Field("smf30wlm",                36,  8, "text",     "workload"),
        Field("smf30scn",                44,  8, "text",     "service class"),
        Field("smf30grn",                52,  8, "text",     "resource group"),
        Field("smf30rcn",                60,  8, "text",     "report class"),
        Field("smf30eta",                68,  4, "ticks",    "transaction active time of independent enclaves", tick_us=1024),
        Field("smf30esu",                72,  4, "unsigned", "CPU service of independent enclaves; may wrap: see smf30esu_l", unit="service units"),
        Field("smf30etc",                76,  4, "signed",   "transactions of independent enclaves", unit="transactions"),
        Field("smf30pfl",                80, 16, "text",     "scheduling environment, from the JCL"),
        Field("smf30jqt",                96,  4, "ticks",    "time in JCL conversion; batch only", tick_us=1024),
        Field("smf30rqt",               100,  4, "ticks",    "time held for affinity or scheduling environment; batch only", tick_us=1024),
        Field("smf30hqt",               104,  4, "ticks",    "time held for another reason; batch only", tick_us=1024),
        Field("smf30sqt",               108,  4, "ticks",    "time eligible to run, waiting for an initiator", tick_us=1024),
        Field("smf30pfj",               112,  1, "bit",      "the operator changed the service class before initiation", bit=0),
        Field("smf30pfr",               112,  1, "bit",      "the operator changed the service class while it ran", bit=1),
        Field("smf30pff",               112,  1, "bit",      "the operator forced initiation", bit=2),
        Field("smf30rtr",               112,  1, "bit",      "the job was restarted", bit=3),
        Field("smf30msi",               112,  1, "bit",      "data from remote systems are incomplete", bit=4),
        Field("smf30wmi",               112,  1, "bit",      "runs in an initiator that WLM manages", bit=5),
        Field("smf30ccp",               112,  1, "bit",      "the assigned service class is CPU-critical", bit=6),
        Field("smf30csp",               112,  1, "bit",      "the service class served is storage-critical", bit=7),
        Field("smf30asp",               113,  1, "bit",      "the address space is storage-critical", bit=0),
        Field("smf30sme",               113,  1, "bit",      "cannot be managed by transaction goals", bit=1),
        Field("smf30cpr",               113,  1, "bit",      "is CPU-protected", bit=2),
        Field("smf30spr",               113,  1, "bit",      "is storage-protected", bit=3),
        Field("smf30pin",               113,  1, "bit",      "performance values are incomplete", bit=4),
        Field("smf30crm",               113,  1, "bit",      "the region is managed by the goals of both", bit=5),
        Field("smf30srv_inv",           114,  1, "bit",      "smf30srv wrapped", bit=0),
        Field("smf30csu_inv",           114,  1, "bit",      "smf30csu wrapped", bit=1),
        Field("smf30srb_inv",           114,  1, "bit",      "smf30srb wrapped", bit=2),
        Field("smf30io_inv",            114,  1, "bit",      "smf30io wrapped", bit=3),
        Field("smf30mso_inv",           114,  1, "bit",      "smf30mso wrapped", bit=4),
        Field("smf30esu_inv",           114,  1, "bit",      "smf30esu wrapped", bit=5),
        Field("smf30zep",               115,  1, "unsigned", "not documented"),
        Field("smf30jpn",               116,  8, "text",     "name of the subsystem collection"),
        Field("smf30msc",               124,  4, "unsigned", "service coefficient of storage (MSO), 10000 times"),
        Field("smf30cpc",               128,  2, "unsigned", "service coefficient of CPU, 10 times"),
        Field("smf30loc",               130,  2, "unsigned", "service coefficient of I/O (IOC), 10 times"),
        Field("smf30src",               132,  2, "unsigned", "service coefficient of SRB, 10 times"),
        Field("smf30znf",               134,  2, "unsigned", "normalisation factor of zAAP", unit="1/256"),
        Field("smf30snf",               136,  2, "unsigned", "normalisation factor of zIIP", unit="1/256"),
        Field("smf30srv_l",             144,  8, "unsigned", "service", unit="service units"),
        Field("smf30csu_l",             152,  8, "unsigned", "CPU service", unit="service units"),
        Field("smf30srb_l",             160,  8, "unsigned", "SRB service", unit="service units"),
        Field("smf30io_l",              168,  8, "unsigned", "I/O service", unit="service units"),
        Field("smf30mso_l",             176,  8, "unsigned", "storage service", unit="service units"),
        Field("smf30esu_l",             184,  8, "unsigned", "CPU service of independent enclaves", unit="service units"),
        Field("smf30lga",               192,  1, "bit",      "not documented", bit=0),
        Field("smf30p1a",               192,  1, "bit",      "not documented", bit=1),
        Field("smf30cr",                193,  1, "unsigned", "not documented"),
        Field("smf30_capacity_change_cnt", 194,  2, "unsigned", "changes of the processor's capacity since the previous interval or event", unit="changes"),
        Field("smf30_rctpcpua_actual",  196,  4, "signed",   "CPU adjustment factor of the machine"),
        Field("smf30_rctpcpua_nominal", 200,  4, "signed",   "CPU adjustment factor of the machine at nominal capacity"),
        Field("smf30_rctpcpua_scaling_factor", 204,  4, "signed",   "scale of the two preceding factors"),
        Field("smf30_capacity_adjustment_ind", 208,  1, "unsigned", "capacity: 0 not reported, 1 to 99 reduced, 100 nominal", unit="%"),
        Field("smf30_capacity_change_rsn", 209,  1, "unsigned", "reasons of the last change of capacity; bits as in IRARMCTZ"),
        Field("smf30_event_driven_intvl_rec", 210,  1, "bit",      "an event ended the interval", bit=0),
        Field("smf30_rqsvsus_err",      210,  1, "bit",      "smf30sus could not be collected", bit=1),
        Field("smf30_capacity_data_err", 210,  1, "bit",      "capacity fields are not reliable", bit=2),
        Field("smf30_pcd_rsvd_exists",  210,  1, "bit",      "only z/OS 1.7 to 1.9", bit=3),
        Field("smf30_rmctadjn_nominal", 212,  4, "signed",   "CPU rate adjustment at nominal capacity"),
    ),
)

SMF30_OPERATOR = Layout(
    table="smf30_operator",
    title="Mounts by the operator",
    source=_SOURCE,
    length=24,
    fields=(
        Field("smf30pdm",  0, 4, "signed", "non-specific mounts of DASD volumes", unit="mounts"),
        Field("smf30prd",  4, 4, "signed", "specific mounts of DASD volumes", unit="mounts"),
        Field("smf30ptm",  8, 4, "signed", "non-specific mounts of tapes", unit="mounts"),
        Field("smf30tpr", 12, 4, "signed", "specific mounts of tapes", unit="mounts"),
        Field("smf30mtm", 16, 4, "signed", "non-specific mounts of mass storage volumes", unit="mounts"),
        Field("smf30msr", 20, 4, "signed", "specific mounts of mass storage volumes", unit="mounts"),
    ),
)
# fmt: on
