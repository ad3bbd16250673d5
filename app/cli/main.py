"""The command `perfhouse`.

Exit status: 0 success; 1 a check or a comparison found something to look at (errors in the data,
regressions); 2 perfhouse could not do its job (wrong input or usage, or a fault of its own), with
one line on stderr.

Each module in GROUPS has `add(command)`: it calls `command(name, run, summary)` for each of its
commands and adds arguments to the parser that this returns. `run` takes the parsed arguments and
returns the exit status. Modules import what only one command needs inside that command, so that
every command starts quickly.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import duckdb

from app.cli import (
    care,
    comparing,
    dashboard,
    doctor,
    models,
    pipeline,
    reading,
    regressions,
    reporting,
    runs,
    simulate,
)
from app.cli.common import MissingExtraError, Parser, refusal, warehouse_of, warehouse_option
from ingest.errors import PerfhouseError

if TYPE_CHECKING:
    from app.pipeline.log import Step

GROUPS = (
    pipeline, runs, reading, comparing, regressions, reporting, models, simulate, dashboard, care,
    doctor,
)  # fmt: skip

_EXTRAS = {"altair": "dashboard", "streamlit": "dashboard", "vl_convert": "dashboard"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        return _run(argv)
    except PerfhouseError as error:
        print(f"perfhouse: {error}", file=sys.stderr)
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        print(f"perfhouse: {first}", file=sys.stderr)
    except KeyboardInterrupt:
        print("perfhouse: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        reason = refusal(error)
        if reason is None:  # a mistake of perfhouse
            raise
        print(f"perfhouse: {reason}", file=sys.stderr)
    return 2


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        with _logged(arguments) as done:
            status = int(arguments.run(arguments))
            done.note(exit_status=status)
            return status
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(error.name or "")
        if extra is None:
            raise
        raise MissingExtraError(extra) from None


def _logged(arguments: Namespace) -> AbstractContextManager[Step]:
    """Let a command write to the log of its warehouse, unless it changes nothing."""
    from app.pipeline.log import Step, command

    try:
        if arguments.command != "doctor":
            return command(warehouse_of(arguments), f"perfhouse {arguments.command}")
    except PerfhouseError:  # the name of the warehouse, which the command refuses itself
        pass
    return nullcontext(Step())


def _parser() -> ArgumentParser:
    parser = Parser(
        prog="perfhouse",
        description="A results warehouse for performance runs of IBM MQ and Managed File Transfer.",
    )
    common = warehouse_option()
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[Namespace], int], summary: str) -> ArgumentParser:
        added = commands.add_parser(name, parents=[common], help=summary, description=summary)
        added.set_defaults(run=run)
        return added

    for group in GROUPS:
        group.add(command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
