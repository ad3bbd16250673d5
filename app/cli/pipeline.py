"""run, ingest, forget, build, check, publish: the steps of the pipeline."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from app.cli import results
from app.cli.common import (
    Command,
    Name,
    UsageError,
    add_json,
    add_wait,
    complain,
    console,
    counted,
    print_json,
    progress,
    warehouse_of,
    working,
)
from ingest.base.errors import PerfhouseError
from ingest.base.extras import require
from ingest.base.files import name_of
from ingest.lake.home import default_file

if TYPE_CHECKING:
    from expectations.outcome import AuditResult
    from ingest.lake.warehouse import Warehouse
    from ingest.load import Load

__all__ = ["add"]

_LISTED = 100  # files; of more, those that were not simply loaded
_FOUND = "errors in the data, or regressions; they are published"
_SHOWN = 5  # damaged parts printed per file; raw.quarantine has all of them


def add(command: Command) -> None:
    """Declare the commands."""
    run = command(
        "run",
        _run,
        "ingest PATHs, then build, check and publish; without PATH, the bundled inputs into the "
        "warehouse in the data folder",
        examples="""
            run
            run dumps/ results.csv --label git_revision=4e1f2ab
        """,
        one=_FOUND,
    )
    run.add_argument("paths", nargs="*", metavar="PATH")
    ingest = command(
        "ingest",
        _ingest,
        "load files, folders or patterns into raw.*",
        examples="""
            ingest dumps/ 'archive/*.smf.gz'
            ingest results.csv --dry-run
        """,
    )
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    for reader in (run, ingest):
        _add_reading(reader)
        results.add(reader)
    forget = command(
        "forget",
        _forget,
        "undo a load: drop its rows and its ledger entry",
        examples="forget 3ce79bdb",
    )
    forget.add_argument(
        "source_id", metavar="ID", help="source_id of the load, or its first characters"
    )
    reload = command(
        "reload",
        _reload,
        "decode files again that an earlier decoder loaded, and replace their rows",
    )
    reload.add_argument(
        "--all", action="store_true", help="all files, not only those of an earlier decoder"
    )
    build = command("build", _build, "build staging, intermediate and marts from the loaded files")
    check = command(
        "check",
        _check,
        "audit the last build",
        examples="check --json",
        one=_FOUND,
    )
    check.add_argument(
        "--docs", type=Path, metavar="DIR", help="folder for the HTML pages of the audit"
    )
    for printing in (run, ingest, check):
        add_json(printing)
    for auditor in (run, check):
        auditor.add_argument(
            "--notify",
            metavar="URL",
            help="webhook URL for new findings (default: $PERFHOUSE_NOTIFY)",
        )
    publish = command(
        "publish", _publish, "publish the last build, once it is audited and has no fault"
    )
    for changing in (run, forget, reload, build, check, publish):
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
    from ingest.formats.sources import ORIGINS

    return _one_of(ORIGINS, text)


def _code_page(text: str) -> str:
    from ingest.formats.binary.text import CODE_PAGES

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
        loads += (read := _load(arguments, paths, origin))
        _report(warehouse, read)
    unread = _status(loads) if arguments.paths else 0
    if arguments.paths and all(load.status == "failed" for load in loads):
        return unread
    try:
        audit = _build_and_publish(arguments, warehouse)
    except PerfhouseError:
        _notify(arguments)  # of a fault, too
        raise
    if arguments.json:
        print_json({"loads": _figures(loads), "audit": _verdicts(audit) if audit else None})
    _notify(arguments)  # last, as it may have to wait
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

    said = "nothing new since the published build"
    if not steps.is_current(warehouse):
        with alone(warehouse):  # to the end, so that no other build comes between
            if not steps.is_current(warehouse):
                import_ahead()
                _build(arguments)
                audit = _audit(arguments)
                _publish(arguments)
                return audit
        said = "already published by another process"
    console.print(said)
    last = steps.last_audit(warehouse)
    if last:
        _print_audit(warehouse, last)
    return last


def _ingest(arguments: argparse.Namespace) -> int:
    results.set_given(arguments)
    if arguments.dry_run:
        return results.explain(arguments)
    console.quiet |= arguments.json
    loads = _load(arguments, arguments.paths, arguments.origin)
    _report(warehouse_of(arguments), loads)
    if arguments.json:
        print_json(_figures(loads))
    return _status(loads)


def _figures(loads: Sequence[Load]) -> list[dict[str, object]]:
    """Return loads as JSON has them."""
    names = (
        *("path", "source_id", "status", "kind", "framing", "bytes", "records", "quarantined"),
        *("rows", "decoder", "reasons"),
    )
    return [{name: getattr(load, name) for name in names} for load in loads]


def _verdicts(audit: AuditResult) -> dict[str, object]:
    """Return an audit as JSON has it: what failed, by severity."""
    found = {
        name: [{"table": r.table, "message": r.message} for r in getattr(audit, name)]
        for name in ("faults", "errors", "regressions", "warnings")
    }
    return {
        "check_id": audit.check_id,
        "build_id": audit.build_id,
        "expectations": len(audit.results),
        **found,
    }


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
    from ingest.lake.catalogue import describe_record

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
            complain(f"{path}: {reason}")
        if load.quarantined > _SHOWN:
            left = load.quarantined - _SHOWN
            complain(f"{path}: {left} more in raw.quarantine")


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
    from ingest.lake.alone import alone

    warehouse = warehouse_of(arguments)
    # Chosen under the lock: a load that is forgotten meanwhile must not come back.
    with alone(warehouse), progress(MofNCompleteColumn()) as bar:
        chosen = steps.outdated(warehouse, everything=arguments.all)
        task = bar.add_task("", total=len(chosen))

        def advance(file: Path) -> None:
            bar.update(task, description=name_of(file.name), advance=1)

        loads = steps.reload(warehouse, chosen, advance)
    done = [load for load in loads if load.status != "failed"]
    for load in loads:
        if load.status == "failed":
            complain(f"{name_of(load.path)}: {load.reasons[0]}; its rows are unchanged")
    console.print(f"{len(done):,} of {len(loads):,} loads decoded again")
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
            f"{len(old):,} loads were made by an earlier decoder; this one may read more: {reload}",
            highlight=False,
            soft_wrap=True,
        )
    return 0


def _check(arguments: argparse.Namespace) -> int:
    console.quiet |= arguments.json
    audit = _audit(arguments)
    if arguments.json:
        print_json(_verdicts(audit))
    _notify(arguments)
    return audit.exit_status


def _notify(arguments: argparse.Namespace) -> None:
    from app.pipeline import steps

    if undelivered := steps.notify(warehouse_of(arguments), arguments.notify):
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
    undelivered = steps.notify(warehouse_of(arguments), arguments.notify, now=arguments.now)
    if undelivered:
        complain(f"perfhouse: {undelivered}")
    return 2 if undelivered else 0


def _audit(arguments: argparse.Namespace) -> AuditResult:
    from app.pipeline import steps

    warehouse = warehouse_of(arguments)
    with working("auditing"):
        audit = steps.check(warehouse, getattr(arguments, "docs", None))
    _print_audit(warehouse, audit)
    return audit


def _print_audit(warehouse: Warehouse, audit: AuditResult) -> None:
    """Print what an audit found."""
    from expectations.outcome import ISSUES

    for outcome in audit.notes:
        console.print(f"note: {outcome.message}", highlight=False)
    for outcome in (*audit.warnings, *audit.regressions, *audit.errors, *audit.faults):
        console.print(f"{outcome.severity}: {outcome.message}", highlight=False)
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
        console.print(f"more: {warehouse.command('regressions')}", highlight=False, soft_wrap=True)


def _publish(arguments: argparse.Namespace) -> int:
    from app.pipeline.steps import publish

    warehouse = warehouse_of(arguments)
    if audit := publish(warehouse):
        _print_audit(warehouse, audit)
    console.print(f"published {warehouse.file}", soft_wrap=True)
    return 0
