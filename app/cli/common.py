"""What the commands share: the console, the chosen warehouse, the error of a wrong use."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ingest.warehouse import Warehouse

__all__ = [
    "Command",
    "Parser",
    "UsageError",
    "console",
    "progress",
    "warehouse_of",
    "warehouse_option",
]

console = Console(markup=False)  # names of files and jobs may have brackets


class UsageError(ValueError):
    """The command was used wrongly; the message is one line for a person."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is an exception."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message} (see '{self.prog} --help')")


Command = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def warehouse_option() -> Parser:
    """A parser of the option that every command has."""
    common = Parser(add_help=False)
    common.add_argument(
        "--warehouse",
        type=Path,
        metavar="FILE",
        help="the warehouse's DuckDB file (default: $PERFHOUSE_WAREHOUSE, or the checkout's own)",
    )
    return common


def warehouse_of(arguments: argparse.Namespace) -> Warehouse:
    """The warehouse that the command is to use."""
    from app.pipeline.places import default_warehouse
    from ingest.warehouse import Warehouse

    return Warehouse(arguments.warehouse) if arguments.warehouse else default_warehouse()


def progress(*more: ProgressColumn) -> Progress:
    """A bar of what is being done, and columns behind it; shown on a terminal only."""
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *more,
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
