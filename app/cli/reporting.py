"""report: write a report as HTML, PDF or Markdown."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.common import (
    Command,
    UsageError,
    add_json,
    console,
    print_json,
    warehouse_of,
)
from ingest.base.extras import is_installed

__all__ = ["add"]

#: Options of presets that have a flag of their own; --set gives any other.
_FLAGS = {
    "campaign": "which campaign (default: the latest that the preset suits)",
    "origin": "measured or simulated, if the campaign is both",
    "run": "which run",
    "baseline": "runs to compare with, as for 'compare'",
    "candidate": "runs to compare, as for 'compare'",
}


def add(command: Command) -> None:
    """Declare the command."""
    report = command(
        "report",
        _report,
        "write a report as HTML, PDF or Markdown",
        examples="""
            report
            report mft-zos --out mft.pdf
            report capacity --set ziips=2 --out capacity.html
            report release --baseline 'MQ 9.3' --candidate 'MQ 9.4' --out release.html
        """,
    )
    add_json(report)
    report.add_argument(
        "name", metavar="PRESET", nargs="?", help="which report (default: list them all)"
    )
    report.add_argument(
        "--out", type=Path, metavar="FILE", help="ends in .html, .pdf (needs Chromium) or .md"
    )
    for name, help_text in _FLAGS.items():
        report.add_argument(f"--{name}", metavar=name.upper(), help=help_text, dest=f"of_{name}")
    report.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="another option of the preset; may be repeated",
    )


def _report(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import require_published
    from app.reports.writing import SUFFIXES, make_report, write
    from app.results.reader import Reader

    if arguments.name is None:
        _list(as_json=arguments.json)
        return 0
    if arguments.out is None or arguments.out.suffix.lower() not in SUFFIXES:
        raise UsageError(f"report: --out FILE is required, ending in {', '.join(SUFFIXES)}")
    given = {
        name: value for name in _FLAGS if (value := getattr(arguments, f"of_{name}")) is not None
    }
    for text in arguments.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"report: --set {text}: write OPTION=VALUE")
        given[name] = value
    warehouse = warehouse_of(arguments)
    require_published(warehouse)
    document = make_report(Reader(warehouse.file), arguments.name, given)
    try:
        write(document, arguments.out)
    except OSError as error:
        raise UsageError(f"{arguments.out}: {error.strerror or error}") from None
    if arguments.json:
        print_json({"preset": arguments.name, "file": arguments.out})
    else:
        console.print(f"wrote {arguments.out}", soft_wrap=True)
        if not is_installed("charts"):
            console.print("charts are in words; to draw them: pip install 'perfhouse[charts]'")
    return 0


def _list(*, as_json: bool) -> None:
    from rich.table import Table

    from app.reports.presets import presets

    if as_json:
        print_json(
            [
                {"name": p.name, "purpose": p.purpose, "options": [o.name for o in p.options]}
                for p in presets()
            ]
        )
        return

    table = Table("preset", "for", "options", box=None, pad_edge=False)
    for preset in presets():
        table.add_row(preset.name, preset.purpose, ", ".join(o.name for o in preset.options))
    console.print(table)
