"""The prompt of `perfhouse sql`: queries with history and completion of names."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from app.cli.common import complain, complain_of
from ingest.base.errors import RequestError

__all__ = ["prompt"]

_HELP = """\
A query ends with ';'. Names are looked up in marts, then in raw.
.tables [NAME]   list the tables, or describe one    .quit   leave (or Ctrl-D)
"""
_WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "GROUP BY ALL", "ORDER BY", "LIMIT", "JOIN", "USING",
    "count(*)", "median", "quantile_cont", "DESCRIBE", "SUMMARIZE", "date_trunc",
)  # fmt: skip
_KEPT = 2000  # queries


def prompt(file: Path, run: Callable[[str], None], describe: Callable[[str], None]) -> None:
    """Ask for queries on a warehouse until the user leaves.

    run: prints the answers to queries. describe: prints the tables of a name. What is wrong with a
    query is printed, and the prompt goes on.
    """
    from app.pipeline.places import home

    print(_HELP)
    with _history(home() / "sql_history"):
        _complete(_names(file))
        pending = ""
        while True:
            try:
                line = input("   ... " if pending else "sql> ")
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                print()
                pending = ""
                continue
            pending = f"{pending}\n{line}".strip()
            word, _, rest = pending.partition(" ")
            if word in {".quit", ".exit", "quit", "exit"}:
                return
            if word in {".tables", ".help"}:
                pending = ""
                if word == ".help":
                    print(_HELP)
                else:
                    _answer(describe, rest.strip(" ;"))
            elif pending.endswith(";"):
                _answer(run, pending)
                pending = ""


def _answer(act: Callable[[str], None], text: str) -> None:
    """Print an answer, or what is wrong with the question."""
    try:
        act(text)
    except RequestError as error:
        complain_of(error)
    except KeyboardInterrupt:
        complain("stopped")


class _history:  # noqa: N801 - a context manager
    """Keep the lines of the prompt in a file, where the system can."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> None:
        with suppress(ImportError, OSError):
            import readline

            readline.read_history_file(self._file)

    def __exit__(self, *_: object) -> None:
        with suppress(ImportError, OSError):
            import readline

            readline.set_history_length(_KEPT)
            self._file.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(self._file)


def _names(file: Path) -> list[str]:
    """Return the names of tables and columns of marts and raw."""
    from app.pipeline.publication import reading
    from ingest.lake.locked import PUBLISHED
    from ingest.lake.warehouse import Warehouse

    with reading(Warehouse(file), lake=False) as db:
        rows = db.execute(
            "SELECT DISTINCT unnest([schema_name || '.' || table_name, table_name, column_name]) "
            "FROM duckdb_columns() WHERE database_name = current_database() "
            f"AND schema_name IN {PUBLISHED}"
        ).fetchall()
    return sorted(name for (name,) in rows)


def _complete(names: list[str]) -> None:
    """Let Tab complete names, and words of SQL."""
    with suppress(ImportError):
        import readline

        candidates: list[str] = []

        def complete(text: str, place: int) -> str | None:
            if place == 0:
                start = re.compile(re.escape(text), re.IGNORECASE)
                candidates[:] = [name for name in (*names, *_WORDS) if start.match(name)][:200]
            return candidates[place] if place < len(candidates) else None

        readline.set_completer(complete)
        readline.set_completer_delims(" \t\n,()=<>+-*/;")
        readline.parse_and_bind("tab: complete")
