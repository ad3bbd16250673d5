"""doctor: what is wrong with the installation and the warehouse, and how to put it right."""

from __future__ import annotations

import argparse

from app.cli.common import Command, console, warehouse_of

__all__ = ["add"]

_SIGNS = {"ok": "+", "note": "-", "fault": "!"}


def add(command: Command) -> None:
    """Declare the command."""
    command(
        "doctor",
        _doctor,
        "say what is wrong with the installation and the warehouse, and how to put it right; exit "
        "status 1 if something is",
    )


def _doctor(arguments: argparse.Namespace) -> int:
    from app.pipeline.doctor import FAULT, examine

    faults = 0
    for finding in examine(warehouse_of(arguments)):
        faults += finding.state == FAULT
        console.print(
            f"{_SIGNS[finding.state]} {finding.about}: {finding.found}",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
        if finding.fix:
            console.print(f"    {finding.fix}", highlight=False, soft_wrap=True)
    console.print(f"{faults or 'no'} fault{'s' * (faults != 1)} found")
    return 1 if faults else 0
