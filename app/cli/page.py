"""page: what a page of the dashboard says, in the terminal."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.cli.common import Command, UsageError, add_json, console, print_json, warehouse_of
from app.results.suggest import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from app.results.answers import Answer

__all__ = ["add", "asked"]


def add(command: Command) -> None:
    """Declare the command."""
    page = command(
        "page",
        _page,
        "print what a page on systems or queue managers says: key figures, tables, and of each "
        "chart the least, mean and most; without a name, which pages there are",
        examples="""
            page
            page lpars --of PLEX1/SY1 --from 2026-03-01T10:00 --to 2026-03-01T12:00
            page queues --json
        """,
    )
    page.add_argument("name", nargs="?", metavar="PAGE")
    page.add_argument("--of", default="", metavar="SYSTEM", help="system or queue manager")
    for option, dest in (("--from", "start"), ("--to", "end")):
        page.add_argument(option, dest=dest, type=_moment, metavar="TIME", help="UTC")
    page.add_argument("--full", action="store_true", help="shorten nothing")
    page.add_argument("--format", choices=("table", "json"), default="table")
    add_json(page, formats=True)


def asked(
    file: Path, name: str, of: str = "", start: datetime | None = None, end: datetime | None = None
) -> list[Answer]:
    """Return what a page says of an owner and a time; without a name, which pages there are."""
    import polars as pl

    from app.results.answers import Answer, answers, scope_of
    from app.results.pages import files, own_folder, page_of
    from app.results.reader import Reader

    known = {each.stem.replace("_", "-"): each for each in (*files(), *files(own_folder()))}
    if not name:
        held = [(path, page_of(each).about) for path, each in known.items()]
        return [Answer("Pages", pl.DataFrame(held, ["Page", "Shows"], orient="row"))]
    if name not in known:
        raise UsageError(f"no page {name!r}{did_you_mean(name, list(known))}")
    page, reader = page_of(known[name]), Reader(file)
    return answers(reader, page, scope_of(reader, page.owner, of, start, end))


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found


def _page(arguments: argparse.Namespace) -> int:
    import duckdb

    from app.cli.render import render

    file = warehouse_of(arguments).file
    found = asked(file, arguments.name or "", arguments.of, arguments.start, arguments.end)
    if arguments.format == "json":
        print_json({answer.title: answer.frame.to_dicts() for answer in found})
        return 0
    for answer in found:
        console.print(answer.title, style="bold")
        render(duckdb.from_arrow(answer.frame.to_arrow()), "table", sys.stdout, full=arguments.full)
    return 0
