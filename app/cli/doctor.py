"""doctor: what is wrong with the installation and the warehouse, and how to fix it."""

from __future__ import annotations

import argparse

from app.cli.common import Command, add_json, console, print_json, warehouse_of
from app.results.words import counted

__all__ = ["add"]

_SIGNS = {"ok": "+", "note": "-", "fault": "!"}


def add(command: Command) -> None:
    """Declare the command."""
    doctor = command(
        "doctor",
        _doctor,
        "say what is wrong with the installation and the warehouse, and suggest a fix",
        examples="""
            doctor
            doctor --deep --json
        """,
        one="something is wrong",
    )
    add_json(doctor)
    doctor.add_argument(
        "--deep",
        action="store_true",
        help="read all rows, to find bytes that changed (about a second for each GB on disk)",
    )


def _doctor(arguments: argparse.Namespace) -> int:
    from app.pipeline.doctor import examine
    from app.pipeline.doctor_installation import FAULT, NOTE

    faults, notes, examined = 0, 0, examine(warehouse_of(arguments), deep=arguments.deep)
    if arguments.json:
        findings = list(examined)
        print_json([finding._asdict() for finding in findings])
        return int(any(finding.state == FAULT for finding in findings))
    for finding in examined:
        faults += finding.state == FAULT
        notes += finding.state == NOTE
        console.print(
            f"{_SIGNS[finding.state]} {finding.about}: {finding.found}",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
        if finding.fix:
            console.print(f"    {finding.fix}", highlight=False, soft_wrap=True)
    noted = f"; {counted(notes, 'note')} above" if notes else ""
    console.print(f"{counted(faults, 'fault') if faults else 'no faults'} found{noted}")
    return 1 if faults else 0
