"""report: write a report as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import Command, UsageError, console, warehouse_of
from ingest.files import replacing

if TYPE_CHECKING:
    from app.reports.page import Page
    from app.results.reader import Reader

__all__ = ["add"]

NAMES = ("campaign", "comparison", "regressions")


def add(command: Command) -> None:
    """Declare the command."""
    report = command("report", _report, "write a report as one HTML file that needs no network")
    report.add_argument("name", metavar="NAME", choices=NAMES, help=", ".join(NAMES))
    report.add_argument("--out", type=Path, required=True, metavar="FILE.html")
    report.add_argument(
        "--campaign", metavar="NAME", help="campaign report: which campaign (default: the latest)"
    )
    report.add_argument("--origin", metavar="ORIGIN", help="campaign report: measured or simulated")
    report.add_argument("--baseline", metavar="RUNS", help="comparison report: as for 'compare'")
    report.add_argument("--candidate", metavar="RUNS", help="comparison report: as for 'compare'")


def _report(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import require_published
    from app.results.reader import Reader

    warehouse = warehouse_of(arguments)
    require_published(warehouse)
    page = _page(Reader(warehouse.file), arguments)
    try:
        with replacing(arguments.out) as draft:
            draft.write_text(page.html(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{arguments.out}: {error.strerror or error}") from None
    console.print(f"wrote {arguments.out}", soft_wrap=True)
    return 0


def _page(reader: Reader, arguments: argparse.Namespace) -> Page:
    if arguments.name == "regressions":
        from app.reports.regressions import regressions_report

        return regressions_report(reader)
    if arguments.name == "comparison":
        return _comparison(reader, arguments)
    return _campaign(reader, arguments)


def _campaign(reader: Reader, arguments: argparse.Namespace) -> Page:
    from app.reports.campaign import campaign_report
    from app.results.queries.runs import campaigns

    known = campaigns(reader)
    chosen = [
        (row["origin"], row["campaign"])
        for row in known.iter_rows(named=True)
        if arguments.campaign in {None, row["campaign"]}
        and arguments.origin in {None, row["origin"]}
    ]
    if not chosen:
        names = ", ".join(known["campaign"].unique(maintain_order=True)) or "none"
        raise UsageError(f"no such campaign; known: {names}")
    if arguments.campaign and len(chosen) > 1:
        raise UsageError(
            f"campaign {arguments.campaign!r} is both measured and simulated: choose with --origin"
        )
    return campaign_report(reader, *chosen[0])


def _comparison(reader: Reader, arguments: argparse.Namespace) -> Page:
    from app.reports.comparison import comparison_report
    from app.results.comparison import compare_runs

    if not (arguments.baseline and arguments.candidate):
        raise UsageError("report comparison: --baseline and --candidate are required")
    with reader.connection() as db:
        compared = compare_runs(db, arguments.baseline, arguments.candidate)
    return comparison_report(compared)
