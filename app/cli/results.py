"""Options of run and ingest for results of tools and plain tables."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection
from pathlib import Path

from rich.table import Table

from app.cli.common import UsageError, complain, console
from app.results.words import counted
from ingest.base.files import name_of

__all__ = ["add", "add_mapping", "columns_of", "explain", "set_given"]

_SHOWN = 5  # parts left out that are printed per file


def add(reader: argparse.ArgumentParser) -> None:
    """Add the options to a command that reads files."""
    group = reader.add_argument_group("results of tools and tables (docs/your-results.md)")
    group.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="label of the runs, such as git_revision=4e1f2ab (repeatable)",
    )
    add_mapping(group)
    group.add_argument(
        "--dry-run", action="store_true", help="print how results are understood and load nothing"
    )


def add_mapping(group: argparse._ActionsContainer) -> None:
    """Add the options that say how a table is to be read."""
    group.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help="column of a table that is start, stop, run, campaign, build, metric, value or unit "
        "(repeatable)",
    )
    group.add_argument("--time-zone", metavar="NAME", help="zone of times that have no offset")


def set_given(arguments: argparse.Namespace) -> None:
    """Let every process that reads files know what the options say."""
    from ingest.formats import about

    labels = getattr(arguments, "label", [])
    for name, given in ((about.LABELS, labels), (about.MAP, arguments.map)):
        if given:
            about.pairs("\n".join(given), f"--{'map' if name == about.MAP else 'label'}")
            os.environ[name] = "\n".join([os.environ.get(name, ""), *given])
    if arguments.time_zone:
        os.environ[about.ZONE] = arguments.time_zone


def explain(arguments: argparse.Namespace) -> int:
    """Print what results hold; exit status 2 if a file is none, or nothing in it can be loaded."""
    from ingest.formats.sources import expand

    if not arguments.paths:
        raise UsageError("--dry-run needs a PATH")
    sources = expand(arguments.paths).with_members()
    for file, reason in sources.unread.items():
        complain(f"{name_of(file)}: {reason}")
    statuses = [_explained(file, set(map(Path, arguments.paths))) for file in sources.files]
    return 2 if sources.unread or not all(statuses) else 0


def columns_of(path: Path) -> list[str]:
    """Return what became of the columns of a table, in a line, and what settings could change."""
    from ingest.formats.about import about
    from ingest.formats.bench import tables
    from ingest.formats.bench.values import FaultError
    from ingest.formats.sources import open_source

    try:
        settings = about(path)
        with open_source(path) as source:
            understood = tables.understand(source.readall(), settings)
    except (FaultError, OSError):
        return []  # the load has the reason
    columns = [
        f"{name} {role}" + (f" ({unit}, {better})" if unit else "")
        for name, role, unit, better in understood.columns
    ]
    if not any(role == "campaign" for _, role, _, _ in understood.columns):
        columns.append(f"campaign {settings.campaign or settings.series}")
    notes = [note for note in understood.notes if " units = {" in note or "settings name" in note]
    return ["; ".join(columns), *(f"note: {note}" for note in notes)]


def _explained(path: Path, named: Collection[Path]) -> bool:
    """Print how one file is understood; return whether it can be loaded, or need not be."""
    from ingest.formats.about import about
    from ingest.formats.bench import manifest, outcome, tables
    from ingest.formats.binary.framing import detect_framing
    from ingest.formats.parsers import find_parser
    from ingest.formats.sources import open_source
    from ingest.formats.text.parser import ParserOfFile
    from ingest.lake.catalogue import smf_catalogue

    with open_source(path) as source:
        recognised, content = find_parser(source.head), b""
        is_dump = not recognised and detect_framing(
            source.start, whole=source.start_is_all, records=smf_catalogue()
        )
        is_result = recognised is not None and isinstance(recognised[0], ParserOfFile)
        kind = recognised[1] if recognised else ""
        while is_result and (block := source.read(1 << 22)):
            content += block
    if not is_result:
        description = kind.replace("_", " ") or ("SMF" if is_dump else "no known form")
        description = (
            "a form of 'perfhouse init' to complete"
            if manifest.is_form(source.head)
            else description
        )
        is_right = path not in named or bool(kind or is_dump)
        say = console.print if is_right else complain
        say(f"{name_of(path)}: {description}")
        return is_right
    settings = about(path)
    parsed = outcome.parse_file(content, settings)
    console.print(f"{name_of(path)}: {kind.removeprefix('results_')}", highlight=False)
    if kind == outcome.TABLE_KIND and parsed.tables:
        understood = tables.understand(content, settings)
        columns = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("column", "read as", "unit", "better"):
            columns.add_column(heading, overflow="fold")
        for cells in understood.columns:
            columns.add_row(*cells)
        console.print(columns)
        for note in understood.notes:
            console.print(f"note: {note}", highlight=False)
    runs = parsed.tables.get("bench_run")
    if runs is not None:
        measured = parsed.tables["bench_measurement"]
        first = runs.row(0, named=True)
        sources = parsed.tables["bench_run_label"]
        times = {row["value"] for row in sources.rows(named=True) if row["label"] == "time_from"}
        elsewhere = ", ".join(sorted(times - {"output"}))
        console.print(
            f"{counted(runs.height, 'run')}, {counted(measured.height, 'figure')}, "
            f"campaign {first['campaign']}, "
            f"from {first['start_utc']} UTC" + (f" (time from: {elsewhere})" if elsewhere else ""),
            highlight=False,
        )
        if kind != outcome.TABLE_KIND:
            for row in measured.rows(named=True)[:50]:
                better = {True: "more is better", False: "less is better"}.get(
                    row["more_is_better"], "better: not known"
                )
                console.print(
                    f"  {row['metric']}: {row['value']:g} {row['unit']}, {better}", highlight=False
                )
    for part in parsed.rejected[:_SHOWN]:
        complain(f"{name_of(path)}:{part.line}: {part.reason}")
    if len(parsed.rejected) > _SHOWN:
        complain(f"{name_of(path)}: {len(parsed.rejected) - _SHOWN:,} more parts are left out")
    return "bench_run" in parsed.tables
