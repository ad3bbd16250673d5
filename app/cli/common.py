"""What the commands share: console, progress bar, choice of the warehouse, errors of usage."""

from __future__ import annotations

import argparse
import errno
import json
import math
import os
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, Protocol

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from app.results.suggest import did_you_mean
from ingest.base.errors import RequestError
from ingest.base.files import OS_ERROR, refusal_of
from ingest.base.visible import Guarded, one_line, visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn
    from rich.text import Text

    from ingest.lake.warehouse import Warehouse

__all__ = [
    "Command",
    "Name",
    "Parser",
    "UsageError",
    "add_json",
    "add_verbose",
    "add_wait",
    "common_options",
    "complain",
    "complain_of",
    "console",
    "finite",
    "help_after",
    "print_json",
    "progress",
    "refusal",
    "warehouse_of",
    "without_middle",
    "working",
]


class _Console(Console):
    """A console that treats every text as plain: one line each, without markup and emojis.

    Invisible characters are escaped before a text is measured and laid out, so the only escape
    sequences in the output are those of rich. They bypass the guard of a terminal.
    """

    verbose = False  # print what a summary leaves out

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, **settings)

    @property
    def file(self) -> IO[str]:
        """The stream below the guard."""
        stream = super().file
        return stream.stream if isinstance(stream, Guarded) else stream

    @file.setter
    def file(self, new: IO[str]) -> None:
        self._file = new

    def print(self, *objects: Any, **how: Any) -> None:
        """Print; a text is broken between words only, so that a name in it stays whole."""
        if "soft_wrap" in how or not all(isinstance(each, str) for each in objects):
            super().print(*objects, **how)
            return
        indent = how.pop("indent", "")
        for line in textwrap.wrap(
            one_line(" ".join(objects)), self.width, break_long_words=False,
            break_on_hyphens=False, initial_indent=indent, subsequent_indent=indent,
        ) or [""]:  # fmt: skip
            super().print(line, soft_wrap=True, **how)

    def render_str(self, text: str, **how: Any) -> Text:
        """Return a text on one line."""
        return super().render_str(one_line(text), **how)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield what is written; texts that a part of rich made itself are escaped too."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)


console = _Console()


#: Lines that DuckDB adds to an error: where it is, and what may have been meant.
_HINT = re.compile(r"(LINE \d+: |\s*\^\s*$|Candidate |Did you mean |\t|\s*$)")


def complain_of(error: Exception) -> None:
    """Print an error on stderr: a line, and the hints of DuckDB below it.

    A name in it may have ends of lines, too. They are shown as escapes, so that nothing in a name
    looks like a line of ours.
    """
    lines: list[str] = []
    option = f"; {error.option}" if isinstance(error, RequestError) and error.option else ""
    for line in f"perfhouse: {str(error).strip()}{option}".split("\n"):
        if lines and not _HINT.match(line):
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    for line in lines:
        complain(line)


def complain(text: str) -> None:
    """Print a line on stderr."""
    print(one_line(text), file=sys.stderr)


def print_json(value: object) -> None:
    """Print a value as JSON: NaN and infinity are null, and timestamps are text."""
    json.dump(finite(value), sys.stdout, indent=1, default=str)
    sys.stdout.write("\n")


def finite(value: Any, lost: Counter[str] | None = None) -> Any:
    """Return a value with None for the numbers that JSON cannot hold, which `lost` counts."""
    if isinstance(value, dict):
        return {str(key): finite(held, lost) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [finite(held, lost) for held in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    if lost is not None:
        lost[str(value)] += 1
    return None


class Name:
    """A name in a table: on one line, its middle left out where it does not fit."""

    LEAST = 20  # characters that are always shown

    def __init__(self, text: str) -> None:
        self.text = one_line(text)

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        """Print as much of both ends as fits."""
        yield without_middle(self.text, options.max_width)

    def __rich_measure__(self, _: Console, options: ConsoleOptions) -> Measurement:
        """Return the least and the greatest width that the name can use."""
        whole = cell_len(self.text)
        return Measurement(min(whole, self.LEAST), whole).with_maximum(options.max_width)


class UsageError(RequestError):
    """Wrong use of a command; the message is one line."""


_ADVICE = {
    **dict.fromkeys(
        (errno.ENOSPC, errno.EDQUOT), "free some space and run it again; nothing loaded is lost"
    ),
    **dict.fromkeys((errno.EACCES, errno.EPERM), "the user who runs perfhouse lacks permission"),
}


def refusal(error: Exception) -> str | None:
    """Return what the operating system refused, in one line; None for other errors."""
    if isinstance(error, OSError) and error.errno is not None:
        number, reason = error.errno, refusal_of(error)
    elif is_of_polars := type(error).__module__.startswith("polars") and OS_ERROR.search(
        str(error)
    ):
        number = int(is_of_polars[1])
        reason = os.strerror(number)
    else:
        return None
    return f"{reason}; {_ADVICE[number]}" if number in _ADVICE else reason


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of exiting, and suggests what was meant."""

    _CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)$", re.DOTALL)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        if match := self._CHOICE.search(message):
            names = [name.strip("' ") for name in match[2].split(",")]
            listed = did_you_mean(match[1], names) or f"; known: {', '.join(names)}"
            kind = "command" if "argument COMMAND" in message else "choice"
            about = message[: match.start()].removeprefix("argument COMMAND: ")
            message = f"{about}no {kind} '{match[1]}'{listed}"
        raise UsageError(f"{message} (see '{self.prog} --help')")

    def parse_known_args(
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Refuse options that this command does not have, with the one that was meant."""
        namespace_, rest = super().parse_known_args(args, namespace)
        if rest:
            unknown = next((word for word in rest if word.startswith("-")), rest[0]).split("=")[0]
            options = [name for action in self._actions for name in action.option_strings]
            if unknown.startswith("-"):
                self.error(f"no option {unknown!r}{did_you_mean(unknown, options)}")
            self.error(f"one argument too many: {unknown!r}")
        return namespace_, rest


class Command(Protocol):
    """Declares a command of `perfhouse` and returns the parser of its arguments."""

    def __call__(
        self,
        name: str,
        run: Callable[[argparse.Namespace], int],
        summary: str,
        *,
        examples: str = "",
        one: str = "",
        has_warehouse: bool = True,
    ) -> argparse.ArgumentParser:
        """Declare a command.

        run: takes the parsed arguments and returns the exit status. summary: what it does.
        examples: one a line, without `perfhouse`. one: what exit status 1 means, if it can be
        that. has_warehouse: whether it works on a warehouse.
        """


def help_after(examples: str, one: str) -> str:
    """Return what the help of a command says at its end: examples and exit statuses."""
    lines = textwrap.dedent(examples).strip().splitlines()
    listed = [f"    {line}" if line.startswith(" ") else f"  perfhouse {line}" for line in lines]
    return "\n".join(
        [
            *(["examples:", *listed, ""] if listed else []),
            "exit status:",
            "  0  success",
            *([f"  1  {one}"] if one else []),
            "  2  wrong input or usage, or a fault of perfhouse",
        ]
    )


def without_middle(text: str, width: int) -> str:
    """Return both ends of a text that is wider than `width` (3 or more)."""
    if cell_len(text) <= width:
        return text
    tail = width // 2
    start = chop_cells(text, width - tail - 1)[0]
    end = chop_cells(text[::-1], tail)[0][::-1]
    return f"{start}…{end}"


def common_options(*, has_warehouse: bool) -> Parser:
    """Return a parser of the options that commands share."""
    common = Parser(add_help=False)
    if has_warehouse:
        common.add_argument(
            "--warehouse",
            type=Path,
            metavar="FILE",
            help="DuckDB file of the warehouse (default: $PERFHOUSE_WAREHOUSE, or the one in the "
            "data folder)",
        )
    common.add_argument(
        "-q", "--quiet", action="store_true", help="print errors and requested data only"
    )
    return common


def add_json(command: argparse.ArgumentParser, *, formats: bool = False) -> None:
    """Add --json; `formats`: it is short for --format json."""
    if formats:
        command.add_argument(
            "--json", action="store_const", const="json", dest="format", help="--format json"
        )
    else:
        command.add_argument("--json", action="store_true", help="print JSON")


def add_verbose(command: argparse.ArgumentParser) -> None:
    """Add the option to print what a summary leaves out."""
    command.add_argument(
        "-v", "--verbose", action="store_true", help="print every file and everything found"
    )


def add_wait(command: argparse.ArgumentParser) -> None:
    """Add the option of every command that changes a warehouse alone; see ingest.lake.alone."""
    command.add_argument(
        "--wait",
        type=_seconds,
        metavar="SECONDS",
        help="how long to wait for another process that is building, checking or publishing, say "
        "(default: 3600; 0: do not wait)",
    )


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0")
    return seconds


def warehouse_of(arguments: argparse.Namespace) -> Warehouse:
    """Return the warehouse that a command works on."""
    from app.pipeline.places import default_warehouse
    from ingest.lake.warehouse import Warehouse

    given = getattr(arguments, "warehouse", None)
    return Warehouse(given) if given else default_warehouse()


def progress(*more: ProgressColumn) -> Progress:
    """Return a progress bar with `more` columns after it; it is shown on a terminal only."""
    from rich.progress import BarColumn

    return _moving(_description(), BarColumn(), *more)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show what is going on until the block ends; on a terminal only."""
    from rich.progress import SpinnerColumn

    with _moving(SpinnerColumn(), _description()) as shown:
        shown.add_task(what, total=None)
        yield


def _description() -> ProgressColumn:
    from rich.progress import ProgressColumn, Task

    class Description(ProgressColumn):
        def render(self, task: Task) -> Name:
            return Name(task.description)

    return Description()


def _moving(*columns: ProgressColumn) -> Progress:
    from rich.progress import Progress

    # rich would take over stdout and stderr, and give back escape sequences that are printed.
    return Progress(
        *columns,
        console=_Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=console.quiet or not sys.stderr.isatty(),
    )
