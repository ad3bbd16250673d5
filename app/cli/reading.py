"""sql: query the published warehouse."""

from __future__ import annotations

import argparse
import sys

from app.cli.common import Command, UsageError, warehouse_of
from app.cli.render import FORMATS, render

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    sql = command("sql", _sql, "run a query on the published warehouse")
    sql.add_argument("query", metavar="SELECT")
    sql.add_argument("--format", choices=FORMATS, default="table")
    sql.add_argument(
        "--full", action="store_true", help="shorten nothing in a table, however wide it gets"
    )


def _sql(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import reading

    with reading(warehouse_of(arguments)) as db:
        if not db.extract_statements(arguments.query):
            raise UsageError("sql: the query is empty")
        render(db.execute(arguments.query), arguments.format, sys.stdout, full=arguments.full)
    return 0
