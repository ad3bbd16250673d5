"""build, check, publish, notify: from the lake to readers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import (
    Command,
    UsageError,
    add_json,
    add_verbose,
    add_wait,
    complain,
    console,
    print_json,
    progress,
    warehouse_of,
    working,
)
from app.cli.health import judge
from app.results.words import counted
from ingest.base.extras import require

if TYPE_CHECKING:
    from expectations.outcome import AuditResult, ExpectationOutcome
    from ingest.lake.warehouse import Warehouse

__all__ = [
    "FOUND",
    "add",
    "add_notify",
    "audit_build",
    "build",
    "judge_night",
    "notify",
    "print_audit",
    "publish",
    "shown",
    "verdicts_of",
]

_SHOWN = 5  # findings that are printed without --verbose
FOUND = "errors in the data, or regressions; they are published"


def add(command: Command) -> None:
    """Declare the commands."""
    builder = command("build", build, "build staging, intermediate and marts from the loaded files")
    check = command(
        "check",
        _check,
        "audit the last build",
        examples="check --json",
        one=FOUND,
    )
    check.add_argument(
        "--docs", type=Path, metavar="DIR", help="folder for the HTML pages of the audit"
    )
    add_json(check)
    add_verbose(check)
    add_notify(check)
    publisher = command(
        "publish", publish, "publish the last build, once it is audited and has no fault"
    )
    for changing in (builder, check, publisher):
        add_wait(changing)
    notifier = command(
        "notify",
        _notify_all,
        "send pending notices to the webhook, Slack and mail (docs/notifications.md)",
        examples="notify --show",
    )
    notifier.add_argument(
        "--now", action="store_true", help="also in quiet hours and before the time of the digest"
    )
    notifier.add_argument(
        "--show", action="store_true", help="print pending messages to Slack and mail; send nothing"
    )
    notifier.add_argument(
        "--failure", metavar="REASON", help="send that a night, or another job of yours, failed"
    )
    notifier.add_argument(
        "--notify", metavar="URL", help="webhook URL (default: $PERFHOUSE_NOTIFY)"
    )


def verdicts_of(audit: AuditResult) -> dict[str, object]:
    """Return an audit as JSON has it: what failed, by severity."""
    outcomes = {
        name: [{"table": r.table, "message": r.message} for r in getattr(audit, name)]
        for name in ("faults", "errors", "regressions", "warnings")
    }
    return {
        "check_id": audit.check_id,
        "build_id": audit.build_id,
        "expectations": len(audit.results),
        **outcomes,
    }


def build(arguments: argparse.Namespace) -> int:
    """Build under a progress bar; return the exit status."""
    from rich.progress import MofNCompleteColumn

    from app.pipeline.steps import build, outdated

    with progress(MofNCompleteColumn()) as bar:
        task = bar.add_task("building", total=None)

        def advance(done: int, total: int, name: str) -> None:
            label = f"building {name}" if name.startswith("team.") else "building"
            bar.update(task, completed=done, total=total, description=label)

        build_id = build(warehouse_of(arguments), advance)
    if arguments.command == "build" or console.verbose:
        console.print(f"built {build_id}")
    if old := outdated(warehouse_of(arguments)):
        reload = warehouse_of(arguments).command("reload")
        console.print(
            f"{len(old):,} loads were made by an earlier decoder; this one may read more: {reload}",
            highlight=False,
            soft_wrap=True,
        )
    return 0


def add_notify(auditor: argparse.ArgumentParser) -> None:
    """Add the option for the webhook that gets new findings."""
    auditor.add_argument(
        "--notify",
        metavar="URL",
        help="webhook URL for new findings (default: $PERFHOUSE_NOTIFY)",
    )


def _check(arguments: argparse.Namespace) -> int:
    from ingest.lake.alone import alone

    require("build")
    console.quiet |= arguments.json
    warehouse = warehouse_of(arguments)
    with alone(warehouse):  # a build would have to wait for the file
        audit = audit_build(arguments)
        alarms = judge(warehouse, warehouse.work)
        absences = judge_night(warehouse, warehouse.work)
    if arguments.json:
        print_json(verdicts_of(audit))
    notify(arguments, alarms, absences)
    return audit.exit_status


def judge_night(warehouse: Warehouse, file: Path) -> dict[str, str] | None:
    """Print how last night was, of a database of a warehouse; return what is missing or stopped.

    None until all loads are in that database: what readers do not see yet may have come. file: as
    of app.cli.health.judge.
    """
    from app.pipeline.steps import is_current
    from app.results.last_night import read_last_night
    from app.results.reader import Reader, close

    try:
        night = read_last_night(Reader(file))
    finally:
        close()
    if night is None or not is_current(warehouse, file):
        return None
    console.print(f"last night: {night.answer}", highlight=False, soft_wrap=True)
    return night.absences()


def notify(
    arguments: argparse.Namespace,
    alarms: Mapping[str, str] | None = None,
    absences: Mapping[str, str] | None = None,
) -> None:
    """Send pending notices, and complain of those that fail."""
    from app.pipeline import steps

    undelivered = steps.notify(
        warehouse_of(arguments), arguments.notify, alarms=alarms, absences=absences
    )
    if undelivered:
        complain(f"perfhouse: {undelivered}")


def _notify_all(arguments: argparse.Namespace) -> int:
    from app.pipeline import steps
    from app.pipeline.channels import channels
    from app.pipeline.message import mail_of
    from app.pipeline.notices import waiting_for
    from app.pipeline.places import dashboard_address

    if arguments.show:
        for where, notices in waiting_for(warehouse_of(arguments)).items():
            text = mail_of(notices, dashboard_address()) if notices else "nothing waits\n"
            for line in (f"{where}:", *text.removesuffix("\n").split("\n")):
                console.print(line, highlight=False, soft_wrap=True)
        return 0
    if not channels(arguments.notify):
        raise UsageError(
            "notify: nothing is set; see PERFHOUSE_NOTIFY, PERFHOUSE_SLACK and PERFHOUSE_MAIL in "
            "docs/notifications.md"
        )
    warehouse = warehouse_of(arguments)
    if arguments.failure:
        undelivered = steps.notify_failure(warehouse, "night", arguments.failure)
    else:
        absences = judge_night(warehouse, warehouse.file)
        undelivered = steps.notify(
            warehouse, arguments.notify, now=arguments.now, absences=absences
        )
    if undelivered:
        complain(f"perfhouse: {undelivered}")
    return 2 if undelivered else 0


def audit_build(arguments: argparse.Namespace) -> AuditResult:
    """Audit the last build and print what was found."""
    from app.pipeline import steps

    warehouse = warehouse_of(arguments)
    with working("auditing"):
        audit = steps.check(warehouse, getattr(arguments, "docs", None))
    print_audit(warehouse, audit)
    return audit


def _failed(audit: AuditResult) -> list[ExpectationOutcome]:
    return [*audit.faults, *audit.errors, *audit.regressions, *audit.warnings]


def shown(audit: AuditResult) -> list[ExpectationOutcome]:
    """Return what `print_audit` prints of what an audit found."""
    return _failed(audit)[: None if console.verbose else _SHOWN] if not console.quiet else []


def print_audit(warehouse: Warehouse, audit: AuditResult) -> None:
    """Print what an audit found: the worst of it, or all if asked for."""
    from expectations.outcome import ISSUES, REGRESSIONS
    from expectations.rule import ERROR

    for outcome in (*(outcomes := shown(audit)), *(audit.notes if console.verbose else ())):
        is_regression = outcome.suite == REGRESSIONS and outcome.severity == ERROR
        severity = "regression" if is_regression else outcome.severity
        severity = "note" if outcome.passed else severity
        console.print(f"{severity}: {outcome.message}", highlight=False)
    if more := len(_failed(audit)) - len(outcomes):
        console.print(f"{more:,} more: {warehouse.command('check --verbose')}")
    faults = f"{counted(len(audit.faults), 'fault')} of perfhouse, " if audit.faults else ""
    console.print(
        f"audited: {counted(len(audit.results), 'expectation')}, {faults}"
        f"{counted(len(audit.errors), 'error')}, {counted(len(audit.warnings), 'warning')}, "
        f"{len(audit.regressions)} with regressions"
    )
    if any(outcome.suite == ISSUES and outcome.message for outcome in audit.results):
        every = warehouse.command("sql 'FROM marts.fct_data_issue'")
        console.print(f"all data issues: {every}", highlight=False, soft_wrap=True)
    if audit.regressions:
        every, each = map(warehouse.command, ("regressions", "regressions show ID"))
        console.print(f"more: {every}; all series of one: {each}", highlight=False, soft_wrap=True)


def publish(arguments: argparse.Namespace) -> int:
    """Publish the last build; return the exit status."""
    from app.pipeline.steps import publish

    warehouse = warehouse_of(arguments)
    if audit := publish(warehouse):
        print_audit(warehouse, audit)
    console.print(f"published {warehouse.file}", soft_wrap=True)
    return 0
