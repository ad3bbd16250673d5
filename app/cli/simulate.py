"""simulate: write the files of a simulated campaign."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.common import Command, UsageError, console, progress

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    simulate = command("simulate", _simulate, "write the files of a simulated campaign")
    simulate.add_argument("scenario", nargs="?", metavar="SCENARIO", help="see --list")
    simulate.add_argument("--out", type=Path, metavar="DIR", help="an empty or new folder")
    simulate.add_argument(
        "--seed", type=int, default=1, metavar="N", help="random seed (default: 1)"
    )
    simulate.add_argument("--list", action="store_true", help="list the scenarios")


def _simulate(arguments: argparse.Namespace) -> int:
    from rich.progress import FileSizeColumn, TextColumn, TimeElapsedColumn

    from models_sim.simulator.campaigns import SCENARIOS, CampaignError, simulate, write

    if arguments.list:
        for scenario in SCENARIOS.values():
            console.print(f"{scenario.name:12} {scenario.summary}", soft_wrap=True)
        return 0
    if arguments.scenario not in SCENARIOS:
        known = ", ".join(SCENARIOS)
        raise UsageError(f"no scenario {arguments.scenario!r}; known: {known}")
    if arguments.out is None:
        raise UsageError("--out is required")
    if arguments.seed < 0:
        raise UsageError("a seed is 0 or more")
    files = TextColumn("{task.fields[files]} files")
    try:
        with progress(files, FileSizeColumn(), TimeElapsedColumn()) as bar:
            task = bar.add_task("simulating", total=None, files=0)
            campaign = simulate(arguments.scenario, arguments.seed)

            def written(path: Path) -> None:
                bar.update(
                    task,
                    description=path.relative_to(arguments.out).as_posix(),
                    advance=path.stat().st_size,
                    files=bar.tasks[task].fields["files"] + 1,
                )

            paths = write(campaign, arguments.out, written)
    except (CampaignError, OSError) as error:
        raise UsageError(str(error)) from None
    size = sum(path.stat().st_size for path in paths) / 1e6
    console.print(
        f"{campaign.runs.height:,} runs, {len(paths)} files, {size:,.1f} MB in {arguments.out}",
        soft_wrap=True,
    )
    return 0
