"""run: load files, build, check and publish."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.cli import results
from app.cli.common import (
    Command,
    UsageError,
    add_json,
    add_wait,
    console,
    print_json,
    warehouse_of,
)
from app.cli.health import judge
from app.cli.loading import (
    add_reading,
    complain_of_parts,
    figures_of,
    load,
    report,
    status_of,
)
from app.cli.pipeline import (
    FOUND,
    add_notify,
    audit_build,
    build,
    judge_night,
    notify,
    print_audit,
    publish,
    shown,
    verdicts_of,
)
from ingest.base.errors import PerfhouseError
from ingest.base.extras import require
from ingest.lake.home import default_file

if TYPE_CHECKING:
    from expectations.outcome import AuditResult
    from ingest.lake.warehouse import Warehouse
    from ingest.writer import Load

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    run = command(
        "run",
        _run,
        "ingest PATHs, then build, check and publish; without PATH, the bundled inputs into the "
        "warehouse in the data folder",
        examples="""
            run
            run dumps/ results.csv --label git_revision=4e1f2ab
        """,
        one=FOUND,
    )
    run.add_argument("paths", nargs="*", metavar="PATH")
    add_reading(run)
    add_json(run)
    add_notify(run)
    add_wait(run)


def _run(arguments: argparse.Namespace) -> int:
    from app.pipeline.bundled import bundled_inputs

    results.set_given(arguments)
    if arguments.dry_run:
        return results.explain(arguments)
    require("build")  # before anything is loaded
    warehouse = warehouse_of(arguments)
    console.quiet |= arguments.json
    if not arguments.paths:
        _refuse_bundled(warehouse)
    given = [(arguments.paths, arguments.origin)] if arguments.paths else [
        ([pattern], origin) for pattern, origin in bundled_inputs()
    ]  # fmt: skip
    loads: list[Load] = []
    for paths, origin in given:
        loads += load(arguments, paths, origin)
    report(loads)
    unread = status_of(loads, arguments.paths) if arguments.paths else 0
    audit = None
    try:
        if arguments.paths and all(load.status in ("failed", "form") for load in loads):
            return unread
        audit = _build_and_publish(arguments, warehouse)
    except PerfhouseError:
        notify(arguments)  # of a fault, too
        raise
    finally:
        said = "\n".join(outcome.message for outcome in shown(audit)) if audit else ""
        complain_of_parts(loads, said)
    if arguments.json:
        print_json({"loads": figures_of(loads), "audit": verdicts_of(audit) if audit else None})
    alarms, absences = (each(warehouse, warehouse.file) for each in (judge, judge_night))
    notify(arguments, alarms, absences)  # last, as it may have to wait
    return max(unread, audit.exit_status if audit else 0)


def _refuse_bundled(warehouse: Warehouse) -> None:
    """Raise UsageError if the bundled inputs are not meant for a warehouse: somebody chose it."""
    if warehouse.file != default_file():
        raise UsageError(
            f"run: a PATH is required for {warehouse.file}: the bundled inputs are loaded into the "
            "warehouse in the data folder only"
        )


def _build_and_publish(arguments: argparse.Namespace, warehouse: Warehouse) -> AuditResult | None:
    """Build, check and publish, unless readers see all loads; return the audit of what they see."""
    from app.pipeline import steps
    from expectations.audit import import_ahead
    from ingest.lake.alone import alone

    outcome = "nothing new since the published build"
    if not steps.is_current(warehouse):
        with alone(warehouse):  # to the end, so that no other build comes between
            if not steps.is_current(warehouse):
                import_ahead()
                build(arguments)
                audit = audit_build(arguments)
                publish(arguments)
                return audit
        outcome = "another process published a build"
    last = steps.last_audit(warehouse)
    console.print(f"{outcome}, whose audit said:" if last else outcome)
    if last:
        print_audit(warehouse, last)
    return last
