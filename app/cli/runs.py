"""run-add: declare a run after it has been."""

from __future__ import annotations

import argparse

from app.cli.common import Command, UsageError, console, warehouse_of

__all__ = ["add"]

_GIVEN = (
    *("campaign", "run_id", "time_zone", "repetition"),
    *("start", "stop", "steady_start", "steady_stop"),
)


def add(command: Command) -> None:
    """Declare the command."""
    run = command("run-add", _run_add, "declare a run that has been, as a manifest would")
    run.add_argument("--campaign", required=True, metavar="NAME")
    run.add_argument("--start", required=True, metavar="TIME", help="such as 2026-03-01T10:00:00Z")
    run.add_argument("--stop", required=True, metavar="TIME")
    run.add_argument("--time-zone", metavar="ZONE", help="of times without an offset")
    run.add_argument("--run-id", metavar="NAME", help="default: the campaign and the start")
    run.add_argument("--repetition", type=int, metavar="N", help="default: 1")
    run.add_argument("--steady-start", metavar="TIME")
    run.add_argument("--steady-stop", metavar="TIME")
    run.add_argument("--factor", action="append", default=[], metavar="NAME=VALUE",
                     help="of the configuration, by the names of the published figures; one of "
                     "your own begins with x_")  # fmt: skip
    run.add_argument("--label", action="append", default=[], metavar="NAME=VALUE",
                     help="such as machine=z16, mq_level=9.4.0, git_revision=4e1f2ab")  # fmt: skip
    run.add_argument("--lpar", action="append", default=[], metavar="NAME",
                     help="that the run had for itself (default: all)")  # fmt: skip
    run.add_argument("--measurement", action="append", default=[], metavar="METRIC=NUMBER:UNIT",
                     help="such as bytes=10737418240:B or transactions=1000000:count")  # fmt: skip
    run.add_argument("--origin", choices=("measured", "simulated"), default="measured",
                     help="where its records come from")  # fmt: skip


def _run_add(arguments: argparse.Namespace) -> int:
    from app.pipeline.run_add import RunError, add_run, manifest_of
    from app.pipeline.steps import prepare

    try:
        manifest = manifest_of(
            {name: getattr(arguments, name) for name in _GIVEN},
            factors=arguments.factor,
            labels=arguments.label,
            lpars=arguments.lpar,
            measurements=arguments.measurement,
        )
        warehouse = warehouse_of(arguments)
        prepare(warehouse)
        run_id = add_run(warehouse, manifest, arguments.origin)
    except RunError as error:
        raise UsageError(f"the run is refused: {error}") from None
    console.print(
        f"declared run {run_id}; marts show it after 'perfhouse build', check and publish",
        soft_wrap=True,
    )
    return 0
