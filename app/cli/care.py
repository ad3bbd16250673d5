"""backup, restore, retain: what keeps a warehouse for years."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.common import Command, console, warehouse_of

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the commands."""
    retain = command(
        "retain",
        _retain,
        "remove what is older than retention.toml in the lake says; hours of old records stay",
    )
    retain.add_argument(
        "--dry-run", action="store_true", help="only say what would be removed; change nothing"
    )
    backup = command(
        "backup",
        _backup,
        "copy all that cannot be made again, and the published file, into a new folder in FOLDER; "
        "loads and builds may go on",
    )
    backup.add_argument("folder", type=Path, metavar="FOLDER")
    backup.add_argument(
        "--keep",
        type=_number,
        metavar="N",
        help="remove all but the last N backups of this warehouse (default: keep all)",
    )
    restore = command(
        "restore",
        _restore,
        "make the warehouse from a backup, once every file of it is verified",
    )
    restore.add_argument(
        "source", type=Path, metavar="FROM", help="a backup, or a folder: the last backup in it"
    )
    restore.add_argument(
        "--replace", action="store_true", help="replace the warehouse that is there"
    )


def _number(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _retain(arguments: argparse.Namespace) -> int:
    from app.pipeline import retention
    from app.pipeline.publication import TO_READERS

    warehouse = warehouse_of(arguments)
    act = retention.removable if arguments.dry_run else retention.retain
    with console.status("looking for what is old"):
        removal = act(warehouse)
    for line in removal.lines(done=not arguments.dry_run):
        console.print(line, highlight=False, soft_wrap=True)
    if not (warehouse.lake / retention.POLICY).exists():
        console.print(f"{warehouse.lake / retention.POLICY}: no policy, so everything is kept",
                      highlight=False, soft_wrap=True)  # fmt: skip
    if removal.loads and not arguments.dry_run:
        console.print(f"marts follow: {warehouse.command(*TO_READERS)}", soft_wrap=True)
    return 0


def _backup(arguments: argparse.Namespace) -> int:
    from app.pipeline.backup import back_up

    with console.status("backing up"):
        made = back_up(warehouse_of(arguments), arguments.folder, arguments.keep)
    console.print(
        f"{made.folder}: {made.files:,} files, {_mb(made.bytes)}, of which {_mb(made.copied)} are "
        "new since the backup before",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    from app.pipeline.backup import restore

    warehouse = warehouse_of(arguments)
    with console.status("restoring"):
        made = restore(arguments.source, warehouse, replace=arguments.replace)
    console.print(
        f"{warehouse.file}: restored from {made.folder}, {made.files:,} files, {_mb(made.bytes)}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    return 0


def _mb(size: int) -> str:
    return f"{size / 2**20:,.1f} MB"
