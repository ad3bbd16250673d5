"""The steps of the pipeline; the command line and the DAGs call these and nothing else.

ingest -> build -> check -> publish. Ingest may run at any time; build, check and publish wait for
each other (see ingest.lake.alone).
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import duckdb

from app.pipeline.build import build_id, build_marts
from app.pipeline.build import is_current as holds_build_of
from app.pipeline.bundled import published_figures
from app.pipeline.dbt import DbtError
from app.pipeline.dbt import Progress as BuildProgress
from app.pipeline.publication import lake_size, last_verdict
from expectations.audit import run_audit
from expectations.outcome import AuditResult
from expectations.regressions import store as regression_store
from expectations.store import last_result, write_schema
from ingest.base.extras import require
from ingest.decoder import outdated_loads
from ingest.formats.sources import expand
from ingest.lake.alone import StepError, alone, nothing_built
from ingest.lake.commits import note_commit
from ingest.lake.damage import is_about_damage
from ingest.lake.log import message, step
from ingest.lake.log_lines import hide
from ingest.lake.lost import original_id
from ingest.lake.restored import replaced_warehouses
from ingest.lake.rolled import HOURS
from ingest.lake.seal import HowLoaded
from ingest.lake.warehouse import Warehouse
from ingest.load import mark_forgotten
from ingest.loading import How, cannot_write, count_file, failed_load, load_files, load_one
from ingest.repair import repair
from ingest.repair.damaged import set_aside
from ingest.repair.missing import removed_loads
from ingest.repair.reload import decode_again
from ingest.writer import Load

if TYPE_CHECKING:
    from app.pipeline.regressions import Answer

__all__ = [
    "Progress",
    "StepError",
    "build",
    "check",
    "forget_load",
    "heal",
    "ingest_paths",
    "is_current",
    "last_audit",
    "mark_regression",
    "merge_loads",
    "notify",
    "notify_failure",
    "outdated",
    "prepare",
    "publish",
    "reload",
]

log = logging.getLogger(__name__)


class Progress(Protocol):
    """Follows a load of several files."""

    def __call__(self, file: Path, read: int, total: int) -> None:
        """Note `read` bytes of `file`, out of `total` of all files."""


def ingest_paths(
    warehouse: Warehouse,
    paths: Sequence[Path | str],
    origin: str | None = None,
    *,
    code_page: str = "037",
    ams_type: int = 180,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Load]:
    """Load every file that the paths, folders and patterns name; see ingest.load.

    Without `origin`, a file has the origin that the nearest file ORIGIN says, in its folder or
    above, and is measured if there is none. A file that cannot be read is in the result with status
    `failed` and the reason; it does not keep others from being loaded. Raises SourceError, before
    anything is loaded, if a path names nothing, and StepError if the warehouse cannot be written.

    jobs: how many processes load a large amount of data; by default one for each processor.
    `progress(file, read, total)` is called when a file is begun and after each read: `read` is the
    number of bytes just read from disk, `total` the size of all files.
    """
    excluded = (warehouse.file, warehouse.lake, *warehouse.store.own)
    inputs = expand(paths, without={path.resolve() for path in excluded}).with_members()
    sizes = inputs.sizes()
    total = sum(sizes.values())

    def read(file: Path, count: int) -> None:
        if progress:
            progress(file, count, total)

    prepare(warehouse)
    heal(warehouse)
    how = How(origin, code_page, ams_type)
    with step(warehouse, "ingest"):
        loads = {file: failed_load(file, reason) for file, reason in inputs.unread.items()}
        for load in loads.values():
            count_file(warehouse, load)
        for load in load_files(warehouse, sizes, how, read, jobs):
            count_file(warehouse, load)
            loads[load.path] = load
    return [loads[file] for file in (*inputs.unread, *inputs.files)]


def prepare(warehouse: Warehouse) -> None:
    """Create the folders of the warehouse, and a file with the raw views, if they are missing."""
    try:
        warehouse.require_loads()
        warehouse.lake.mkdir(parents=True, exist_ok=True)
        write_schema(warehouse.audit)
        regression_store.write_schema(warehouse.regressions)
        warehouse.create()
    except OSError as error:
        raise cannot_write(warehouse, error) from error


def heal(warehouse: Warehouse) -> list[str]:
    """Set damaged files of the lake aside; return a line on each that says what to do."""
    warehouse.recover()
    if not warehouse.lake.is_dir():
        return []
    prepare(warehouse)
    lines = set_aside(warehouse)
    prepare(warehouse)
    return lines


def forget_load(warehouse: Warehouse, *source_ids: str) -> None:
    """Undo the loads whose source_ids begin with these.

    What retention removed for a roll-up is loaded again by the next build. Raises StepError, before
    any is undone, unless each names one load, and a roll-up is the last whose files are all there.
    """
    named = list(dict.fromkeys(_load_named(warehouse, source_id) for source_id in source_ids))
    with alone(warehouse):
        removed = {
            hours: removed_loads(warehouse, hours)
            for hours in named
            if hours.startswith(f"{HOURS}-")
        }
        for source_id in named:
            with step(warehouse, "forget", source_id=source_id) as done:
                if source_id in removed:
                    note_commit(warehouse.lake, removed[source_id], 0)  # missing from now on
                else:
                    mark_forgotten(warehouse, original_id(source_id))
                if not warehouse.forget(source_id):
                    raise StepError(f"{source_id}: another process removed this load")
                done.note(loads=1)


def _load_named(warehouse: Warehouse, source_id: str) -> str:
    """Return the one load whose source_id begins with this."""
    if not source_id.strip():
        raise StepError("an empty ID names no load; raw.ledger lists the loads")
    with warehouse.connect() as db:
        rows = db.execute(
            "SELECT source_id FROM raw.ledger WHERE starts_with(source_id, $1)",
            [source_id.lower()],
        ).fetchall()
        removed = db.execute(
            "SELECT source_id, max(rolled_into) FROM raw.ledger_rolled "
            "WHERE starts_with(source_id, $1) AND removed_at IS NOT NULL GROUP BY source_id",
            [source_id.lower()],
        ).fetchall()
    if not rows and len(removed) == 1:
        hours, roll_up = removed[0]
        raise StepError(f"{hours}: retention removed it; to have it back, forget {roll_up}")
    if len(rows) != 1:
        number = f"{len(rows)} loads have" if rows else "no load has"
        raise StepError(f"{number} a source_id that begins with {source_id!r}; see raw.ledger")
    return str(rows[0][0])


def outdated(warehouse: Warehouse, *, everything: bool = False) -> list[HowLoaded]:
    """Return the loads that an earlier decoder made, and today's may read otherwise; or all."""
    warehouse.recover()
    return outdated_loads(warehouse, everything=everything) if warehouse.store.exists() else []


def reload(
    warehouse: Warehouse,
    loads: Sequence[HowLoaded],
    progress: Callable[[Path], None] | None = None,
) -> list[Load]:
    """Decode the files of loads again, and replace their rows; see `outdated`.

    A file is looked for where it was. If it is missing or its content has changed, its load stays
    as it was, and its status here is `failed`. Readers see each load either as it was or as it is
    now. `progress` is called before each file.
    """
    prepare(warehouse)
    with alone(warehouse), step(warehouse, "reload"):
        repair(warehouse, deep=True)
        return decode_again(warehouse, loads, progress)


def build(warehouse: Warehouse, progress: BuildProgress | None = None) -> str:
    """Build intermediate models and marts in the working database; return the build's identity.

    It builds only what the new loads require: see app.pipeline.build. Published figures are loaded
    first, if they are not there and nobody forgot them. `progress(done, total)` is called after
    each model and test. Raises MissingExtraError, StepError.
    """
    require("build")
    prepare(warehouse)
    for file in published_figures():
        load = load_one(warehouse, file, How("measured", unless_forgotten=True))
        if load.status == "failed":
            raise StepError(f"{file}: {load.reasons[0]}")
    with alone(warehouse), step(warehouse, "build") as done:
        repair(warehouse)
        with step(warehouse, "compact") as compacted:
            compacted.note(loads=warehouse.store.compact())
        try:
            build_id = _build(warehouse, progress)
        except DbtError as error:
            raise StepError(str(error)) from error
        done.note(build_id=build_id)
        return build_id


def _build(warehouse: Warehouse, progress: BuildProgress | None) -> str:
    """Build; if the working database turns out to be damaged, again from scratch."""
    try:
        return build_marts(warehouse, progress)
    except (DbtError, duckdb.Error) as error:
        if not is_about_damage(str(error)):
            raise
        log.warning("%s: damaged, and made again (%s)", warehouse.work, error)
        warehouse.discard_work()
        return build_marts(warehouse, progress)


def merge_loads(warehouse: Warehouse) -> int:
    """Merge small loads, however few there are, as `build` merges many; return their number."""
    with alone(warehouse), step(warehouse, "compact") as done:
        done.note(loads=(merged := warehouse.store.compact(enough=2)))
        return merged


def check(warehouse: Warehouse, docs: Path | None = None) -> AuditResult:
    """Audit the last build and store the verdicts. Raises StepError if there is no build.

    docs: folder for the audit's pages, by default beside the verdicts. Raises MissingExtraError.
    """
    require("build")
    with alone(warehouse), step(warehouse, "check") as done:
        build_id = _build_id(warehouse)
        done.note(build_id=build_id)
        if lines := set_aside(warehouse):
            raise StepError(f"{lines[0]}; run '{warehouse.command('build')}' first")
        audit = run_audit(
            warehouse.work,
            warehouse.audit,
            build_id,
            regressions=warehouse.regressions,
            docs=docs or warehouse.docs,
        )
        done.note(check_id=audit.check_id, failures=len(audit.faults) + len(audit.errors))
        return audit


def last_audit(warehouse: Warehouse) -> AuditResult | None:
    """Return the last audit, without its events; None unless it was of the published build."""
    with warehouse.connect() as db:
        published = build_id(db)
    return last_result(warehouse.audit, published) if published else None


def mark_regression(
    warehouse: Warehouse, name: str, answer: Answer, seen: str = ""
) -> list[regression_store.Row]:
    """Record a person's answer to a regression or a group of them; see regressions.mark.

    Another step may be running, such as a check.
    """
    from app.pipeline.regressions import mark

    warehouse.recover()
    if not warehouse.regressions.is_dir():
        raise nothing_built(warehouse)
    with step(warehouse, "mark"):
        return mark(warehouse, name, answer, seen)


def notify(
    warehouse: Warehouse,
    url: str | None = None,
    *,
    now: bool = False,
    alarms: Mapping[str, str] | None = None,
    absences: Mapping[str, str] | None = None,
) -> str:
    """Send pending notices to the webhook, Slack and mail, if they are set.

    url: of the webhook, default $PERFHOUSE_NOTIFY; now: also in quiet hours and before the time of
    the digest; alarms: those of health, and absences: what should have arrived, by what they are
    of; None: not known. Call it after publishing: it may take half a minute for each. Returns why
    something was not accepted, or ""; it is kept for the next call then.
    """
    from app.pipeline import notices

    hide(url)
    undelivered = notices.send_news(warehouse, url, now=now, alarms=alarms, absences=absences)
    if undelivered:
        message(warehouse, "warning", undelivered)
    return undelivered


def notify_failure(warehouse: Warehouse, step: str, reason: str) -> str:
    """Report a failed step to all channels that are set; otherwise as `notify`.

    The same failure is sent once, until something is published again.
    """
    from app.pipeline import notices

    return notices.send_failure(warehouse, step, reason)


def publish(warehouse: Warehouse) -> AuditResult | None:
    """Publish the last build, whatever is wrong with its data.

    Another process may have built since the last audit: then the build is audited first, and that
    audit returned. Raises StepError if the audit found a fault of perfhouse.
    """
    from app.pipeline import notices

    audit = None
    with alone(warehouse), step(warehouse, "publish") as done:
        build_id = _build_id(warehouse)
        done.note(build_id=build_id)
        with warehouse.open_work() as db:
            verdict = last_verdict(db, build_id)
        if verdict is None:
            audit = check(warehouse)
            faults = [fault.message for fault in audit.faults]
        else:
            faults = verdict.faults
        if faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise StepError(
                "the build is not published: a fault of perfhouse, please report it: "
                f"{faults[0].rstrip('.')}{more}; see '{warehouse.command('check')}'"
            )
        warehouse.publish()
        for path in replaced_warehouses(
            warehouse.file
        ):  # what a restore replaced is not needed any more
            shutil.rmtree(path, ignore_errors=True)
        done.note(published_bytes=warehouse.file.stat().st_size, **lake_size(warehouse.lake))
    notices.note_success(warehouse)
    return audit


def is_current(warehouse: Warehouse, file: Path | None = None) -> bool:
    """Return whether a build is of exactly the current loads and code.

    file: the published one by default, or, under the lock of the warehouse, that of the build.
    """
    with warehouse.open_work() if file == warehouse.work else warehouse.connect() as db:
        return holds_build_of(db, warehouse.loads())


def _build_id(warehouse: Warehouse) -> str:
    if not warehouse.work.exists():
        raise nothing_built(warehouse)
    with warehouse.open_work() as db:
        result = build_id(db)
    if result is None:
        build = warehouse.command("build")
        raise StepError(f"the last build did not finish; run '{build}' again")
    return result
