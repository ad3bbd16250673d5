"""health: what is wrong with systems and queue managers, and what to change."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import Command, add_json, add_verbose, console, print_json, warehouse_of
from ingest.base.errors import PerfhouseError, SettingsError

if TYPE_CHECKING:
    from ingest.lake.warehouse import Warehouse

__all__ = ["add", "judge"]


def add(command: Command) -> None:
    """Declare the command."""
    health = command(
        "health",
        _health,
        "judge systems and queue managers on the latest day of their records, the worst first, and "
        "say what to change (rows of marts.fct_health_interval; limits: $PERFHOUSE_HEALTH)",
        examples="""
            health
            health --verbose
            health --json
        """,
        one="an alarm",
    )
    health.add_argument("--format", choices=("table", "json"), default="table")
    add_json(health, formats=True)
    add_verbose(health)


def judge(warehouse: Warehouse, file: Path) -> dict[str, str] | None:
    """Print a line on a database of a warehouse; return its alarms, or None if it has no verdicts.

    file: the published one, or, under the lock of the warehouse, that of the build.
    """
    from app.results.queries.health import alarms, findings, summary
    from app.results.reader import Reader, close

    try:
        rows = findings(Reader(file))
    except SettingsError as error:
        console.print(f"health: {error}", highlight=False)
        return None
    except PerfhouseError:
        return None
    finally:
        close()
    if line := summary(rows):
        more = f"health: {line}; more: {warehouse.command('health')}"
        console.print(more, highlight=False, soft_wrap=True)
    return alarms(rows)


def _health(arguments: argparse.Namespace) -> int:
    from app.results.queries.health import findings, in_a_line, summary
    from app.results.reader import Reader

    rows = findings(Reader(warehouse_of(arguments).file))
    if arguments.format == "json":
        print_json(rows)
        return int(any(row["verdict"] == "alarm" for row in rows))
    for row in rows:
        if row["verdict"] in ("alarm", "warning"):
            when = f"{row['origin']}, {row['at_utc']:%Y-%m-%d %H:%M} UTC"
            text = f"{row['verdict']}: {in_a_line(row)} ({when})"
            console.print(f"{text}: {row['remedy']} [{row['source']}]", highlight=False)
        elif console.verbose:
            why = f" (needs {row['needs']})" if row["value"] is None else ""
            console.print(f"{row['verdict']}: {in_a_line(row)}{why}", highlight=False)
    line = summary(rows) or "no records of systems or queue managers to judge"
    unknown = sum(row["value"] is None for row in rows)
    lack = "lacks" if unknown == 1 else "lack"
    more = f"; {unknown} more {lack} records (--verbose)" if unknown and summary(rows) else ""
    console.print(line.partition("; worst")[0] + more, highlight=False)
    return int(any(row["verdict"] == "alarm" for row in rows))
