"""run, ingest, forget, build, check, publish: the steps of the pipeline."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from app.cli.common import Command, Name, UsageError, console, progress, warehouse_of
from ingest.files import name_of

if TYPE_CHECKING:
    from expectations.outcome import AuditResult
    from ingest.load import Load
    from ingest.warehouse import Warehouse

__all__ = ["add"]

_LISTED = 100  # files; of more, those that were not simply loaded
_SHOWN = 5  # damaged parts printed per file; raw.quarantine has all of them


def add(command: Command) -> None:
    """Declare the commands."""
    run = command(
        "run", _run, "ingest PATHs, or else the bundled inputs, then build, check and publish"
    )
    run.add_argument("paths", nargs="*", metavar="PATH")
    ingest = command("ingest", _ingest, "load files, folders or patterns into raw.*")
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    for reader in (run, ingest):
        _add_reading(reader)
    forget = command("forget", _forget, "undo a load: drop its rows and its ledger entry")
    forget.add_argument(
        "source_id", metavar="ID", help="source_id of the load, or its first characters"
    )
    reload = command(
        "reload",
        _reload,
        "decode files once more that an earlier decoder loaded, and replace their rows",
    )
    reload.add_argument(
        "--all", action="store_true", help="all files, not only those of an earlier decoder"
    )
    command("build", _build, "build staging, intermediate and marts from the loaded files")
    check = command(
        "check",
        _check,
        "audit the last build; exit status 1: errors in the data, or regressions; 2: a fault of "
        "perfhouse, which keeps the build from being published",
    )
    check.add_argument(
        "--docs", type=Path, metavar="DIR", help="folder for the HTML pages of the audit"
    )
    for auditor in (run, check):
        auditor.add_argument(
            "--notify",
            metavar="URL",
            help="webhook URL for new findings (default: $PERFHOUSE_NOTIFY)",
        )
    command("publish", _publish, "publish the audited build")
    notifier = command(
        "notify",
        _notify_all,
        "send what is new to the webhook, to Slack and by mail (docs/notifications.md)",
    )
    notifier.add_argument(
        "--now", action="store_true", help="also in quiet hours and before the time of the digest"
    )
    notifier.add_argument(
        "--show", action="store_true", help="print what waits for Slack or mail, and send nothing"
    )
    notifier.add_argument(
        "--notify", metavar="URL", help="webhook URL (default: $PERFHOUSE_NOTIFY)"
    )


def _add_reading(reader: argparse.ArgumentParser) -> None:
    """Add the options on how files are read."""
    reader.add_argument(
        "--origin",
        type=_origin,
        metavar="ORIGIN",
        help="measured or simulated (default: as the nearest file named ORIGIN says, otherwise "
        "measured)",
    )
    reader.add_argument(
        "--code-page",
        type=_code_page,
        default="037",
        metavar="PAGE",
        help="EBCDIC code page of text in SMF records: 037 (default), 1047, 500 or 1140",
    )
    reader.add_argument(
        "--ams-type",
        type=_record_type,
        default=180,
        metavar="N",
        help="SMF record type of Advanced Message Security at your site (default: 180)",
    )
    reader.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="processes that load large amounts of data (default: one for each processor)",
    )


def _origin(text: str) -> str:
    from ingest.sources import ORIGINS

    return _one_of(ORIGINS, text)


def _code_page(text: str) -> str:
    from ingest.binary.text import CODE_PAGES

    return _one_of(CODE_PAGES, text)


def _one_of(known: Sequence[str], text: str) -> str:
    if text not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(known)}")
    return text


def _record_type(text: str) -> int:
    number = int(text)
    if not 128 <= number <= 255:
        raise argparse.ArgumentTypeError("user record types are 128 to 255")
    return number


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one process is needed")
    return number


def _run(arguments: argparse.Namespace) -> int:
    from app.pipeline import steps
    from app.pipeline.bundled import bundled_inputs

    warehouse = warehouse_of(arguments)
    unread = 0
    if arguments.paths:
        loads = _load(arguments, arguments.paths, arguments.origin)
        _report(warehouse, loads)
        unread = _status(loads)
        if all(load.status == "failed" for load in loads):
            return unread
    else:
        for pattern, origin in bundled_inputs():
            _report(warehouse, _load(arguments, [pattern], origin))
    if steps.is_current(warehouse):
        console.print("nothing new since the published build")
        last = steps.last_audit(warehouse)
        if last:
            _tell(warehouse, last)
        _notify(arguments)  # what could not be sent before
        return max(unread, last.exit_status if last else 0)
    _build(arguments)
    audit = _audit(arguments)
    try:
        status = _publish(arguments)
    finally:
        _notify(arguments)  # last, as it may have to wait
    return status or max(unread, audit.exit_status)


def _ingest(arguments: argparse.Namespace) -> int:
    from app.pipeline.steps import heal

    heal(warehouse_of(arguments))
    loads = _load(arguments, arguments.paths, arguments.origin)
    _report(warehouse_of(arguments), loads)
    return _status(loads)


def _status(loads: Sequence[Load]) -> int:
    """Return the exit status: 2 if a file could not be read, or nothing in any file."""
    statuses = {load.status for load in loads}
    return 2 if "failed" in statuses or statuses == {"quarantined"} else 0


def _load(
    arguments: argparse.Namespace, paths: Sequence[Path | str], origin: str | None
) -> list[Load]:
    from rich.progress import DownloadColumn, TransferSpeedColumn

    from app.pipeline.steps import ingest_paths

    with progress(DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task("", total=None)

        def advance(file: Path, read: int, total: int) -> None:
            bar.update(task, description=name_of(file.name), advance=read, total=total)

        return ingest_paths(
            warehouse_of(arguments),
            paths,
            origin,
            code_page=arguments.code_page,
            ams_type=arguments.ams_type,
            jobs=arguments.jobs,
            progress=advance,
        )


def _report(warehouse: Warehouse, loads: Sequence[Load]) -> None:
    from ingest.catalogue import describe_record

    files = Table(title="Files", title_justify="left", box=None, padding=(0, 1, 0, 0))
    files.add_column("file")
    for heading in ("status", "framing"):
        files.add_column(heading, no_wrap=True)
    for heading in ("MB", "records", "quarantined", "rows"):
        files.add_column(heading, justify="right", no_wrap=True)
    listed = loads
    if len(loads) > _LISTED:
        counts = Counter(load.status for load in loads)
        every = ", ".join(f"{number:,} {status}" for status, number in counts.items())
        console.print(f"{len(loads):,} files: {every}", highlight=False)
        listed = [load for load in loads if load.status != "loaded"][:_LISTED]
    names = [Name(name_of(load.path.name)) for load in listed]
    totals: Counter[tuple[int, int | None]] = Counter()
    sections: Counter[tuple[int, int | None]] = Counter()
    for load, name in zip(listed, names, strict=True):
        files.add_row(
            name,
            load.status,
            load.framing or load.kind.partition("_")[0],
            f"{load.bytes / 2**20:,.1f}",
            f"{load.records:,}",
            f"{load.quarantined:,}",
            f"{load.rows:,}",
        )
    for load in loads:
        for key, (records, found) in load.counts.items():
            totals[key] += records
            sections[key] += found
    if listed:
        console.print(files)
    if any(name.is_shortened for name in names):
        every = warehouse.command("sql 'SELECT path FROM raw.ledger' --format csv")
        console.print(f"whole names: {every}", highlight=False, soft_wrap=True)
    if totals:
        types = Table(title="Records by type and subtype", title_justify="left")
        for heading in ("type", "subtype"):
            types.add_column(heading, justify="right")
        types.add_column("description")
        for heading in ("records", "sections"):
            types.add_column(heading, justify="right")
        for (kind, subtype), records in sorted(
            totals.items(), key=lambda t: (t[0][0], t[0][1] or 0)
        ):
            types.add_row(
                str(kind),
                "" if subtype is None else str(subtype),
                describe_record(kind, subtype),
                f"{records:,}",
                f"{sections[kind, subtype]:,}",
            )
        console.print(types)
    for load in listed:
        path = name_of(load.path)
        for reason in load.reasons[:_SHOWN]:
            print(f"{path}: {reason}", file=sys.stderr)
        if load.quarantined > _SHOWN:
            left = load.quarantined - _SHOWN
            print(f"{path}: {left} more in raw.quarantine", file=sys.stderr)


def _forget(arguments: argparse.Namespace) -> int:
    from app.pipeline.publication import TO_READERS
    from app.pipeline.steps import forget_load

    warehouse = warehouse_of(arguments)
    forget_load(warehouse, arguments.source_id)
    console.print(
        f"load forgotten; marts keep its rows until: {warehouse.command(*TO_READERS)}",
        soft_wrap=True,
    )
    return 0


def _reload(arguments: argparse.Namespace) -> int:
    from rich.progress import MofNCompleteColumn

    from app.pipeline import steps
    from app.pipeline.publication import TO_READERS

    warehouse = warehouse_of(arguments)
    chosen = steps.outdated(warehouse, everything=arguments.all)
    with progress(MofNCompleteColumn()) as bar:
        task = bar.add_task("", total=len(chosen))

        def advance(file: Path) -> None:
            bar.update(task, description=name_of(file.name), advance=1)

        loads = steps.reload(warehouse, chosen, advance)
    done = [load for load in loads if load.status != "failed"]
    for load in loads:
        if load.status == "failed":
            print(f"{name_of(load.path)}: {load.reasons[0]}; its rows stay as they were",
                  file=sys.stderr)  # fmt: skip
    console.print(f"{len(done):,} of {len(loads):,} loads decoded once more")
    if done:
        console.print(f"marts follow: {warehouse.command(*TO_READERS)}", soft_wrap=True)
    return 2 * (len(done) < len(loads))


def _build(arguments: argparse.Namespace) -> int:
    from rich.progress import MofNCompleteColumn

    from app.pipeline.steps import build, outdated

    with progress(MofNCompleteColumn()) as bar:
        task = bar.add_task("building", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        build_id = build(warehouse_of(arguments), advance)
    console.print(f"built {build_id}")
    if old := outdated(warehouse_of(arguments)):
        reload = warehouse_of(arguments).command("reload")
        console.print(
            f"{len(old):,} loads are of an earlier decoder; today's may read more: {reload}",
            highlight=False,
            soft_wrap=True,
        )
    return 0


def _check(arguments: argparse.Namespace) -> int:
    audit = _audit(arguments)
    _notify(arguments)
    return audit.exit_status


def _notify(arguments: argparse.Namespace) -> None:
    from app.pipeline import steps

    if undelivered := steps.notify(warehouse_of(arguments), arguments.notify):
        print(f"perfhouse: {undelivered}", file=sys.stderr)


def _notify_all(arguments: argparse.Namespace) -> int:
    from app.pipeline import steps
    from app.pipeline.channels import channels
    from app.pipeline.message import mail_of
    from app.pipeline.notices import waiting_for
    from app.pipeline.places import dashboard_address

    if arguments.show:
        for where, notices in waiting_for(warehouse_of(arguments)).items():
            text = mail_of(notices, dashboard_address()) if notices else "nothing waits\n"
            console.print(f"{where}:\n{text}", highlight=False, soft_wrap=True, end="")
        return 0
    if not channels(arguments.notify):
        raise UsageError(
            "notify: nothing is set; see PERFHOUSE_NOTIFY, PERFHOUSE_SLACK and PERFHOUSE_MAIL in "
            "docs/notifications.md"
        )
    undelivered = steps.notify(warehouse_of(arguments), arguments.notify, now=arguments.now)
    if undelivered:
        print(f"perfhouse: {undelivered}", file=sys.stderr)
    return 2 if undelivered else 0


def _audit(arguments: argparse.Namespace) -> AuditResult:
    from app.pipeline import steps

    warehouse = warehouse_of(arguments)
    with console.status("auditing"):
        audit = steps.check(warehouse, getattr(arguments, "docs", None))
    _tell(warehouse, audit)
    return audit


def _tell(warehouse: Warehouse, audit: AuditResult) -> None:
    """Print what an audit found."""
    from expectations.outcome import ISSUES

    for outcome in audit.notes:
        console.print(f"note: {outcome.message}", highlight=False)
    for outcome in (*audit.warnings, *audit.regressions, *audit.errors, *audit.faults):
        console.print(f"{outcome.severity}: {outcome.message}", highlight=False)
    faults = f"{len(audit.faults)} faults of perfhouse, " if audit.faults else ""
    console.print(
        f"audited: {len(audit.results)} expectations, {faults}{len(audit.errors)} errors, "
        f"{len(audit.warnings)} warnings, {len(audit.regressions)} with regressions"
    )
    if any(outcome.suite == ISSUES and outcome.message for outcome in audit.results):
        every = warehouse.command("sql 'FROM marts.fct_data_issue'")
        console.print(f"all data issues: {every}", highlight=False, soft_wrap=True)
    if audit.regressions:
        console.print(f"more: {warehouse.command('regressions')}", highlight=False, soft_wrap=True)


def _publish(arguments: argparse.Namespace) -> int:
    from app.pipeline.steps import publish

    warehouse = warehouse_of(arguments)
    publish(warehouse)
    console.print(f"published {warehouse.file}", soft_wrap=True)
    return 0
