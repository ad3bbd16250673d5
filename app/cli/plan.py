"""plan: from a workload to elapsed time, CPU, zIIPs, MSU and money."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import Command, UsageError, add_json, console, print_json, warehouse_of

if TYPE_CHECKING:
    from models_sim.plan import Plan
    from models_sim.plan_work import Figure

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    plan = command(
        "plan",
        _plan,
        "work out a workload: elapsed time, CPU, zIIPs, MSU and money, for alternatives side by "
        "side, each with its 10-90 %% band (docs/plan.md)",
        examples="""
            plan night.toml
            plan gb=500 file_size_mb=100 network=10Gb window=22:00-06:00 machine=z14,z16
            plan gb=100 file_size_mb=100 protocol=TCP,FASP latency_km=3000 loss_pct=0.05
            plan gb=500 --like RUN
            plan grows=1.5 machine=z15,z16 --from-records 'MQ1*,AGNT*'
        """,
    )
    plan.add_argument(
        "words",
        nargs="*",
        metavar="FILE.toml | NAME=VALUE",
        help="the workload: a file, settings, or both; values between commas are alternatives",
    )
    plan.add_argument(
        "--like", metavar="RUN", help="settings of this run, and figures of own runs where they fit"
    )
    plan.add_argument(
        "--from-records",
        metavar="SPACES",
        help="the workload: what these address spaces used on a mean day, by hour; * is any text",
    )
    plan.add_argument(
        "--out", type=Path, metavar="FILE", help="a report of it: .html, .pdf (needs Chromium), .md"
    )
    plan.add_argument("--format", choices=("table", "json", "csv"), default="table")
    add_json(plan, formats=True)


def _plan(arguments: argparse.Namespace) -> int:
    from app.pipeline.planning import make_plan, read_workload

    workload = read_workload(arguments.words)
    like = figures_of_own = None
    if arguments.like or arguments.from_records:
        from app.results.queries.plan_inputs import figures, settings, with_records
        from app.results.reader import Reader

        reader = Reader(warehouse_of(arguments).file)
        if arguments.from_records:
            workload = with_records(reader, {"recorded": arguments.from_records} | workload)
        if arguments.like:
            like, figures_of_own = settings(reader, arguments.like), figures(reader)
    if not workload:
        raise UsageError("plan: state a workload, such as gb=500 file_size_mb=100 network=10Gb")
    made_plan = make_plan(workload, like=like, own=figures_of_own)
    if arguments.out:
        from app.reports.plans import document_of
        from app.reports.writing import write

        write(document_of(made_plan, workload), arguments.out)
        console.print(f"wrote {arguments.out}", highlight=False)
    elif arguments.format == "json":
        print_json(made_plan.rows())
    elif arguments.format == "csv":
        sys.stdout.write(made_plan.frame().write_csv())
    else:
        _print(made_plan)
    return 0


def _print(plan: Plan) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("figure")
    for each in plan.alternatives:
        table.add_column(each.name, justify="right")
    names = dict.fromkeys(name for each in plan.alternatives for name in each.figures)
    for name in names:
        alternatives = [each.figures.get(name) for each in plan.alternatives]
        unit = next(figure.unit for figure in alternatives if figure)
        table.add_row(f"{name}, {unit}" if unit else name, *map(_cell, alternatives))
    console.print(table)
    for line in plan.remarks():
        console.print(line, highlight=False)


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    value, low, high = (f"{number:,.3g}" if abs(number) < 1000 else f"{number:,.0f}"
                        for number in figure[:3])  # fmt: skip
    return value if low == high else f"{value} ({low} - {high})"
