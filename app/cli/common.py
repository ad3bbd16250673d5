"""What the commands share: console, progress bar, choice of the warehouse, errors of usage."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement

from ingest.errors import PerfhouseError

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ingest.warehouse import Warehouse

__all__ = [
    "Command",
    "MissingExtraError",
    "Name",
    "Parser",
    "UsageError",
    "console",
    "progress",
    "refusal",
    "warehouse_of",
    "warehouse_option",
    "without_middle",
]

console = Console(markup=False)  # names of files and jobs may contain brackets


class Name:
    """A name in a table: on one line, its middle left out where it does not fit."""

    LEAST = 20  # characters that are always shown

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_shortened = False  # known once it is printed

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        """Print as much of both ends as fits."""
        self.is_shortened = cell_len(self.text) > options.max_width
        yield without_middle(self.text, options.max_width)

    def __rich_measure__(self, _: Console, options: ConsoleOptions) -> Measurement:
        """Return the least and the greatest width that the name can use."""
        whole = cell_len(self.text)
        return Measurement(min(whole, self.LEAST), whole).with_maximum(options.max_width)


class UsageError(PerfhouseError):
    """Wrong use of a command; the message is one line."""


class MissingExtraError(PerfhouseError):
    """An optional part of the package is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(f"this needs an optional part: pip install 'perfhouse[{extra}]'")


_ADVICE = {
    **dict.fromkeys(
        (errno.ENOSPC, errno.EDQUOT), "free some space and run it again; nothing loaded is lost"
    ),
    **dict.fromkeys((errno.EACCES, errno.EPERM), "the user who runs perfhouse may not do that"),
}
_OF_POLARS = re.compile(r"\(os error (\d+)\)")


def refusal(error: Exception) -> str | None:
    """Return what the operating system refused, in one line; None for any other error."""
    if isinstance(error, OSError) and error.errno is not None:
        place, number = error.filename2 or error.filename, error.errno
    elif found := type(error).__module__.startswith("polars") and _OF_POLARS.search(str(error)):
        place, number = None, int(found[1])
    else:
        return None
    said = os.strerror(number)
    if place is not None:
        said = f"{os.fsdecode(place) if isinstance(place, str | bytes) else place}: {said}"
    return f"{said}; {_ADVICE[number]}" if number in _ADVICE else said


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message} (see '{self.prog} --help')")


Command = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def without_middle(text: str, width: int) -> str:
    """Return both ends of a text that is wider than `width` (3 or more)."""
    if cell_len(text) <= width:
        return text
    tail = width // 2
    start = chop_cells(text, width - tail - 1)[0]
    end = chop_cells(text[::-1], tail)[0][::-1]
    return f"{start}…{end}"


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
