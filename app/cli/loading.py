"""ingest, forget, reload: files into the lake and out of it."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli import results
from app.cli.common import (
    Command,
    add_json,
    add_verbose,
    add_wait,
    complain,
    console,
    print_json,
    progress,
    warehouse_of,
)
from app.results.words import counted
from ingest.base.files import name_of

if TYPE_CHECKING:
    from ingest.writer import Load

__all__ = ["add", "add_reading", "complain_of_parts", "figures_of", "load", "report", "status_of"]

_SHOWN = 5  # names, and damaged parts, that are printed without --verbose


def add(command: Command) -> None:
    """Declare the commands."""
    ingest = command(
        "ingest",
        _ingest,
        "load files, folders or patterns into raw.*",
        examples="""
            ingest dumps/ 'archive/*.smf.gz'
            ingest results.csv --dry-run
        """,
    )
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    add_reading(ingest)
    add_json(ingest)
    forget = command(
        "forget",
        _forget,
        "undo loads: drop their rows and their ledger entries",
        examples="forget 3ce79bdb 89813123",
    )
    forget.add_argument(
        "source_ids", nargs="+", metavar="ID",
        help="source_id of a load or a roll-up (hours-...), or its first characters",
    )  # fmt: skip
    reload = command(
        "reload",
        _reload,
        "decode files again that an earlier decoder loaded, and replace their rows",
    )
    reload.add_argument(
        "--all", action="store_true", help="all files, not only those of an earlier decoder"
    )
    for changing in (forget, reload):
        add_wait(changing)


def add_reading(reader: argparse.ArgumentParser) -> None:
    """Add the options on how files are read, and on what plain tables mean."""
    reader.add_argument(
        "--origin",
        type=_origin,
        metavar="ORIGIN",
        help="measured or simulated (default: as the nearest file named ORIGIN says, otherwise "
        "measured)",
    )
    reader.add_argument(
        "--code-page",
        type=_code_page,
        default="037",
        metavar="PAGE",
        help="EBCDIC code page of text in SMF records: 037 (default), 1047, 500 or 1140",
    )
    reader.add_argument(
        "--ams-type",
        type=_record_type,
        default=180,
        metavar="N",
        help="SMF record type of Advanced Message Security at your site (default: 180)",
    )
    reader.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="processes that load large amounts of data (default: one for each processor)",
    )
    results.add(reader)
    add_verbose(reader)


def _origin(text: str) -> str:
    from ingest.formats.sources import ORIGINS

    return _one_of(ORIGINS, text)


def _code_page(text: str) -> str:
    from ingest.formats.binary.text import CODE_PAGES

    return _one_of(CODE_PAGES, text)


def _one_of(known: Sequence[str], text: str) -> str:
    if text not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(known)}")
    return text


def _record_type(text: str) -> int:
    number = int(text)
    if not 128 <= number <= 255:
        raise argparse.ArgumentTypeError("user record types are 128 to 255")
    return number


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one process is needed")
    return number


def load(
    arguments: argparse.Namespace, paths: Sequence[Path | str], origin: str | None
) -> list[Load]:
    """Load these inputs with the options of a command, under a progress bar."""
    from rich.progress import DownloadColumn, TransferSpeedColumn

    from app.pipeline.steps import ingest_paths

    with progress(DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task("", total=None)

        def advance(file: Path, read: int, total: int) -> None:
            bar.update(task, description=name_of(file.name), advance=read, total=total)

        return ingest_paths(
            warehouse_of(arguments),
            paths,
            origin,
            code_page=arguments.code_page,
            ams_type=arguments.ams_type,
            jobs=arguments.jobs,
            progress=advance,
        )


def status_of(loads: Sequence[Load], paths: Sequence[str]) -> int:
    """Return the exit status: 2 if a file could not be read, or nothing in any file.

    What is no input is no error, unless a path names it.
    """
    named = set(map(Path, paths))
    statuses = {load.status for load in loads}
    is_refused = any(_is_listed(load) and load.path in named for load in loads)
    is_empty = bool(statuses) and statuses <= {"quarantined", "form"}
    return 2 if is_refused or is_empty or "failed" in statuses else 0


def _is_listed(load: Load) -> bool:
    """Return whether a file is no input: its content is of no known form, or not complete yet."""
    return load.kind == "unknown" or load.status == "form"


def figures_of(loads: Sequence[Load]) -> list[dict[str, object]]:
    """Return loads as JSON has them."""
    names = (
        *("path", "source_id", "status", "kind", "framing", "bytes", "records", "quarantined"),
        *("rows", "decoder", "reasons"),
    )
    return [{name: getattr(load, name) for name in names} for load in loads]


def report(loads: Sequence[Load]) -> None:
    """Print how many files were loaded, and how they are understood; every file if asked for."""
    statuses = Counter(load.status for load in loads)
    others = [load for load in loads if not load.runs]
    records, rows = sum(load.records for load in others), sum(load.rows for load in others)
    runs = sum(load.runs for load in loads)
    amounts = ((runs, "run"), (records, "record"), (rows, "row"))
    console.print(
        f"{counted(len(loads), 'file')}: "
        f"{', '.join(f'{number:,} {status}' for status, number in statuses.items())}; "
        f"{', '.join(counted(*amount) for amount in amounts if amount[0]) or 'nothing loaded'}",
        highlight=False,
    )
    if console.verbose:
        _report_each(loads)
    columns: dict[tuple[str, ...], list[str]] = {}
    for load in loads:
        is_table = load.kind == "results_table" and load.status in ("loaded", "partly")
        if is_table and (lines := results.columns_of(load.path)):
            columns.setdefault(tuple(lines), []).append(name_of(load.path.name))
    for (line, *notes), files in list(columns.items())[: None if console.verbose else 1]:
        more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        for text in (f"{files[0]}{more}: {line}", *notes):
            console.print(text, highlight=False, soft_wrap=True)
    listed = [name_of(load.path.name) for load in loads if load.kind == "unknown"]
    if listed:
        names = f"{', '.join(listed[:_SHOWN])}{', ...' * (len(listed) > _SHOWN)}"
        console.print(f"no known form: {names} (docs/inputs.md lists what is read)")


def complain_of_parts(loads: Sequence[Load], audited: str = "") -> None:
    """Print why files, or parts of them, were not loaded, but for what `audited` says of parts."""
    reasons = [
        f"{name_of(load.path)}: {reason}"
        for load in loads
        if load.kind != "unknown"
        for reason in load.reasons
        if reason.partition(": ")[2] not in audited or not load.quarantined
    ]
    for text in reasons if console.verbose else reasons[:_SHOWN]:
        complain(text)
    if len(reasons) > _SHOWN and not console.verbose:
        complain(f"{len(reasons) - _SHOWN:,} more: --verbose, or raw.quarantine")


def _report_each(loads: Sequence[Load]) -> None:
    """Print a line per file, and one per type of record."""
    from ingest.lake.catalogue import describe_record

    totals: Counter[tuple[int, int | None]] = Counter()
    for load in loads:
        totals.update({key: records for key, (records, _) in load.counts.items()})
        console.print(
            f"{name_of(load.path)}: {load.status}, {load.framing or load.kind or 'not read'}, "
            f"{load.bytes / 2**20:,.1f} MB, {counted(load.records, 'record')}, "
            f"{load.quarantined:,} set aside, {counted(load.rows, 'row')}",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    for (kind, subtype), records in sorted(totals.items(), key=lambda t: (t[0][0], t[0][1] or 0)):
        name = f"{kind}" if subtype is None else f"{kind}-{subtype}"
        console.print(f"SMF {name}, {describe_record(kind, subtype)}: {records:,} records")


def _ingest(arguments: argparse.Namespace) -> int:
    results.set_given(arguments)
    if arguments.dry_run:
        return results.explain(arguments)
    console.quiet |= arguments.json
    loads = load(arguments, arguments.paths, arguments.origin)
    report(loads)
    complain_of_parts(loads)
    if arguments.json:
        print_json(figures_of(loads))
    return status_of(loads, arguments.paths)


def _forget(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import TO_READERS
    from app.pipeline.steps import forget_load

    warehouse = warehouse_of(arguments)
    forget_load(warehouse, *arguments.source_ids)
    console.print(
        f"forgotten; marts keep the rows until: {warehouse.command(*TO_READERS)}",
        soft_wrap=True,
    )
    return 0


def _reload(arguments: argparse.Namespace) -> int:
    from rich.progress import MofNCompleteColumn

    from app.pipeline import steps
    from app.pipeline.publication import TO_READERS
    from ingest.lake.alone import alone

    warehouse = warehouse_of(arguments)
    # Chosen under the lock: a load that is forgotten meanwhile must not come back.
    with alone(warehouse), progress(MofNCompleteColumn()) as bar:
        chosen = steps.outdated(warehouse, everything=arguments.all)
        task = bar.add_task("", total=len(chosen))

        def advance(file: Path) -> None:
            bar.update(task, description=name_of(file.name), advance=1)

        loads = steps.reload(warehouse, chosen, advance)
    done = [load for load in loads if load.status != "failed"]
    for load in loads:
        if load.status == "failed":
            complain(f"{name_of(load.path)}: {load.reasons[0]}; its rows are unchanged")
    console.print(f"{len(done):,} of {len(loads):,} loads decoded again")
    if done:
        console.print(f"marts follow: {warehouse.command(*TO_READERS)}", soft_wrap=True)
    return 2 * (len(done) < len(loads))
