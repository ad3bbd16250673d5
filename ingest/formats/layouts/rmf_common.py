"""The common parts of RMF's records: header, product section, reassembly area of broken records.

One declaration serves every type: fields have the manual's names, with the type in the prefix
(SMF70LEN, SMF72LEN). RMF breaks a record of more than 32 KB into several, each complete in itself:
its pointers count the sections that it holds. The reassembly area says which part a record is, how
many sections of each kind there are in all parts, and which of them is the first in this part. The
area's fields are not in IBM's interface description, but in a copy of the mapping macro in C by F.
Wong (smf70h.h, smf70rhd and smf70rbl), who counts SMFxxRIO from the start of the area. Indexes
inside sections (R723CRTX, R744CDSI ...) count within their record.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import Inside, Located
from ingest.formats.layouts.rmf_codes import BOOST_CLASSES, COMPLEX_TYPES

__all__ = ["SOURCE", "header", "pointers", "product_sections"]

SOURCE = "z/OS 3.1 Data Gatherer, interface description"
_FIRST_POINTER = 28
_AREA_HEADER = 16  # bytes before the reassembly information blocks
_FLAGS = (
    (0, "rrf", "new record format"),
    (1, "sut", "has subtypes"),
    (3, "v4", "MVS/ESA version 4"),
    (4, "esa", "MVS/ESA"),
    (5, "vxa", "MVS/XA"),
    (6, "os", "OS/VS2"),
    (7, "bfy", "runs under PR/SM"),
)
_INTERVAL_FLAGS = (
    (0, "cnv", "converted from RMF version 2"),
    (1, "iss", "samples are invalid and must be ignored"),
    (2, "m3r", "written by Monitor III"),
    (3, "ism", "interval synchronized by SMF"),
    (4, "rcl", "converted to a lower level by GRBSMFR"),
    (5, "rch", "converted to a higher level by GRBSMFR"),
    (6, "altvm", "runs in another virtual machine environment"),
    (9, "iip", "zIIP boost during the whole interval"),
    (10, "eed", "speed boost during the whole interval"),
)
_PROCESSOR_FLAGS = (
    (0, "qes", "has expanded storage"),
    (1, "cne", "has ESCON channels"),
    (2, "drc", "has an ESCON director"),
    (3, "eme", "z/Architecture mode"),
    (4, "pri", "a zAAP is installed"),
    (5, "prp", "a zIIP is installed"),
    (6, "ped", "enhanced DAT facility 1"),
    (7, "pe2", "enhanced DAT facility 2"),
)


def pointers(count: int) -> tuple[int, ...]:
    """Return the offsets of that many triplets; the first is the product section's."""
    return tuple(range(_FIRST_POINTER, _FIRST_POINTER + 8 * count, 8))


def header(record_type: int, subtype: int) -> Layout:
    """Return the SMF header of an RMF record, up to its triplets."""
    p = f"smf{record_type}"
    # fmt: off
    return Layout(
        table=f"{p}_{subtype}_header",
        title=f"SMF {record_type}-{subtype} header",
        source=f"{SOURCE}, structure SMF{record_type}HDR",
        length=_FIRST_POINTER,
        fields=(
            Field(f"{p}len",  0, 2, "unsigned", "record length", unit="bytes"),
            Field(f"{p}seg",  2, 2, "unsigned", "segment descriptor"),
            *(Field(f"{p}{name}", 4, 1, "bit", note, bit=bit) for bit, name, note in _FLAGS),
            Field(f"{p}rty",  5, 1, "unsigned", f"record type, {record_type}"),
            Field(f"{p}tme",  6, 4, "time",     "when SMF took the record, local time of day"),
            Field(f"{p}dte", 10, 4, "date",     "when SMF took the record, local date"),
            Field(f"{p}sid", 14, 4, "text",     "z/OS system"),
            Field(f"{p}ssi", 18, 4, "text",     "subsystem, RMF"),
            Field(f"{p}sty", 22, 2, "unsigned", "record subtype"),
            Field(f"{p}trn", 24, 2, "unsigned", "triplets in this record", unit="triplets"),
        ),
    )
    # fmt: on


def product_sections(record_type: int, subtype: int) -> tuple[Located, Located, Located]:
    """Return the product section, the reassembly area that it points to, and that area's blocks."""
    product = _product(record_type, subtype)
    area = _area(record_type, subtype)
    p = f"smf{record_type}"
    # The area's own length includes its blocks, which are found through the area.
    to_area = Inside(product, f"{p}rao", _AREA_HEADER, f"{p}ran", base="section")
    to_blocks = Inside(area, f"{p}rio", f"{p}ril", f"{p}rin", base="section")
    return (
        Located(product, 0),
        Located(area, to_area),
        Located(_block(record_type, subtype), to_blocks),
    )


def _product(record_type: int, subtype: int) -> Layout:
    p = f"smf{record_type}"
    # fmt: off
    return Layout(
        table=f"{p}_{subtype}_product",
        title="RMF product section",
        source=f"{SOURCE}, structure SMF{record_type}PRO",
        length=104,
        fields=(
            Field(f"{p}mfv",  0, 2, "packed",       "RMF version, three digits"),
            Field(f"{p}prd",  2, 8, "text",         "product that wrote the record"),
            Field(f"{p}ist", 10, 4, "rmf_time",     "start of the interval, local time of day"),
            Field(f"{p}dat", 14, 4, "date",         "start of the interval, local date"),
            Field(f"{p}int", 18, 4, "rmf_interval", "length of the interval"),
            Field(f"{p}sam", 24, 4, "unsigned",     "samples in the interval", unit="samples"),
            *(Field(f"{p}{name}", 30, 2, "bit", note, bit=bit) for bit, name, note in _INTERVAL_FLAGS),
            Field(f"{p}boo", 30, 2, "bits",         "class of the boost at the end, if a boost is on", bit=13, width=3, codes=BOOST_CLASSES),
            Field(f"{p}cyc", 36, 4, "rmf_cycle",    "time from sample to sample"),
            Field(f"{p}mvs", 40, 8, "text",         "z/OS level, ZVvvrrmm"),
            Field(f"{p}iml", 48, 1, "unsigned",     "kind of machine", codes=COMPLEX_TYPES),
            *(Field(f"{p}{name}", 49, 1, "bit", note, bit=bit) for bit, name, note in _PROCESSOR_FLAGS),
            Field(f"{p}ptn", 50, 1, "unsigned",     "PR/SM partition number"),
            Field(f"{p}srl", 51, 1, "unsigned",     "level of the record"),
            Field(f"{p}iet", 52, 8, "stck",         "when the interval ended, its token"),
            Field(f"{p}lgo", 60, 8, "offset",       "local time less UTC"),
            Field(f"{p}rao", 68, 4, "unsigned",     "reassembly area, from this section's start, if the record is broken", unit="bytes"),
            Field(f"{p}ral", 72, 2, "unsigned",     "length of the reassembly area", unit="bytes"),
            Field(f"{p}ran", 74, 2, "unsigned",     "1 if the record is broken, otherwise 0"),
            Field(f"{p}oil", 76, 2, "ticks",        "length of the interval as set", tick_us=1_000_000),
            Field(f"{p}syn", 78, 2, "ticks",        "SYNC value", tick_us=1_000_000),
            Field(f"{p}gie", 80, 8, "stck",         "end of the interval as planned"),
            Field(f"{p}xnm", 88, 8, "text",         "sysplex"),
            Field(f"{p}snm", 96, 8, "text",         "z/OS system, its long name"),
        ),
    )
    # fmt: on


def _area(record_type: int, subtype: int) -> Layout:
    p = f"smf{record_type}"
    # fmt: off
    return Layout(
        table=f"{p}_{subtype}_reassembly",
        title="Reassembly area of a broken record",
        source=f"ERBSMFR as in smf{record_type}h.h, structure smf{record_type}rhd",
        length=_AREA_HEADER,
        fields=(
            Field(f"{p}rbr",  0, 2, "unsigned", "parts of the record", unit="records"),
            Field(f"{p}rsq",  2, 2, "unsigned", "number of this part"),
            Field(f"{p}rio",  4, 4, "unsigned", "first block, from the area's start", unit="bytes"),
            Field(f"{p}ril",  8, 2, "unsigned", "length of a block", unit="bytes"),
            Field(f"{p}rin", 10, 2, "unsigned", "blocks, one per kind of section", unit="blocks"),
        ),
    )
    # fmt: on


def _block(record_type: int, subtype: int) -> Layout:
    p = f"smf{record_type}"
    # fmt: off
    return Layout(
        table=f"{p}_{subtype}_reassembly_block",
        title="Sections of a broken record, by kind",
        source=f"ERBSMFR as in smf{record_type}h.h, structure smf{record_type}rbl",
        length=4,
        fields=(
            Field(f"{p}rnn", 0, 2, "unsigned", "sections of this kind in all parts", unit="sections"),
            Field(f"{p}rpp", 2, 2, "unsigned", "position among them of this part's first"),
        ),
    )
    # fmt: on
