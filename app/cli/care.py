"""backup, restore, retain, export: commands for a warehouse that runs for years."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import (
    Command,
    add_json,
    add_wait,
    console,
    print_json,
    progress,
    warehouse_of,
    working,
)
from app.results.words import counted

if TYPE_CHECKING:
    from app.pipeline.backup import Backup

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the commands."""
    retain = command(
        "retain",
        _retain,
        "apply the retention policy (retention.toml in the lake); hours of old records stay",
        examples="retain --dry-run",
    )
    retain.add_argument(
        "--dry-run", action="store_true", help="show what would be removed; change nothing"
    )
    backup = command(
        "backup",
        _backup,
        "copy all that cannot be made again, and the published file, into a new folder in FOLDER; "
        "loads and builds may go on",
        examples="backup /backups --keep 14",
    )
    backup.add_argument("folder", type=Path, metavar="FOLDER")
    backup.add_argument(
        "--verify",
        action="store_true",
        help="make none; read all of a backup, or of the newest in FOLDER, and say what is wrong",
    )
    backup.add_argument(
        "--keep",
        type=_number,
        metavar="N",
        help="remove all but the last N backups of this warehouse (default: keep all)",
    )
    restore = command(
        "restore",
        _restore,
        "restore the warehouse from a backup, after verifying all its files",
        examples="restore /backups --warehouse restored.duckdb",
    )
    restore.add_argument(
        "source",
        type=Path,
        metavar="FROM",
        help="a backup, or a folder of backups (the newest is used)",
    )
    restore.add_argument("--replace", action="store_true", help="replace an existing warehouse")
    export = command(
        "export",
        _export,
        "copy what is published to one DuckDB file that stands alone, or to a folder of Parquet",
        examples="""
            export results.duckdb
            export parquet/ --marts-only
        """,
    )
    export.add_argument("out", type=Path, metavar="FILE.duckdb|DIR")
    export.add_argument(
        "--marts-only", action="store_true", help="copy marts and the tables of a team only"
    )
    for printing in (backup, restore, retain):
        add_json(printing)
    for changing in (retain, restore):
        add_wait(changing)


def _number(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _retain(arguments: argparse.Namespace) -> int:
    from app.pipeline import retention
    from app.pipeline.publication import TO_READERS

    warehouse = warehouse_of(arguments)
    act = retention.removable if arguments.dry_run else retention.retain
    with working("looking for old data"):
        removal = act(warehouse)
    if arguments.json:
        loads = [load._asdict() for load in removal.loads]
        print_json(removal._asdict() | {"is_done": not arguments.dry_run, "loads": loads})
        return 0
    for line in removal.lines(done=not arguments.dry_run):
        console.print(line, highlight=False, soft_wrap=True)
    if not (warehouse.lake / retention.POLICY).exists():
        console.print(f"{warehouse.lake / retention.POLICY}: no policy, so everything is kept",
                      highlight=False, soft_wrap=True)  # fmt: skip
    if removal.loads and not arguments.dry_run:
        console.print(f"marts follow: {warehouse.command(*TO_READERS)}", soft_wrap=True)
    return 0


def _backup(arguments: argparse.Namespace) -> int:
    from app.pipeline.backup import back_up, verify

    if arguments.verify:
        with working("reading"):
            made = verify(arguments.folder)
        return _said(arguments, made, "all of it is as it was written")
    with working("backing up"):
        made = back_up(warehouse_of(arguments), arguments.folder, arguments.keep)
    new = f"of which {_mb(made.copied)} are new since the backup before"
    return _said(arguments, made, new)


def _said(arguments: argparse.Namespace, made: Backup, more: str) -> int:
    if arguments.json:
        print_json(made._asdict())
    else:
        console.print(f"{made.folder}: {_sizes(made)}, {more}", highlight=False, soft_wrap=True)
    return 0


def _sizes(made: Backup) -> str:
    return f"{counted(made.loads, 'load')}, {made.files:,} files, {_mb(made.bytes)}"


def _restore(arguments: argparse.Namespace) -> int:
    from app.pipeline.backup import restore

    warehouse = warehouse_of(arguments)
    with working("restoring"):
        made = restore(arguments.source, warehouse, replace=arguments.replace)
    if arguments.json:
        print_json(made._asdict())
        return 0
    console.print(
        f"{warehouse.file}: restored from {made.folder}, {_sizes(made)}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from rich.progress import MofNCompleteColumn

    from app.pipeline.export import export

    with progress(MofNCompleteColumn()) as bar:
        task = bar.add_task("copying tables", total=None)
        count = export(
            warehouse_of(arguments),
            arguments.out,
            marts_only=arguments.marts_only,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    console.print(f"{arguments.out}: {count:,} tables", highlight=False, soft_wrap=True)
    return 0


def _mb(size: int) -> str:
    return f"{size / 2**20:,.1f} MB"
