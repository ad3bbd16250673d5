"""sql: query the published warehouse."""

from __future__ import annotations

import argparse
import sys

from app.cli.common import Command, warehouse_of
from app.cli.render import FORMATS, render

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    sql = command("sql", _sql, "run a query on the published warehouse")
    sql.add_argument("query", metavar="SELECT")
    sql.add_argument("--format", choices=FORMATS, default="table")


def _sql(arguments: argparse.Namespace) -> int:
    with warehouse_of(arguments).connect() as db:
        render(db.execute(arguments.query), arguments.format, sys.stdout)
    return 0
