"""ingest, forget, reload: files into the lake and out of it."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from app.cli import results
from app.cli.common import (
    Command,
    Name,
    add_json,
    add_wait,
    complain,
    console,
    print_json,
    progress,
    warehouse_of,
)
from ingest.base.files import name_of

if TYPE_CHECKING:
    from ingest.lake.warehouse import Warehouse
    from ingest.load import Load

__all__ = ["add", "add_reading", "figures_of", "load", "report", "status_of"]

_LISTED = 100  # files; of more, those that were not simply loaded
_SHOWN = 5  # damaged parts printed per file; raw.quarantine has all of them


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
        "undo a load: drop its rows and its ledger entry",
        examples="forget 3ce79bdb",
    )
    forget.add_argument(
        "source_id", metavar="ID", help="source_id of the load, or its first characters"
    )
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


def status_of(loads: Sequence[Load]) -> int:
    """Return the exit status: 2 if a file could not be read, or nothing in any file."""
    statuses = {load.status for load in loads}
    return 2 if "failed" in statuses or statuses == {"quarantined"} else 0


def figures_of(loads: Sequence[Load]) -> list[dict[str, object]]:
    """Return loads as JSON has them."""
    names = (
        *("path", "source_id", "status", "kind", "framing", "bytes", "records", "quarantined"),
        *("rows", "decoder", "reasons"),
    )
    return [{name: getattr(load, name) for name in names} for load in loads]


def report(warehouse: Warehouse, loads: Sequence[Load]) -> None:
    """Print what was loaded: files, records by type, and what could not be read."""
    from ingest.lake.catalogue import describe_record

    files = Table(title="Files", title_justify="left", box=None, padding=(0, 1, 0, 0))
    files.add_column("file")
    for heading in ("status", "framing"):
        files.add_column(heading, no_wrap=True)
    for heading in ("MB", "records", "quarantined", "rows"):
        files.add_column(heading, justify="right", no_wrap=True)
    listed = loads
    if len(loads) > _LISTED:
        counts = Counter(load.status for load in loads)
        every = ", ".join(f"{number:,} {status}" for status, number in counts.items())
        console.print(f"{len(loads):,} files: {every}", highlight=False)
        listed = [load for load in loads if load.status != "loaded"][:_LISTED]
    names = [Name(name_of(load.path.name)) for load in listed]
    totals: Counter[tuple[int, int | None]] = Counter()
    sections: Counter[tuple[int, int | None]] = Counter()
    for load, name in zip(listed, names, strict=True):
        files.add_row(
            name,
            load.status,
            load.framing or load.kind.partition("_")[0],
            f"{load.bytes / 2**20:,.1f}",
            f"{load.records:,}",
            f"{load.quarantined:,}",
            f"{load.rows:,}",
        )
    for load in loads:
        for key, (records, found) in load.counts.items():
            totals[key] += records
            sections[key] += found
    if listed:
        console.print(files)
    tables = [load for load in listed if load.kind == "results_table" and load.rows]
    columns: dict[tuple[str, ...], list[str]] = {}
    for load in tables:
        if load.status in ("loaded", "partly") and (lines := results.columns_of(load.path)):
            columns.setdefault(tuple(lines), []).append(name_of(load.path.name))
    for (line, *notes), files_of in columns.items():
        more = f" and {len(files_of) - 1:,} more" if len(files_of) > 1 else ""
        for text in (f"{files_of[0]}{more}: {line}", *notes):
            console.print(text, highlight=False, soft_wrap=True)
    if any(name.is_shortened for name in names):
        every = warehouse.command("sql 'SELECT path FROM raw.ledger' --format csv")
        console.print(f"whole names: {every}", highlight=False, soft_wrap=True)
    if totals:
        types = Table(title="Records by type and subtype", title_justify="left")
        for heading in ("type", "subtype"):
            types.add_column(heading, justify="right")
        types.add_column("description")
        for heading in ("records", "sections"):
            types.add_column(heading, justify="right")
        for (kind, subtype), records in sorted(
            totals.items(), key=lambda t: (t[0][0], t[0][1] or 0)
        ):
            types.add_row(
                str(kind),
                "" if subtype is None else str(subtype),
                describe_record(kind, subtype),
                f"{records:,}",
                f"{sections[kind, subtype]:,}",
            )
        console.print(types)
    for load in listed:
        path = name_of(load.path)
        for reason in load.reasons[:_SHOWN]:
            complain(f"{path}: {reason}")
        if load.quarantined > _SHOWN:
            left = load.quarantined - _SHOWN
            complain(f"{path}: {left} more in raw.quarantine")


def _ingest(arguments: argparse.Namespace) -> int:
    results.set_given(arguments)
    if arguments.dry_run:
        return results.explain(arguments)
    console.quiet |= arguments.json
    loads = load(arguments, arguments.paths, arguments.origin)
    report(warehouse_of(arguments), loads)
    if arguments.json:
        print_json(figures_of(loads))
    return status_of(loads)


def _forget(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import TO_READERS
    from app.pipeline.steps import forget_load

    warehouse = warehouse_of(arguments)
    forget_load(warehouse, arguments.source_id)
    console.print(
        f"load forgotten; marts keep its rows until: {warehouse.command(*TO_READERS)}",
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
