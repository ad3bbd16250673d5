"""page: what a page of the dashboard says, in the terminal."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

from app.cli.common import Command, add_json, console, print_json, warehouse_of

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    page = command(
        "page",
        _page,
        "print what a page on systems, a run, a campaign or loads says: key figures, tables, and "
        "of each chart the least, mean and most; without a name, which pages there are",
        examples="""
            page
            page lpars --of PLEX1/SY1 --from 2026-03-01T10:00 --to 2026-03-01T12:00
            page queues --json
            page run --of nightly-20260302T031500
        """,
    )
    page.add_argument("name", nargs="?", metavar="PAGE")
    page.add_argument(
        "--of", default="", metavar="NAME", help="system, queue manager, run or campaign"
    )
    for option, dest in (("--from", "start"), ("--to", "end")):
        page.add_argument(option, dest=dest, type=_moment, metavar="TIME", help="UTC")
    page.add_argument("--full", action="store_true", help="shorten nothing")
    page.add_argument("--format", choices=("table", "json"), default="table")
    add_json(page, formats=True)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _page(arguments: argparse.Namespace) -> int:
    import duckdb

    from app.cli.render import render
    from app.results.answers import answers_of

    file = warehouse_of(arguments).file
    tables = answers_of(file, arguments.name or "", arguments.of, arguments.start, arguments.end)
    if arguments.format == "json":
        print_json({answer.title: answer.frame.to_dicts() for answer in tables})
        return 0
    for answer in tables:
        console.print(answer.title, style="bold")
        render(duckdb.from_arrow(answer.frame.to_arrow()), "table", sys.stdout, full=arguments.full)
    return 0
