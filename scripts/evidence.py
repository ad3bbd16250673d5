"""docs/layouts.md: how many fields of each section were confirmed, and by which sources.

    python -m scripts.evidence     # writes the page

A *claim* is what one source says about one field: offset, length, bits of a flag, length of a unit
of time. Claims are tables in tests/unit/ingest/formats/layouts, typed or copied from the sources:
those that the layouts were made from (the first source), and the folder `evidence/` with

    sources.csv      the sources: name in words, what it is, real records that it was used on
    <source>.csv     table, field, offset, length, bit, tick_us (microseconds), own_name
    differences.csv  claims that the layouts do not follow, and why
    unconfirmed.csv  fields that no source places, and where their place is from

Only the names of MQ's formatter come from elsewhere: tests/kit/peer_columns.csv, whose columns
tests compare with what it prints for real dumps. A flag is confirmed by a source that names the
flag, not by one that only has its byte.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from app.pipeline.places import ROOT
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts import LAYOUTS

HERE = ROOT / "tests/unit/ingest/formats/layouts"
PEER = ROOT / "tests/kit/peer_columns.csv"
EVIDENCE = HERE / "evidence"
PAGE = ROOT / "docs" / "layouts.md"
COMMAND = "python -m scripts.evidence"

# First source -> its tables of facts.
FIRST = {
    "interface": ("rmf_fields.csv", "smf30.csv", "smf113.csv"),
    "manual_3_2": ("smf42_6.csv",),
    "mq_header": ("mq_structures.csv",),
}
MQ_FORMATTER = "mq_formatter"
_SECTIONS_OF_TASKS = {"QCTADP": "qct_adp", "QCTDSP": "qct_dsp"}
OF_116 = {"QMAC", "WTID", "WTAS", "WQ", "QCST"}
_HEADERS = {"qwst": "smf115_header", "qwas": "smf116_header"}
_SECTIONS = {
    "header_self_defining": "header",
    "record_header": "header",
    "rmf_product": "product",
    "crypto_accelerator_r7024tc": "crypto_accelerator",
}
# Units of time in the tables of facts, in microseconds.
_UNITS = {
    "hundredths of a second": 1e4,
    "1.024 ms": 1024.0,
    "128 microseconds": 128.0,
    "microseconds": 1.0,
    "us": 1.0,
}
RECORDS = {
    "smf115": "MQ statistics, SMF 115",
    "smf116": "MQ accounting, SMF 116",
    "smf180": "AMS, SMF 180",
    "smf7": "Data lost, SMF 7",
    "smf30": "Work of an address space, SMF 30",
    "smf42_6": "I/O of data sets, SMF 42 subtype 6",
    "smf70_1": "CPU activity, SMF 70 subtype 1",
    "smf70_2": "Cryptographic hardware, SMF 70 subtype 2",
    "smf72_3": "Workload activity, SMF 72 subtype 3",
    "smf74_1": "Device activity, SMF 74 subtype 1",
    "smf74_4": "Coupling facility activity, SMF 74 subtype 4",
    "smf113_1": "Hardware counters, SMF 113 subtype 1",
    "smf113_2": "Hardware counters, SMF 113 subtype 2",
}


class Claim(NamedTuple):
    """What a source says about a field; None where it says nothing.

    `bits` are the first bit, counted from the start of the section, and the number of bits.
    """

    source: str
    table: str
    field: str
    offset: int | None
    length: int | None
    bits: tuple[int, int] | None = None
    tick_us: float | None = None


class Source(NamedTuple):
    """A row of sources.csv. Sources of one origin do not confirm each other."""

    key: str
    short: str
    title: str
    kind: str
    origin: str
    real_records: str


def sources() -> dict[str, Source]:
    """Return the sources by key, in the order of the file."""
    return {row["key"]: Source(**row) for row in _rows(EVIDENCE / "sources.csv")}


def layouts() -> dict[str, Layout]:
    """Return one layout per raw table."""
    return {layout.table: layout for layout in LAYOUTS}


@cache
def claims() -> tuple[Claim, ...]:
    """Return every claim about a field of a layout."""
    known_fields = {(table, f.name) for table, layout in layouts().items() for f in layout.fields}
    all_claims = [
        claim for source, files in FIRST.items() for name in files for claim in _facts(source, name)
    ]
    for source in sources():
        if (file := EVIDENCE / f"{source}.csv").exists():
            all_claims += _typed_claims(source, file)
    all_claims += _printed_columns()
    return tuple(
        dict.fromkeys(claim for claim in all_claims if (claim.table, claim.field) in known_fields)
    )


def confirms(claim: Claim, f: Field) -> bool:
    """Return whether a claim places the field where the layout has it.

    What the formatter prints is a value, which has no place of its own: that it is right is tested
    with real dumps.
    """
    if claim.source == MQ_FORMATTER:
        return True
    if f.bit is not None:
        return claim.bits == (f.offset * 8 + f.bit, f.width)
    return claim.bits is None and (claim.offset, claim.length) == (f.offset, f.length)


def contradicts(claim: Claim, f: Field) -> str:
    """Return "place" or "unit" if the layout differs from a claim, otherwise ""."""
    is_placed = claim.source != MQ_FORMATTER and None not in {claim.offset, claim.length}
    if is_placed and not confirms(claim, f) and (f.bit is None or claim.bits):
        return "place"
    return "unit" if claim.tick_us not in {None, _tick_of(f)} else ""


def _tick_of(f: Field) -> float | None:
    """Return the unit of a duration or a time of day, in microseconds."""
    return f.tick_us if f.kind == "ticks" else 1e4 if f.kind == "time" else None


def confirmations() -> dict[tuple[str, str], list[str]]:
    """Return (table, field) -> the sources that confirm it, one of each origin."""
    confirmed: dict[tuple[str, str], dict[str, str]] = {
        (table, f.name): {} for table, layout in layouts().items() for f in layout.fields
    }
    known_sources, tables = sources(), layouts()
    for claim in claims():
        if confirms(claim, tables[claim.table].by_name[claim.field]):
            confirmed[claim.table, claim.field].setdefault(
                known_sources[claim.source].origin, claim.source
            )
    return {key: list(evidence.values()) for key, evidence in confirmed.items()}


def units() -> dict[tuple[str, str], set[str]]:
    """Return (table, field) of SMF 30's and 42's durations -> the origins that state the unit."""
    tables, known_sources = layouts(), sources()
    ticks: dict[tuple[str, str], set[str]] = {
        (table, f.name): set()
        for table, layout in tables.items()
        for f in layout.fields
        if f.kind == "ticks" and table.startswith(("smf30_", "smf42_"))
    }
    for claim in claims():
        key = claim.table, claim.field
        if key in ticks and claim.tick_us == tables[claim.table].by_name[claim.field].tick_us:
            ticks[key].add(known_sources[claim.source].origin)
    return ticks


def differences() -> dict[tuple[str, str, str, str], Claim]:
    """Return (source, table, field, "place" or "unit") -> the claim that a layout differs from."""
    tables = layouts()
    return {
        (claim.source, claim.table, claim.field, difference): claim
        for claim in claims()
        if (difference := contradicts(claim, tables[claim.table].by_name[claim.field]))
    }


# --- reading


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def _number(text: str) -> int | None:
    return int(text) if text else None


def _bits(offset: str, bit: str) -> tuple[int, int] | None:
    if not bit:
        return None
    first, _, last = bit.partition("-")
    return int(offset) * 8 + int(first), int(last or first) - int(first) + 1


def _typed_claims(source: str, file: Path) -> Iterator[Claim]:
    for row in _rows(file):
        yield Claim(
            source,
            row["table"],
            row["field"],
            _number(row["offset"]),
            _number(row["length"]),
            _bits(row["offset"], row["bit"]),
            float(row["tick_us"]) if row["tick_us"] else None,
        )


def _facts(source: str, name: str) -> Iterator[Claim]:
    """Read a table of facts that the layouts were made from."""
    if source == "mq_header":
        yield from _structures(source, HERE / name)
        return
    for table, field, row in facts(name):
        yield Claim(
            source,
            table,
            field,
            _number(row["offset"]),
            _number(row["length"]),
            _bits(row["offset"], row["bit"]),
            _UNITS.get(row.get("unit", "")),
        )


def facts(name: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Return the table, the field and the row of each fact about z/OS in a file."""
    for row in _rows(HERE / name):
        section = _SECTIONS.get(row["section"], row["section"].removesuffix("_section"))
        table = f"smf{row['record'].replace('.', '_')}_{section}"
        yield table, row["field"].lower().replace("#", "_no"), row


def _structures(source: str, file: Path) -> Iterator[Claim]:
    """Read MQ's structures: of an array its first element, of repeated entries the first."""
    structures = defaultdict(list)
    for layout in layouts().values():
        structures[layout.table.split("_", 1)[1]].append(layout)
    for row in _rows(file):
        path = row["field"]
        if set(re.findall(r"\[(\d+)\]", path)) - {"0"}:
            continue
        names = [re.sub(r"\[\d+\]", "", part).lower() for part in path.split(".")]
        flag = re.fullmatch(r"(\d+) bits at bit (\d+)", row["length"])
        for layout in [
            x for x in LAYOUTS if x.table == _HEADERS.get(row["structure"])
        ] or structures[row["structure"]]:
            offset = int(row["offset"]) - (layout.repeat.offset if layout.repeat else 0)
            field = names[-1] if names[-1] in layout.by_name else f"{names[0]}_{names[-1]}"
            length = None if flag else int(row["length"])
            bits = (offset * 8 + int(flag[2]), int(flag[1])) if flag else None
            yield Claim(source, layout.table, field, offset, length, bits)


def _printed_columns() -> Iterator[Claim]:
    """Read which columns MQ's formatter prints of real dumps."""
    tables = layouts()
    for section, mapped in read_map().items():
        printed_names = table_of(section)
        kind = printed_names.split("_")[0]
        prefixes = [f"{kind}_{name}" for name in ("header", "qwhs", "qwhx", "qwhc")]
        for name in {n for m in mapped for n in re.findall(r"\w+", m.column.format(type=kind[3:]))}:
            table = next(
                (
                    t
                    for t in (printed_names, *prefixes)
                    if t in tables and name in tables[t].by_name
                ),
                None,
            )
            if table:
                yield Claim(MQ_FORMATTER, table, name, None, None)


# --- the formatter's headings


class Mapped(NamedTuple):
    """A heading of the formatter, or two, and what it means."""

    headings: tuple[str, ...]
    column: str  # SQL over the section's table and the headers of its record
    form: str


def read_map() -> dict[str, list[Mapped]]:
    """Return section -> its headings and their meaning, the common ones first."""
    by_section: dict[str, list[Mapped]] = {}
    for row in _rows(PEER):
        mapped = Mapped(tuple(row["heading"].split(" + ")), row["column"], row["form"])
        by_section.setdefault(row["section"], []).append(mapped)
    common, of_115 = by_section.pop("*"), by_section.pop("115")
    return {
        section: common + (of_115 if section not in OF_116 else []) + fields
        for section, fields in by_section.items()
    }


def table_of(section: str) -> str:
    """Return the raw table that holds a section, without its schema."""
    name = _SECTIONS_OF_TASKS.get(section, section.lower())
    return f"smf{116 if section in OF_116 else 115}_{name}"


# --- the page


def page() -> str:
    """Return the text of docs/layouts.md."""
    known_sources, confirmed = sources(), confirmations()
    lines = [
        "# Record layouts: which sources confirm them",
        "",
        f"Written by `{COMMAND}`; do not edit.",
        "",
        *_INTRODUCTION,
        "",
        "| source | it is | used on real records | fields confirmed |",
        "|---|---|---|---|",
    ]
    total = Counter(source for confirming in confirmed.values() for source in confirming)
    lines += [
        f"| *{s.short}*: {s.title} | {s.kind} | {s.real_records} | {total[s.key]:,} |"
        for s in known_sources.values()
    ]
    for prefix, title in RECORDS.items():
        lines += ["", f"## {title}", "", *_sections(prefix, confirmed)]
    lines += ["", "## Units of time", "", *_units()]
    lines += ["", "## Where sources differ", "", *_differing(known_sources)]
    lines += ["", "## Fields that no source places", "", *_unconfirmed(confirmed)]
    return "\n".join(lines) + "\n"


_INTRODUCTION = (
    "No public dump of SMF 30, 42, 70, 72, 74 or 113 is to be had, so those layouts stand on",
    "documents and on programs of others. A source confirms a field if it has it at the same",
    "offset and with the same length, and a flag if it names it at the same bit. Sources of one",
    "origin (two editions of a manual) count once. All documents are IBM's: an error that IBM made",
    "in all of them would not show. The claims of each source are tables in",
    "`tests/unit/ingest/formats/layouts/`; a test holds this page to them.",
)


def _sections(prefix: str, found: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    yield "| section | fields | by 3 or more sources | by 2 | by 1 | by none | confirmed by |"
    yield "|---|---|---|---|---|---|---|"
    all_of: list[list[str]] = []
    for table, layout in layouts().items():
        if not table.startswith(f"{prefix}_"):
            continue
        evidence = [found[table, f.name] for f in layout.fields]
        all_of += evidence
        yield _row(table.removeprefix(f"{prefix}_").replace("_", " "), evidence)
    yield _row("**all**", all_of)


def _row(name: str, of: Sequence[Sequence[str]]) -> str:
    by = Counter(min(len(confirming), 3) for confirming in of)
    names = Counter(source for confirming in of for source in confirming)
    known_sources = sources()
    who = ", ".join(f"{known_sources[key].short} {n}" for key, n in names.most_common())
    counts = " | ".join(str(by[n] or "") for n in (3, 2, 1, 0))
    return f"| {name} | {len(of)} | {counts} | {who} |"


def _units() -> Iterator[str]:
    yield "Durations of SMF 30 and 42, and how many sources state their unit:"
    yield ""
    yield "| record | durations | by 3 or more sources | by 2 | by 1 | by none |"
    yield "|---|---|---|---|---|---|"
    stated = units()
    for prefix in ("smf30", "smf42_6"):
        by = Counter(
            min(len(who), 3) for (table, _), who in stated.items() if table.startswith(prefix)
        )
        counts = " | ".join(str(by[n] or "") for n in (3, 2, 1, 0))
        yield f"| {RECORDS[prefix]} | {by.total()} | {counts} |"


def _differing(known: dict[str, Source]) -> Iterator[str]:
    reasons = {
        tuple(row.values())[:4]: row["reason"] for row in _rows(EVIDENCE / "differences.csv")
    }
    tables = layouts()
    yield "| field | source | it says | the layout | why |"
    yield "|---|---|---|---|---|"
    for key, claim in differences().items():
        f = tables[claim.table].by_name[claim.field]
        if key[3] == "place":
            stated, has = (
                f"offset {claim.offset}, length {claim.length}",
                f"offset {f.offset}, length {f.length}",
            )
        else:
            stated, has = _unit(claim.tick_us), _unit(_tick_of(f))
        source = known[claim.source].short
        yield f"| {claim.table}.{f.name} | {source} | {stated} | {has} | {reasons[key]} |"


def _unit(tick_us: float | None) -> str:
    return f"unit of {tick_us:,g} µs" if tick_us else "a number"


def _unconfirmed(found: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    reasons = {
        (row["table"], row["field"]): row["reason"] for row in _rows(EVIDENCE / "unconfirmed.csv")
    }
    by_reason = defaultdict(list)
    for (table, field), confirming in found.items():
        if not confirming:
            by_reason[reasons[table, field]].append(f"{table}.{field}")
    yield "| fields | where their place is from |"
    yield "|---|---|"
    for reason, fields in by_reason.items():
        yield f"| {', '.join(fields)} | {reason} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
