"""init: settings and a manifest for a folder, to be completed."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.common import Command, complain, console
from app.results.words import counted
from ingest.base.files import name_of

__all__ = ["add"]

_NAMED = 5  # files of no known kind


def add(command: Command) -> None:
    """Declare the command."""
    init = command(
        "init",
        _init,
        "look at the files of a folder, and write settings of results and a manifest to complete",
        examples="init results/",
        has_warehouse=False,
    )
    init.add_argument("folder", type=Path, metavar="DIR")


def _init(arguments: argparse.Namespace) -> int:
    from app.pipeline.starting import write

    written, unknown = write(arguments.folder)
    for file in written:
        console.print(f"written: {name_of(file)}", highlight=False, soft_wrap=True)
    for name in unknown[:_NAMED]:
        complain(f"{name}: not recognised (docs/inputs.md lists what is read)")
    if len(unknown) > _NAMED:
        complain(f"not recognised either: {counted(len(unknown) - _NAMED, 'file')}")
    then = f"complete what was written, then: perfhouse run {name_of(arguments.folder)} --dry-run"
    console.print(then, highlight=False, soft_wrap=True)
    return 0
