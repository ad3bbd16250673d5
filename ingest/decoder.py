"""The version of what decodes a file: a digest of the layouts or the parser that it depends on.

A load of SMF depends on the code in ingest/formats/binary and on the layouts of the record types in
it: a new layout makes only loads with its records outdated. A text depends on its parser. A file
that was not recognised depends on all of them. Wording of notes and comments is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType

import polars as pl

from ingest.formats.binary.records import ANY_SUBTYPE
from ingest.formats.parsers import PARSERS
from ingest.formats.text.parser import Parser
from ingest.lake.catalogue import smf_catalogue
from ingest.lake.lost import LOST
from ingest.lake.rolled import HOURS
from ingest.lake.seal import HowLoaded
from ingest.lake.warehouse import Warehouse

__all__ = ["outdated_loads", "parser_version", "smf_version", "unknown_version"]

_ROOT = Path(__file__).parent / "formats"
_SHARED = (
    "declared", "factors", "forms", "manifest", "printed", "results", "samples", "tables", "tools",
    "units", "values",
)  # fmt: skip
# Modules are named as before these folders were made: moving code makes no load outdated.
_MOVED = re.compile(r"\bingest\.(?:base|formats|lake)\b")
_WORDS = {"note", "unit", "title", "source", "codes", "by_name"}  # of layouts: they decode nothing


def outdated_loads(warehouse: Warehouse, *, everything: bool = False) -> list[HowLoaded]:
    """Return the loads that today's decoder may read otherwise, or all, in the order of loading."""
    loads = warehouse.store.ledger().filter(
        ~pl.col("kind").is_in([HOURS, LOST])
    )  # what stands for files that are not there
    ledger = loads.collect().sort("loaded_at", "source_id")
    counts = (
        warehouse.store.ledger("ledger_count")
        .group_by("source_id")
        .agg(pl.struct("record_type", "record_subtype").alias("types"))
        .collect()
    )
    of_texts = {parser_version(parser) for parser in PARSERS}
    types = dict(counts.iter_rows())
    outdated = []
    for row in ledger.iter_rows(named=True):
        if row["kind"] == "smf":
            records = [tuple(record.values()) for record in types.get(row["source_id"], ())]
            is_current = row["decoder"] == smf_version(records, row["ams_type"] or 180)
        elif row["kind"] in ("unknown", "unreadable"):
            is_current = row["decoder"] == unknown_version()
        else:
            is_current = row["decoder"] in of_texts
        if everything or not is_current:
            outdated.append(HowLoaded.of(row))
    return outdated


def smf_version(types: Iterable[tuple[int, int | None]], ams_type: int) -> str:
    """Return the version for records of these types and subtypes (None: there is none)."""
    kinds = sorted({(kind, ANY_SUBTYPE if subtype is None else subtype) for kind, subtype in types})
    return _digest([_code("binary"), *(_layout_version(*kind, ams_type) for kind in kinds)])


@lru_cache
def _layout_version(record_type: int, subtype: int, ams_type: int) -> str:
    """Return a digest of the layout of one type of record; of nothing if it is not decoded."""
    catalogue = smf_catalogue(ams_type)
    layout = catalogue.get((record_type, subtype)) or catalogue.get((record_type, ANY_SUBTYPE))
    return _digest([str(record_type), str(subtype), _facts(layout)])


def parser_version(parser: Parser) -> str:
    """Return the version of a parser of text: its module, and what it shares with others."""
    return _module_version(Path(str(getattr(parser, "__file__", ""))))


@lru_cache
def _module_version(module: Path) -> str:
    shared = ["text"]
    if module.parent.name == "rmf":
        shared.append("rmf")
    elif module.parent.name == "bench":
        shared += [f"bench/{name}.py" for name in _SHARED]
    path = module.relative_to(_ROOT) if module.is_relative_to(_ROOT) else module
    return _digest([module.stem, _code(str(path)), *map(_code, shared)])


@lru_cache
def unknown_version() -> str:
    """Return the version for files that were not recognised."""
    smf = smf_version(smf_catalogue(), 180)
    return _digest([smf, *map(parser_version, PARSERS)])


def _facts(value: object) -> str:
    """Return what decides how records are decoded, as text."""
    if is_dataclass(value):
        kept = (f.name for f in fields(value) if f.name not in _WORDS)
        return f"({', '.join(f'{name}={_facts(getattr(value, name))}' for name in kept)})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_facts, value))}]"
    return repr(value)


@lru_cache
def _code(place: str) -> str:
    """Return a digest of a module or of all in a folder, without comments and documentation."""
    path = _ROOT / place
    modules = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    parts = []
    for module in modules:
        # Optimised twice, because that leaves out the documentation.
        code = compile(module.read_bytes(), module.name, "exec", dont_inherit=True, optimize=2)
        parts.append(f"{module.name} {_MOVED.sub('ingest', _compiled(code))}")
    return _digest(parts)


def _compiled(value: object) -> str:
    """Return compiled code, or a constant in it, as text: not where its lines are."""
    if isinstance(value, CodeType):
        names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
        facts = value.co_name, value.co_flags, value.co_code, value.co_exceptiontable, *names
        return f"{facts}{_compiled(value.co_consts)}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_compiled, value))}]"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_compiled, value)))}}}"
    return repr(value)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
