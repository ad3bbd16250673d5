"""The command `perfhouse`.

Exit status: 0 success; 1 a check or a comparison found something to look at (errors in the data,
regressions); 2 perfhouse could not do its job (wrong input or usage, or a fault of its own), with
one line on stderr.

Each module in GROUPS has `add(command)`: it declares each of its commands (see common.Command) and
adds arguments to the parser that this returns. Modules import what only one command needs inside
that command, so that every command starts quickly.
"""

from __future__ import annotations

import errno
import os
import sys
from argparse import Action, ArgumentParser, HelpFormatter, Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import duckdb

from app.cli import (
    care,
    comparing,
    completion,
    dashboard,
    doctor,
    health,
    init,
    loading,
    mcp,
    models,
    page,
    pipeline,
    plan,
    reading,
    regressions,
    reporting,
    run,
    runs,
    simulate,
)
from app.cli.common import (
    Parser,
    common_options,
    complain,
    complain_of,
    console,
    help_after,
    refusal,
    warehouse_of,
)
from ingest.base.errors import PerfhouseError
from ingest.base.extras import EXTRAS, MissingExtraError
from ingest.base.visible import guard

if TYPE_CHECKING:
    from ingest.lake.log import Step

GROUPS = (
    run, loading, pipeline, runs, reading, comparing, regressions, health, page, reporting, models,
    plan, simulate, dashboard, care, doctor, init, mcp, completion,
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    guard()
    try:
        return _run(argv)
    except (PerfhouseError, duckdb.Error) as error:
        complain_of(error)
    except KeyboardInterrupt:
        complain("perfhouse: stopped")
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        reason = refusal(error)
        if reason is None:  # a mistake of perfhouse
            raise
        complain(f"perfhouse: {reason}")
    return 2


def _run(argv: Sequence[str] | None) -> int:
    parser = _parser()
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)
    arguments = parser.parse_args(argv)
    console.quiet = arguments.quiet
    console.verbose = getattr(arguments, "verbose", False)
    try:
        with _logged(arguments) as done, _waiting(arguments):
            status = int(arguments.run(arguments))
            done.note(exit_status=status)
            return status
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        for extra, modules in EXTRAS.items():
            if module in modules:
                raise MissingExtraError(extra) from None
        raise
    except OSError as error:
        if error.errno == errno.ENOSPC and error.filename is None and "warehouse" in arguments:
            from shutil import disk_usage
            from tempfile import gettempdir

            folders = (str(warehouse_of(arguments).file.parent), gettempdir())
            error.filename = min(folders, key=lambda folder: disk_usage(folder).free)
        raise


def _logged(arguments: Namespace) -> AbstractContextManager[Step]:
    """Let a command write to the log of its warehouse, unless it changes nothing."""
    from ingest.lake.log import Step, command

    try:
        if arguments.command != "doctor" and "warehouse" in arguments:
            return command(warehouse_of(arguments), f"perfhouse {arguments.command}")
    except PerfhouseError:  # the name of the warehouse, which the command refuses itself
        pass
    return nullcontext(Step())


def _waiting(arguments: Namespace) -> AbstractContextManager[None]:
    """Let a command wait as long for other processes as its option --wait says."""
    from ingest.lake.alone import waiting

    return waiting(arguments.wait) if "wait" in arguments else nullcontext()


def _parser() -> ArgumentParser:
    parser = Parser(
        prog="perfhouse",
        description="A results warehouse for performance runs of IBM MQ and Managed File Transfer.",
        epilog="'perfhouse COMMAND --help' has examples and exit statuses.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    shared = {has: common_options(has_warehouse=has) for has in (True, False)}

    def command(
        name: str,
        run: Callable[[Namespace], int],
        summary: str,
        *,
        examples: str = "",
        one: str = "",
        has_warehouse: bool = True,
    ) -> ArgumentParser:
        added = commands.add_parser(
            name,
            parents=[shared[has_warehouse]],
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=help_after(examples, one),
            formatter_class=_Formatter,
        )
        added.set_defaults(run=run)
        return added

    for group in GROUPS:
        group.add(command)
    return parser


class _Formatter(HelpFormatter):
    """Wraps paragraphs, but not what follows the options."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class _Version(Action):
    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"perfhouse {version('perfhouse')}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
