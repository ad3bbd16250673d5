"""SMF 30, work of an address space: the header, and the owner of the work.

The header's pointers are in `zos_30_records`; between them are counts of sections in continuation
records. In subtype 6 only the name and the address space id of the identification section are
filled in. Source: IBM z/OS 3.1 Data Gatherer, SMF record type 30.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

__all__ = ["SMF30_HEADER", "SMF30_IDENTIFICATION", "SMF30_SUBSYSTEM"]

_SOURCE = "IBM z/OS 3.1 Data Gatherer, SMF record type 30"

# fmt: off
SMF30_HEADER = Layout(
    table="smf30_header",
    title="SMF 30 header",
    source=_SOURCE,
    length=228,
    fields=(
        Field("smf30len",                      0, 2, "unsigned", "length of the record", unit="bytes"),
        Field("smf30seg",                      2, 2, "unsigned", "segment descriptor"),
        Field("smf30flg",                      4, 1, "unsigned", "system indicator flags"),
        Field("smf30rty",                      5, 1, "unsigned", "record type, 30"),
        Field("smf30tme",                      6, 4, "time",     "when SMF took the record, local time of day"),
        Field("smf30dte",                     10, 4, "date",     "when SMF took the record, local date"),
        Field("smf30sid",                     14, 4, "text",     "system (LPAR) that wrote the record"),
        Field("smf30wid",                     18, 4, "text",     "kind of work: JES2, JES3, STC, TSO, OMVS, ASCH and so on"),
        Field("smf30stp",                     22, 2, "signed",   "subtype of the record: 2 for an interval, 3 for the last interval, 6 for a system address space"),
        Field("smf30eor",                    104, 2, "signed",   "EXCP sections in the continuation records; see smf30eos", unit="sections"),
        Field("smf30eos",                    108, 4, "signed",   "EXCP sections in the continuation records", unit="sections"),
        Field("smf30opm",                    136, 4, "signed",   "UNIX process sections in later records", unit="sections"),
        Field("smf30uds",                    148, 4, "signed",   "usage data sections in later records", unit="sections"),
        Field("smf30rms",                    160, 4, "signed",   "automatic restart sections in later records", unit="sections"),
        Field("smf30mos",                    172, 4, "signed",   "multisystem enclave sections in later records", unit="sections"),
        Field("smf30cpa",                    200, 4, "signed",   "crypto counter sections in continuation records", unit="sections"),
        Field("smf30npa",                    212, 4, "signed",   "NNPI counter sections in continuation records", unit="sections"),
        Field("smf30_cont_recs_to_follow",   216, 2, "unsigned", "continuation records that follow this one", unit="records"),
        Field("smf30_reccont_firstrec",      218, 1, "bit",      "first of several records", bit=0),
        Field("smf30_reccont_additionalrec", 218, 1, "bit",      "neither the first nor the last of several records", bit=1),
        Field("smf30_reccont_lastrec",       218, 1, "bit",      "last of several records", bit=2),
    ),
)

SMF30_SUBSYSTEM = Layout(
    table="smf30_subsystem",
    title="Subsystem",
    source=_SOURCE,
    length=38,
    fields=(
        Field("smf30typ",               0, 2, "signed", "record subtype"),
        Field("smf30_crypctrs_active",  3, 1, "bit",    "crypto counters are collected", bit=1),
        Field("smf30_nnpictrs_active",  3, 1, "bit",    "counters of the AI accelerator (NNPI) are collected", bit=2),
        Field("smf30rvn",               4, 2, "text",   "version of the record's format"),
        Field("smf30pnm",               6, 8, "text",   "product, SMF"),
        Field("smf30osl",              14, 8, "text",   "level of z/OS"),
        Field("smf30syn",              22, 8, "text",   "system name"),
        Field("smf30syp",              30, 8, "text",   "sysplex name"),
    ),
)

SMF30_IDENTIFICATION = Layout(
    table="smf30_identification",
    title="Job, step or address space",
    source=_SOURCE,
    length=278,
    fields=(
        Field("smf30jbn",         0,  8, "text",     "job, session or started task"),
        Field("smf30pgm",         8,  8, "text",     "program; of a UNIX process see smf30exn"),
        Field("smf30stm",        16,  8, "text",     "step"),
        Field("smf30uif",        24,  8, "bytes",    "the site's own identification, from the exits' common area"),
        Field("smf30jnm",        32,  8, "text",     "job number assigned by JES"),
        Field("smf30stn",        40,  2, "signed",   "number of the step in its job"),
        Field("smf30cls",        42,  1, "text",     "job class, its first character; see smf30cl8"),
        Field("smf30pgf",        43,  1, "bit",      "smf30pgn is invalid", bit=0),
        Field("smf30pgn",        44,  2, "signed",   "performance group; unused in goal mode"),
        Field("smf30jpt",        46,  2, "signed",   "JES input priority"),
        Field("smf30ast",        48,  4, "time",     "when device allocation began, local time of day; not in subtype 1"),
        Field("smf30pps",        52,  4, "time",     "when the program was loaded, local time of day; not in subtype 1"),
        Field("smf30sit",        56,  4, "time",     "when the step was initiated, local time of day; not in subtype 1"),
        Field("smf30std",        60,  4, "date",     "when the step was initiated, local date; not in subtype 1"),
        Field("smf30rst",        64,  4, "time",     "when the reader saw the JOB card, local time of day"),
        Field("smf30rsd",        68,  4, "date",     "when the reader saw the JOB card, local date"),
        Field("smf30ret",        72,  4, "time",     "when the reader had read the job, local time of day"),
        Field("smf30red",        76,  4, "date",     "when the reader had read the job, local date"),
        Field("smf30usr",        80, 20, "text",     "programmer name"),
        Field("smf30grp",       100,  8, "text",     "RACF group"),
        Field("smf30rud",       108,  8, "text",     "RACF user"),
        Field("smf30tid",       116,  8, "text",     "RACF terminal"),
        Field("smf30tsn",       124,  8, "text",     "symbolic name of the terminal"),
        Field("smf30psn",       132,  8, "text",     "step that invoked the procedure"),
        Field("smf30cl8",       140,  8, "text",     "job class"),
        Field("smf30iss",       148,  8, "stck",     "start of the interval of the record; for subtype 6, which counts since the address space started, the end of the previous record, or NULL for the first"),
        Field("smf30iet",       156,  8, "stck",     "end of the interval, UTC; subtypes 2, 3 and 6"),
        Field("smf30ssn",       164,  4, "signed",   "number of the substep, of UNIX exec"),
        Field("smf30exn",       168, 16, "text",     "UNIX program executed"),
        Field("smf30asi",       184,  2, "unsigned", "address space id"),
        Field("smf30cor",       186, 64, "text",     "JES job correlator"),
        Field("smf30jclid1",    250,  4, "bytes",    "JES identifier of the job, first method"),
        Field("smf30jclid2",    254,  4, "bytes",    "JES identifier of the job, second method"),
        Field("smf30jobtoken",  258,  8, "bytes",    "job's token, from the primary subsystem"),
        Field("smf30holduntil", 266,  6, "etod",     "HOLDUNTL time of the job, UTC"),
        Field("smf30deadline",  272,  6, "etod",     "time by which the job is to be run, UTC"),
    ),
)
# fmt: on
