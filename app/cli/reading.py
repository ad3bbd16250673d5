"""sql, tables: read the published warehouse."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import duckdb

from app.cli import shell
from app.cli.common import Command, UsageError, add_json, complain, console, warehouse_of
from app.cli.render import FORMATS, render

if TYPE_CHECKING:
    from ingest.lake.queries import Query
    from ingest.lake.warehouse import Warehouse

__all__ = ["How", "add", "run_queries"]

_MOST = 1000  # rows of a table, or on a terminal, unless --limit says otherwise
_SUFFIXES = (".csv", ".json", ".parquet", ".xlsx")
_PIECE = 1 << 16  # characters

Parameters = Mapping[str, object]


def add(command: Command) -> None:
    """Declare the commands."""
    sql = command(
        "sql",
        _sql,
        "run queries on the published warehouse; names are looked up in marts, then in raw",
        examples="""
            sql 'SELECT campaign, count(*) FROM fct_run GROUP BY ALL'
            sql 'FROM fct_run WHERE machine = $machine' --param machine=z16 --out runs.xlsx
            sql --file weekly.sql --format csv
            sql
        """,
    )
    sql.add_argument(
        "query",
        nargs="?",
        metavar="SELECT",
        help="the query, or several with ';' between them; -: from standard input (default: a "
        "prompt on a terminal, otherwise standard input)",
    )
    sql.add_argument("--file", type=Path, metavar="FILE", help="read the queries from a file")
    sql.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of $NAME in the query (repeatable)",
    )
    sql.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"write the answer to a file, which ends in {', '.join(_SUFFIXES)}",
    )
    sql.add_argument("--format", choices=FORMATS, default="table")
    add_json(sql, formats=True)
    sql.add_argument(
        "--limit",
        type=_rows,
        metavar="N",
        help=f"print the first N rows, and say how many more there are; 0: all (default: {_MOST:,} "
        "in a table or on a terminal, otherwise all)",
    )
    sql.add_argument(
        "--unsafe",
        action="store_true",
        help="let the query read and write any file and load extensions; otherwise it reads the "
        "warehouse only, with limits on memory and time",
    )
    tables = command(
        "tables",
        _tables,
        "list the tables, or describe the columns of one",
        examples="""
            tables
            tables fct_run
            tables smf115 --json
            tables --field R723CEAT
            tables --field goal_value
        """,
    )
    tables.add_argument("name", nargs="?", metavar="NAME", help="a table, or part of its name")
    tables.add_argument(
        "--field",
        metavar="FIELD",
        help="list the columns that come from a field of SMF records, by its name in the manual or "
        "part of its name in IBM SMF Explorer",
    )
    tables.add_argument("--format", choices=FORMATS, default="table")
    add_json(tables, formats=True)
    for reader in (sql, tables):
        reader.add_argument(
            "--full",
            action="store_true",
            help="shorten and round nothing in a table, however wide it gets",
        )


def _rows(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: not a number of rows")
    return int(text)


class How(NamedTuple):
    """How an answer is printed. limit: None for the usual number of rows; more: how to get all."""

    style: str
    full: bool
    limit: int | None
    is_terminal: bool
    more: str = "--limit 0 prints all"


def _sql(arguments: argparse.Namespace) -> int:
    from ingest.lake.queries import Query

    file = warehouse_of(arguments).file
    parameters = _parameters(arguments.param)
    if arguments.out:
        if arguments.unsafe:
            raise UsageError(
                "sql: with --unsafe, write COPY (SELECT ...) TO 'FILE' instead of --out"
            )
        if problem := _write(file, _text(arguments), parameters, arguments.out):
            complain(f"perfhouse: {problem}")
        console.print(f"wrote {arguments.out}", soft_wrap=True)
        return 0
    how = How(arguments.format, arguments.full, arguments.limit, sys.stdout.isatty())

    def run(text: str) -> None:
        with _query_errors(), Query(file, is_limited=not arguments.unsafe) as query:
            if problem := run_queries(query, text, parameters, how, sys.stdout):
                complain(f"perfhouse: {problem}")

    if arguments.query is None and not arguments.file and sys.stdin.isatty():
        shell.prompt(file, run, lambda name: _describe(warehouse_of(arguments), name, "table"))
    else:
        run(_text(arguments))
    return 0


def _text(arguments: argparse.Namespace) -> str:
    if arguments.file and arguments.query:
        raise UsageError("sql: give a query or --file, not both")
    if arguments.file:
        try:
            return str(arguments.file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise UsageError(f"{arguments.file}: {reason}") from None
    if arguments.query in {None, "-"}:
        return sys.stdin.read()
    return str(arguments.query)


def _parameters(given: list[str]) -> Parameters:
    """Return parameters by name: numbers as numbers, unless they are in quotes."""
    values: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"sql: --param {text}: write NAME=VALUE")
        values[name] = _value(value)
    return values


def _value(text: str) -> object:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


@contextmanager
def _query_errors() -> Iterator[None]:
    """Say that an error of DuckDB is one of the query, with its hints."""
    try:
        yield
    except duckdb.IOException:  # of the lake
        raise
    except duckdb.Error as error:
        raise UsageError(str(error).strip()) from error


def run_queries(query: Query, text: str, parameters: Parameters, how: How, out: TextIO) -> str:
    """Write the answers to queries; return what there is to say about them besides."""
    return str(query.run(_answers, text, parameters, how, text_out=out.write))


def _write(file: Path, text: str, parameters: Parameters, out: Path) -> str:
    """Write the answer to a query to a file; return what there is to say besides."""
    from ingest.base.extras import require
    from ingest.base.files import replacing
    from ingest.lake.queries import Query

    suffix = out.suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(f"sql: --out {out}: end the name in {', '.join(_SUFFIXES)}")
    if suffix == ".xlsx":
        require("excel")  # before a query that may take long
    try:
        with _query_errors(), replacing(out) as draft, Query(file) as query:
            if suffix in {".csv", ".json"}:
                how = How(suffix[1:], full=False, limit=0, is_terminal=False)
                with draft.open("w", encoding="utf-8", newline="") as opened:
                    return run_queries(query, text, parameters, how, opened)
            query.run(_write_frame, text, parameters, draft, suffix)
            return ""
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror or error}") from None


def _write_frame(
    file: Path, memory: str, text: str, parameters: Parameters, out: Path, suffix: str
) -> None:
    """Write the answer to a query to a file that holds a data frame; see _answers."""
    from app.cli.writing import WRITERS
    from app.pipeline.publication import reading
    from ingest.lake.answers import answers
    from ingest.lake.locked import require_reading
    from ingest.lake.queries import restrict
    from ingest.lake.warehouse import Warehouse

    with reading(Warehouse(file)) as db, restrict(db, file, memory):
        require_reading(db, text)
        (answer,) = answers(db, text, parameters, "a file")
        WRITERS[suffix](answer, out)


def _answers(
    file: Path,
    memory: str | None,
    text: str,
    parameters: Parameters,
    how: How,
    *,
    text_out: Callable[[str], object],
) -> str:
    """Call `text_out` with the answers to queries; return what there is to say about them besides.

    A table is printed for each query; CSV and JSON hold the answer to one. memory: what the queries
    may use; None: they are not checked or limited.
    """
    from app.pipeline.publication import reading
    from ingest.lake.answers import answers, exact
    from ingest.lake.locked import look_up_in_marts_first, require_reading
    from ingest.lake.queries import restrict
    from ingest.lake.warehouse import Warehouse

    limit = how.limit
    if limit is None and (how.style == "table" or how.is_terminal):
        limit = _MOST
    with (
        reading(Warehouse(file)) as db,
        _hint_at_seconds(),
        restrict(db, file, memory) if memory else nullcontext(),
        _Pieces(text_out, how.is_terminal) as out,
    ):
        if memory:
            require_reading(db, text)
        else:
            look_up_in_marts_first(db)
        problem = ""
        holder = "" if how.style == "table" else how.style.upper()
        for index, answer in enumerate(answers(db, text, parameters, holder)):
            out.write("\n" if index else "")
            problem = render(
                exact(answer), how.style, out, full=how.full, limit=limit, more=how.more
            )
        return problem


@contextmanager
def _hint_at_seconds() -> Iterator[None]:
    """Say how durations are added up, which DuckDB cannot do."""
    try:
        yield
    except duckdb.BinderException as error:
        if "'sum(INTERVAL)'" not in str(error):
            raise
        hint = f"{error}\nDid you mean sum(epoch(...)), which is in seconds?"
        raise duckdb.BinderException(hint) from error


class _Pieces(io.StringIO):
    """A file that hands on what is written to it, in pieces. As a context manager: all of it."""

    def __init__(self, text: Callable[[str], object], is_terminal: bool) -> None:
        super().__init__()
        self._text, self._is_terminal = text, is_terminal

    def isatty(self) -> bool:
        """Return whether the text goes to a terminal."""
        return self._is_terminal

    def write(self, text: str) -> int:
        """Hand on the text, or keep it for the next piece."""
        count = super().write(text)
        if self.tell() >= _PIECE:
            self._pass_on()
        return count

    def _pass_on(self) -> None:
        held = self.getvalue()
        self.seek(0)
        self.truncate()
        for at in range(0, len(held), _PIECE):
            self._text(held[at : at + _PIECE])

    def __exit__(self, *_: object) -> None:
        self._pass_on()


# --- tables


def _tables(arguments: argparse.Namespace) -> int:
    warehouse = warehouse_of(arguments)
    if not arguments.field:
        _describe(warehouse, arguments.name or "", arguments.format, full=arguments.full)
        return 0
    if arguments.name:
        raise UsageError("tables: give a NAME or --field, not both")
    from app.pipeline.publication import reading
    from app.results.tables import of_field

    with reading(warehouse, lake=False) as db:
        answer = of_field(db, arguments.field)
        render(answer, arguments.format, sys.stdout, full=arguments.full)
    return 0


def _describe(warehouse: Warehouse, name: str, style: str, *, full: bool = False) -> None:
    """Print the columns of the table of a name, or the tables that have it in theirs."""
    from app.pipeline.publication import reading
    from app.results.tables import describe

    with reading(warehouse, lake=False) as db:
        table, answer = describe(db, name)
        if table and style == "table":
            about = f"{table.schema}.{table.name}: {table.about}"
            console.print(about, highlight=False, soft_wrap=True)
        render(answer, style, sys.stdout, full=full)
