"""What the commands share: console, progress bar, choice of the warehouse, errors of usage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console

from ingest.errors import PerfhouseError

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ingest.warehouse import Warehouse

__all__ = [
    "Command",
    "MissingExtraError",
    "Parser",
    "UsageError",
    "console",
    "progress",
    "warehouse_of",
    "warehouse_option",
]

console = Console(markup=False)  # names of files and jobs may contain brackets


class UsageError(PerfhouseError):
    """Wrong use of a command; the message is one line."""


class MissingExtraError(PerfhouseError):
    """An optional part of the package is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(f"this needs an optional part: pip install 'perfhouse[{extra}]'")


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message} (see '{self.prog} --help')")


Command = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def warehouse_option() -> Parser:
    """Return a parser of the option that every command has."""
    common = Parser(add_help=False)
    common.add_argument(
        "--warehouse",
        type=Path,
        metavar="FILE",
        help="DuckDB file of the warehouse (default: $PERFHOUSE_WAREHOUSE, or the one in the data "
        "folder)",
    )
    return common


def warehouse_of(arguments: argparse.Namespace) -> Warehouse:
    """Return the warehouse that a command works on."""
    from app.pipeline.places import default_warehouse
    from ingest.warehouse import Warehouse

    return Warehouse(arguments.warehouse) if arguments.warehouse else default_warehouse()


def progress(*more: ProgressColumn) -> Progress:
    """Return a progress bar with `more` columns after it; it shows on a terminal only."""
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *more,
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
