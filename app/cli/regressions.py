"""regressions: list, show, answer and export them."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.table import Table

from app.cli.common import Command, UsageError, add_json, console, warehouse_of
from app.results.metrics import figure
from ingest.base.visible import cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from ingest.lake.warehouse import Warehouse

__all__ = ["add"]

#: Action -> the state it sets, None if it leaves the state as it is.
ACTS = {
    "acknowledge": "acknowledged", "expect": "expected", "false-alarm": "false alarm",
    "reopen": "open", "note": None,
}  # fmt: skip

#: Action -> its formats, the default one first.
FORMATS = {
    "list": ("table", "csv", "json"),
    "show": ("table", "json", "markdown"),
    "export": ("json", "csv"),
}


def add(command: Command) -> None:
    """Declare the command."""
    regressions = command(
        "regressions",
        _regressions,
        "list, show or export regressions; or answer them: acknowledge, expect, false-alarm, "
        "reopen, note",
        examples="""
            regressions
            regressions show 3ce79bdb.1
            regressions expect 3ce79bdb --note 'TLS 1.3 since build 4e1f2ab' --owner lee
        """,
    )
    add_json(regressions, formats=True)
    regressions.add_argument(
        "action", nargs="?", default="list", choices=("list", "show", *ACTS, "export")
    )
    regressions.add_argument(
        "name",
        nargs="?",
        metavar="ID",
        help="a regression (GROUP.N) or a group; the first of a group answers for all of it",
    )
    regressions.add_argument("--note", metavar="TEXT", help="why; '' removes it")
    regressions.add_argument("--owner", metavar="NAME", help="who looks after it; '' for nobody")
    regressions.add_argument(
        "--bug", metavar="LINK", help="its number or link in a tracker; '' removes it"
    )
    regressions.add_argument(
        "--by", default="", metavar="NAME", help="who answers (default: the user)"
    )
    regressions.add_argument(
        "--all", action="store_true", help="list closed ones and group members too"
    )
    regressions.add_argument(
        "--format",
        choices=("table", "csv", "json", "markdown"),
        help="list: table (default), csv or json; show: table (default), json or markdown; "
        "export: json (default) or csv",
    )


def _regressions(arguments: argparse.Namespace) -> int:
    action, style = arguments.action, arguments.format
    if style and style not in FORMATS.get(action, ()):
        formats = " or ".join(FORMATS.get(action, ())) or "none"
        raise UsageError(f"regressions {action}: no format {style!r}; known: {formats}")
    if action == "list":
        return _list(arguments)
    if action == "export":
        return _export(arguments)
    if not arguments.name:
        raise UsageError(f"regressions {action}: an ID is required")
    return _show(arguments) if action == "show" else _mark(arguments)


def _mark(arguments: argparse.Namespace) -> int:
    from app.pipeline.regressions import Answer, this_user
    from app.pipeline.steps import mark_regression

    action, state = arguments.action, ACTS[arguments.action]
    texts = (arguments.note, arguments.owner, arguments.bug)
    if action == "note" and texts == (None, None, None):
        raise UsageError("regressions note: --note, --owner or --bug is required")
    if action not in {"note", "reopen"} and not (arguments.note or "").strip():
        raise UsageError(f"regressions {action}: --note is required")
    answer = Answer(arguments.by or this_user(), state, *texts)
    events = mark_regression(warehouse_of(arguments), arguments.name, answer)
    for event in events:
        known = ", ".join([event["state"], *_answered(event)])
        console.print(f"{event['regression_id']}: {known}", highlight=False)
    if not events:
        console.print(f"{arguments.name}: it has this answer already", highlight=False)
    return 0


def _answered(row: dict[str, Any]) -> list[str]:
    """Return the owner of a regression and its bug, if known."""
    return [f"{name} {row[name]}" for name in ("owner", "bug") if row.get(name)]


def _list(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import UnpublishedError, why_unpublished
    from app.results.regressions import listed

    warehouse = warehouse_of(arguments)
    with warehouse.connect() as db:
        rows = _rows(db, listed(everything=arguments.all))
        why = None if rows else why_unpublished(warehouse, db)
    if arguments.format in {"csv", "json"}:
        _write(rows, arguments.format)
    elif why:
        raise UnpublishedError(warehouse, why)
    else:
        _print_list(rows)
    return 0


def _print_list(rows: Sequence[dict[str, Any]]) -> None:
    """Print two paragraphs each: a message beside other columns would be too narrow for names."""
    for row in rows:
        about = (
            row["regression_id"],
            row["state"],
            f"since {row['onset_utc']:%Y-%m-%d}",
            row["kind"],
            f"{row['open_members']} open series",
            *([f"impact {row['impact']:.2g} %"] if row["impact"] else []),
        )
        console.print("  ".join(about), style="bold", highlight=False, soft_wrap=True)
        text = _said(row)
        message = row["message"] + (f" [{'; '.join(text)}]" if text else "")
        console.print(message, indent="    ", highlight=False)
    if not rows:
        console.print("no regressions")


def _said(row: dict[str, Any]) -> list[str]:
    """Return what people said of a regression."""
    return [*([row["note"]] if row["note"] else []), *_answered(row)]


def _show(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import reading
    from app.results.next_runs import bisect_command, in_words, next_runs
    from app.results.regressions import series_of

    warehouse = warehouse_of(arguments)
    with reading(warehouse) as db:
        rows = _named(warehouse, db, arguments.name)
        story = _rows(
            db,
            "SELECT * FROM meta.regression_event WHERE regression_id = $1 ORDER BY event_id",
            [rows[0]["regression_id"]],
        )
        runs = series_of(db, rows[0]) if rows[0]["metric"] else None
        hint = next_runs(db, rows[0])
    first = rows[0]
    if arguments.format == "json":
        suspects = [asdict(suspect) for suspect in hint.suspects] if hint else []
        more = {"history": story, "runs": runs.to_dicts() if runs is not None else []}
        _write([first | more | {"suspects": suspects}, *rows[1:]], "json")
        return 0
    if arguments.format == "markdown":
        from app.pipeline.places import dashboard_address
        from app.results.ticket import ticket

        sys.stdout.write(ticket(rows, hint, dashboard_address()))
        return 0
    console.print(f"{first['regression_id']}  {first['state']}", highlight=False)
    console.print(first["message"], highlight=False)
    if answer_text := _answered(first):
        console.print(", ".join(answer_text), highlight=False)
    if hint:
        for line in (*in_words(hint), bisect_command(hint)):
            console.print(line, highlight=False, soft_wrap=True)
    story = [event | {"note": "; ".join(_said(event))} for event in story]
    _print("History", ("event_at", "state", "by", "note", "detector_version"), story)
    if parts := json.loads(first["parts"] or "[]"):
        columns = ("what", "dimension", "before", "after", "unit", "share", "effect")
        _print("Location", columns, parts)
    if runs is not None:
        near = [row for row in runs.to_dicts() if row["run_id"] in set(first["run_ids"])]
        _print("Runs", ("start_utc", "run_id", "build", "value"), near[:20])
    if len(rows) > 1:
        _print("Same group", ("regression_id", "state", "message"), rows[1:])
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import reading
    from app.results.regressions import plot, series_of

    warehouse = warehouse_of(arguments)
    style = arguments.format or FORMATS["export"][0]
    with reading(warehouse) as db:
        rows = (
            _named(warehouse, db, arguments.name)
            if arguments.name
            else _rows(db, "SELECT * FROM meta.regression ORDER BY onset_utc, regression_id")
        )
        if style == "json":
            for row in rows:
                row["plot"] = plot(row, series_of(db, row)) if row["metric"] else None
    _write(rows, style)
    return 0


def _write(rows: Sequence[dict[str, Any]], style: str) -> None:
    """Write regressions as CSV or JSON, where `parts` is a list."""
    if style == "json":
        listed = [row | {"parts": json.loads(row["parts"] or "[]")} for row in rows]
        json.dump(listed, sys.stdout, indent=1, default=_plain)
        sys.stdout.write("\n")
        return
    names = list(rows[0]) if rows else []
    writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: cell(_flat(value), sys.stdout) for name, value in row.items()} for row in rows
    )


def _named(warehouse: Warehouse, db: duckdb.DuckDBPyConnection, name: str) -> list[dict[str, Any]]:
    rows = _rows(
        db,
        "SELECT * FROM meta.regression WHERE $1 IN (regression_id, group_id) "
        "ORDER BY leads DESC, regression_id",
        [name],
    )
    if not rows:
        raise UsageError(f"no regression {name!r}; see '{warehouse.command('regressions --all')}'")
    return rows


def _rows(
    db: duckdb.DuckDBPyConnection, query: str, values: Sequence[object] = ()
) -> list[dict[str, Any]]:
    result = db.execute(query, list(values))
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _print(title: str, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in columns))
    console.print(table)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return figure(value, 4)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return "" if value is None else str(value)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _flat(value: object) -> object:
    return json.dumps(value) if isinstance(value, list) else value
