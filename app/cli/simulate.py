"""simulate: write the files of a simulated campaign."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from app.cli.common import Command, UsageError, console, progress
from app.results.suggest import did_you_mean

__all__ = ["add"]

Written = Callable[[Path], None]
_SIZES = {"lpars": (10, "how many LPARs, up to 99"), "days": (3, "how many days")}
Made = tuple[str, list[Path]]  # what was made, in words, and where


def add(command: Command) -> None:
    """Declare the command."""
    simulate = command(
        "simulate",
        _simulate,
        "write the files of a simulated campaign",
        examples="""
            simulate --list
            simulate nightly --out nights --seed 7
        """,
        has_warehouse=False,
    )
    simulate.add_argument("scenario", nargs="?", metavar="SCENARIO", help="see --list")
    simulate.add_argument("--out", type=Path, metavar="DIR", help="an empty or new folder")
    simulate.add_argument(
        "--seed", type=int, default=1, metavar="N", help="random seed (default: 1)"
    )
    for option, help_text in _SIZES.items():
        simulate.add_argument(
            f"--{option}",
            type=int,
            metavar="N",
            help=f"of estate: {help_text[1]} (default: {help_text[0]})",
        )
    simulate.add_argument("--list", action="store_true", help="list the scenarios")


def _simulate(arguments: argparse.Namespace) -> int:
    from models_sim.simulator.bulk import estate
    from models_sim.simulator.campaigns import SCENARIOS

    summaries = {s.name: s.summary for s in SCENARIOS.values()}
    summaries[estate.NAME] = estate.SUMMARY
    if arguments.list:
        for name, summary in summaries.items():
            console.print(f"{name:{max(map(len, summaries))}} {summary}", soft_wrap=True)
        return 0
    if arguments.scenario is None:
        raise UsageError("a SCENARIO is required; --list names them")
    if arguments.scenario not in summaries:
        names = ", ".join(summaries)
        near = did_you_mean(arguments.scenario, summaries) or f"; known: {names}"
        raise UsageError(f"no scenario {arguments.scenario!r}{near}")
    if arguments.out is None:
        raise UsageError("--out is required")
    if arguments.seed < 0:
        raise UsageError("a seed is 0 or more")
    for option in _SIZES:
        given = getattr(arguments, option)
        if given is not None and arguments.scenario != estate.NAME:
            raise UsageError(f"--{option} is for {estate.NAME} only")
        if given is not None and not 1 <= given <= 99:
            raise UsageError(f"--{option} is from 1 to 99")
    make = _estate if arguments.scenario == estate.NAME else _campaign
    text, paths = _in_view(lambda written: make(arguments, written), arguments.out)
    size = sum(path.stat().st_size for path in paths) / 2**20
    console.print(f"{text}, {len(paths)} files, {size:,.1f} MB in {arguments.out}", soft_wrap=True)
    return 0


def _campaign(arguments: argparse.Namespace, written: Written) -> Made:
    from models_sim.simulator.campaigns import simulate, write

    campaign = simulate(arguments.scenario, arguments.seed)
    return f"{campaign.runs.height:,} runs", write(campaign, arguments.out, written)


def _estate(arguments: argparse.Namespace, written: Written) -> Made:
    from models_sim.simulator.bulk.estate import estate
    from models_sim.simulator.campaigns.files import write_files

    lpars, days = (getattr(arguments, name) or usual for name, (usual, _) in _SIZES.items())
    files = estate(lpars, days, arguments.seed)
    return f"{lpars} LPARs, {days} days", write_files(files, arguments.out, written)


def _in_view(make: Callable[[Written], Made], folder: Path) -> Made:
    """Make files below a folder, with a progress bar."""
    from rich.progress import FileSizeColumn, TextColumn, TimeElapsedColumn

    from models_sim.simulator.campaigns import CampaignError

    files = TextColumn("{task.fields[files]} files")
    with progress(files, FileSizeColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task("simulating", total=None, files=0)

        def written(path: Path) -> None:
            bar.update(
                task,
                description=path.relative_to(folder).as_posix(),
                advance=path.stat().st_size,
                files=bar.tasks[task].fields["files"] + 1,
            )

        try:
            return make(written)
        except (CampaignError, OSError) as error:
            raise UsageError(str(error)) from None
