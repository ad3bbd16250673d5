"""run-add, builds: declare a past run, and the order of builds."""

from __future__ import annotations

import argparse
import csv
import subprocess
from pathlib import Path

from app.cli.common import Command, UsageError, console, warehouse_of

__all__ = ["add"]

_SCALARS = (
    *("campaign", "run_id", "time_zone", "repetition"),
    *("start", "stop", "steady_start", "steady_stop"),
)
_REPEATABLE = (
    (
        "--factor",
        "NAME=VALUE",
        "factor, named as in the published figures or a setting of MFT; your own begin with x_",
    ),
    ("--label", "NAME=VALUE", "for example machine=z16, mq_level=9.4.0, git_revision=4e1f2ab"),
    ("--lpar", "NAME", "LPAR that the run had to itself; default: all LPARs"),
    (
        "--measurement",
        "METRIC=NUMBER:UNIT",
        "for example bytes=10737418240:B, transactions=1000000:count",
    ),
)


def add(command: Command) -> None:
    """Declare the commands."""
    run = command(
        "run-add",
        _run_add,
        "declare a past run, as a manifest would",
        examples="""
            run-add --campaign may --start 2026-05-04T10:00:00Z --stop 2026-05-04T10:05:00Z \\
                --label machine=z16 --factor file_size_mb=10 --measurement bytes=10737418240:B
        """,
    )
    run.add_argument("--campaign", required=True, metavar="NAME")
    run.add_argument(
        "--start", required=True, metavar="TIME", help="for example 2026-03-01T10:00:00Z"
    )
    run.add_argument("--stop", required=True, metavar="TIME")
    run.add_argument("--time-zone", metavar="ZONE", help="time zone of times without an offset")
    run.add_argument("--run-id", metavar="NAME", help="default: campaign and start")
    run.add_argument("--repetition", type=int, metavar="N", help="default: 1")
    run.add_argument("--steady-start", metavar="TIME")
    run.add_argument("--steady-stop", metavar="TIME")
    for option, value, text in _REPEATABLE:
        run.add_argument(
            option, action="append", default=[], metavar=value, help=f"{text} (repeatable)"
        )
    run.add_argument(
        "--origin",
        choices=("measured", "simulated"),
        default="measured",
        help="origin of its records (default: measured)",
    )
    builds = command(
        "builds",
        _builds,
        "write a repository's commits as a table of builds: loaded, it puts runs in their order",
        examples="builds --from-git . --out builds.csv",
        has_warehouse=False,
    )
    builds.add_argument("--from-git", type=Path, required=True, metavar="REPOSITORY")
    builds.add_argument("--out", type=Path, required=True, metavar="FILE.csv")


def _builds(arguments: argparse.Namespace) -> int:
    command = ["git", "-C", str(arguments.from_git), "log", "--topo-order", "--reverse", "--all"]
    try:
        log = subprocess.run(
            [*command, "--format=%H,%P,%cI"], check=True, capture_output=True, text=True
        ).stdout
    except FileNotFoundError:
        raise UsageError("builds: git is not installed") from None
    except subprocess.CalledProcessError as error:
        raise UsageError(f"builds: {error.stderr.strip().splitlines()[0]}") from None
    commits = [line.split(",") for line in log.splitlines()]
    with arguments.out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("build", "parent", "committed_at"))
        table.writerows((build, *parents.split(" ")[:1], at) for build, parents, at in commits)
    console.print(f"{arguments.out}: {len(commits):,} builds", soft_wrap=True)
    return 0


def _run_add(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import TO_READERS
    from app.pipeline.run_add import RunError, add_run, doubts, manifest_of
    from app.pipeline.steps import prepare

    try:
        manifest = manifest_of(
            {name: getattr(arguments, name) for name in _SCALARS},
            factors=arguments.factor,
            labels=arguments.label,
            lpars=arguments.lpar,
            measurements=arguments.measurement,
        )
        warehouse = warehouse_of(arguments)
        prepare(warehouse)
        run_id = add_run(warehouse, manifest, arguments.origin)
        texts = doubts(warehouse, manifest, arguments.origin)
    except RunError as error:
        raise UsageError(f"run rejected: {error}") from None
    console.print(
        f"declared run {run_id}; marts show it after: {warehouse.command(*TO_READERS)}",
        soft_wrap=True,
    )
    for line in texts:
        console.print(f"warning: {line}", style="yellow", highlight=False, soft_wrap=True)
    return 0
