"""sql: query the published warehouse."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext

from app.cli.common import Command, UsageError, warehouse_of
from app.cli.render import FORMATS, render

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    sql = command("sql", _sql, "run a query on the published warehouse")
    sql.add_argument("query", metavar="SELECT")
    sql.add_argument("--format", choices=FORMATS, default="table")
    sql.add_argument(
        "--unsafe",
        action="store_true",
        help="let the query read and write any file and load extensions; otherwise it reads the "
        "warehouse only, with limits on memory and time",
    )
    sql.add_argument(
        "--full", action="store_true", help="shorten nothing in a table, however wide it gets"
    )


def _sql(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import reading
    from ingest.locked import LockedError, limited, lock, require_reading

    query = arguments.query
    with reading(warehouse_of(arguments)) as db:
        if not db.extract_statements(query):
            raise UsageError("sql: the query is empty")
        if not arguments.unsafe:
            lock(db)
            try:
                require_reading(db, query)
            except LockedError as error:
                raise UsageError(f"{error}; --unsafe runs it all the same") from None
        with nullcontext() if arguments.unsafe else limited(db):
            render(db.execute(query), arguments.format, sys.stdout, full=arguments.full)
    return 0
