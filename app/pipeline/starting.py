"""Files that begin a folder of results: settings of results, and a manifest, to be completed.

They say in comments what was found: how each table is read, and which systems and times the records
are of. `write` never replaces a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path

from ingest.base.errors import PerfhouseError, SourceError
from ingest.base.files import name_of
from ingest.formats.about import BESIDE, IN_FOLDER, about
from ingest.formats.bench import outcome, tables
from ingest.formats.bench.values import FaultError
from ingest.formats.binary.framing import detect_framing, read_batches
from ingest.formats.binary.records import RECORD_TABLE, decode_batch
from ingest.formats.parsers import find_parser
from ingest.formats.sources import Source, expand, open_source
from ingest.formats.text.parser import ParserOfFile
from ingest.lake.catalogue import smf_catalogue

__all__ = ["MANIFEST", "StartError", "write"]

MANIFEST = "perfhouse-manifest.toml"
_BATCHES = 4  # of a dump that are looked at
_LISTED = 20  # files of a kind that a comment names
_MOST = 64 << 20  # bytes of a table that are looked at
_OWN = (".duckdb", ".html", ".md", ".pdf", ".png", ".svg")  # warehouses, reports and charts


class StartError(PerfhouseError):
    """Nothing can be written; the message is one line."""


@dataclass
class _Found:
    """What is in the files of a folder, in lines of comments."""

    results: list[str] = field(default_factory=list)
    tables: list[tuple[Path, tables.Understood | str]] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    systems: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    has_manifest: bool = False


def write(folder: Path) -> tuple[list[Path], list[str]]:
    """Write what the files of a folder need; return the new files, and files of no known kind.

    Raises StartError if there is nothing to say, or a file is there already; SourceError.
    """
    if not folder.is_dir():
        raise StartError(f"{name_of(folder)}: not a folder")
    findings = _Found()
    for file in expand([folder]).with_members().files:
        _look_at(file, folder, findings)
    texts: dict[Path, str] = {}
    if findings.results or findings.tables:
        texts[folder / IN_FOLDER] = _settings(findings)
    for file, understood in findings.tables:
        if isinstance(understood, str):
            texts[file.with_name(file.name + BESIDE)] = _mapping(file, understood)
    if findings.records and not findings.has_manifest:
        texts[folder / MANIFEST] = _manifest(findings)
    if not texts:
        there = (
            "its runs are declared already" if findings.has_manifest else "no results, no records"
        )
        raise StartError(f"{name_of(folder)}: {there}: nothing to write")
    if taken := next((file for file in texts if file.exists()), None):
        raise StartError(f"{name_of(taken)} is there already: complete it, or remove it first")
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")
    return list(texts), [name for name in findings.unknown if not name.lower().endswith(_OWN)]


def _look_at(file: Path, folder: Path, found: _Found) -> None:
    name = name_of(file.relative_to(folder))
    try:
        with open_source(file) as source:
            parser = find_parser(source.head)
            if parser and isinstance(parser[0], ParserOfFile):
                if parser[1] == outcome.TABLE_KIND:
                    found.tables.append((file, _understood(file, source)))
                else:
                    found.results.append(f"{name}: {parser[1].removeprefix('results_')}")
            elif parser and parser[1] == "run_manifest":
                found.has_manifest = True
            elif parser:
                found.records.append(f"{name}: {parser[1]}")
            else:
                _look_at_records(name, source, found)
    except (OSError, SourceError):
        found.unknown.append(name)


def _understood(file: Path, source: Source) -> tables.Understood | str:
    """Return how a table is read, or why it is not."""
    content = b""
    while len(content) < _MOST and (block := source.read(1 << 22)):
        content += block
    try:
        return tables.understand(content, about(file))
    except FaultError as error:
        return f"line {error.line}: {error}"


def _look_at_records(name: str, source: Source, found: _Found) -> None:
    framing = detect_framing(source.start, whole=source.start_is_all, records=smf_catalogue())
    if framing is None:
        found.unknown.append(name)
        return
    times: list[datetime] = []
    for batch in islice(read_batches(source, framing, records=smf_catalogue()), _BATCHES):
        records = decode_batch(batch, {}, "037").tables[RECORD_TABLE]
        found.systems |= {str(system).strip() for system in records["system_id"].unique() if system}
        times += records["smf_time"].drop_nulls().to_list()
    span = f", records from {min(times):%Y-%m-%d %H:%M:%S}, local time" if times else ""
    found.records.append(f"{name}: SMF{span}")


def _listed(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"#   {line}" for line in lines[:_LISTED])
    if len(lines) > _LISTED:
        yield f"#   and {len(lines) - _LISTED:,} more"


def _settings(found: _Found) -> str:
    lines = [
        "# What the results in this folder do not say. Take away the # of a line to set it.",
        "# 'perfhouse run FOLDER --dry-run' shows how everything is understood.",
        "",
        '# campaign = "NAME"            # series of the runs; else the name of the tool',
        '# time_zone = "Europe/London"  # of times without an offset',
        "",
        "[labels]                       # of all runs; in a CI job git_revision comes from the job",
        '# git_revision = "4e1f2ab"     # the build that was measured',
        '# machine = "NAME"             # runs of different machines are not compared',
    ]
    unclear = set()
    for file, understood in found.tables:
        lines += ["", f"# {name_of(file.name)}: a table"]
        if isinstance(understood, str):
            lines.append(f"#   not understood yet: see {name_of(file.name)}{BESIDE}")
            continue
        for column, role, unit, better in understood.columns:
            lines.append(
                f"#   {column}: {', '.join(part for part in (role, unit, better) if part)}"
            )
            if better == "not known":
                unclear.add(role.removeprefix("figure "))
        lines += _listed(understood.notes)
    if found.results:
        lines += ["", "# outputs of tools:", *_listed(found.results)]
    lines += ["", "[better]                       # figures that are judged only if you say how"]
    lines += [f'# {json.dumps(metric)} = "less"  # or more' for metric in sorted(unclear)]
    return "\n".join([*lines, ""])


def _mapping(file: Path, reason: str) -> str:
    return "\n".join([
        f"# How {name_of(file.name)} is read. Not understood yet: {reason}",
        "# Take away the # of a line to name the column. All others are figures, if their name",
        "# ends in a unit, or labels or factors.",
        "[map]",
        '# start = "COLUMN"     # when a run started',
        '# stop = "COLUMN"      # when it stopped; else it counts as one second',
        '# run = "COLUMN"       # its name',
        '# campaign = "COLUMN"  # series that it belongs to',
        '# build = "COLUMN"     # what was measured',
        '# metric = "COLUMN"    # of a table with one figure a row: also value and unit',
        '# value = "COLUMN"',
        '# unit = "COLUMN"',
        "",
    ])  # fmt: skip


def _manifest(found: _Found) -> str:
    lpars = ", ".join(json.dumps(name) for name in sorted(found.systems))
    return "\n".join([
        "# The runs that the records in this folder are of. Repeat the lines from [[run]] on for",
        "# each of them, without the #, and correct them. All fields: docs/manifest.md",
        "# Records are loaded without it, too: 'perfhouse run', then 'perfhouse health'.",
        *_listed(found.records),
        "perfhouse_manifest = 1",
        'campaign = "NAME"            # series that the runs belong to',
        'time_zone = "UTC"            # of start and stop, such as Europe/London',
        "",
        "[factors]                    # the configuration, as far as all runs share it",
        '# source = "z/OS"            # see docs/manifest.md; other names are yours',
        "",
        "[labels]",
        '# machine = "z16"',
        '# mq_level = "9.4.0"',
        '# git_revision = "4e1f2ab"   # the build that was measured',
        "",
        "[scope]                      # whose CPU time the runs cost",
        f"lpars = [{lpars}]",
        "",
        "# [[run]]",
        "# start = 2026-03-01T10:00:00",
        "# stop = 2026-03-01T10:02:00",
        "# factors = { file_size_mb = 10 }",
        "",
    ])  # fmt: skip
