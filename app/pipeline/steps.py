"""The steps of the pipeline; the command line and the DAGs call these and nothing else.

ingest -> build -> check -> publish. Ingest may run at any time; build, check and publish exclude
each other.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import duckdb

from app.pipeline.alone import StepError, alone, nothing_built
from app.pipeline.build import build_id, build_marts
from app.pipeline.build import is_current as holds_build_of
from app.pipeline.dbt import DbtError
from app.pipeline.dbt import Progress as BuildProgress
from app.pipeline.heal import note_loaded_again, set_aside, to_load_again
from app.pipeline.loading import FULL, How, cannot_write, failed, load_files, load_one
from app.pipeline.log import file_loaded, hide, lake_size, message, step
from app.pipeline.publication import last_verdict
from expectations.audit import SettingsError, run_audit
from expectations.outcome import AuditResult
from expectations.regressions import store as regression_store
from expectations.store import last_result, write_schema
from ingest.damage import is_about_damage
from ingest.decoder import outdated_loads
from ingest.errors import SourceError
from ingest.files import name_of
from ingest.load import Load, decode_file, mark_forgotten
from ingest.partial import replaced_loads
from ingest.rolled import HOURS
from ingest.sources import expand, open_source
from ingest.spare import HowLoaded
from ingest.warehouse import Warehouse

if TYPE_CHECKING:
    from app.pipeline.regressions import Answer

__all__ = [
    "Progress",
    "StepError",
    "build",
    "check",
    "forget_load",
    "heal",
    "ingest_file",
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

_AT_ONCE = 64  # loads that are replaced at a time

log = logging.getLogger(__name__)


class Progress(Protocol):
    """Follows a load of several files."""

    def __call__(self, file: Path, read: int, total: int) -> None:
        """Take note of `read` bytes of `file`, out of `total` of all files."""


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
    own = (warehouse.file, warehouse.lake, *warehouse.store.own)
    found = expand(paths, without={path.resolve() for path in own})
    sizes = {file: _size(file) for file in found.files}
    total = sum(sizes.values())

    def read(file: Path, count: int) -> None:
        if progress:
            progress(file, count, total)

    prepare(warehouse)
    how = How(origin, code_page, ams_type)
    with step(warehouse, "ingest"):
        loads = {file: failed(file, reason) for file, reason in found.unread.items()}
        for load in loads.values():
            file_loaded(warehouse, load)
        for load in load_files(warehouse, sizes, how, read, jobs):
            file_loaded(warehouse, load)
            loads[load.path] = load
    return [loads[file] for file in (*found.unread, *found.files)]


def ingest_file(warehouse: Warehouse, file: Path, how: How) -> Load:
    """Load one file; `ingest_paths` says which origin it has, and what becomes of failures."""
    load = load_one(warehouse, file, how)
    file_loaded(warehouse, load)
    return load


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def prepare(warehouse: Warehouse) -> None:
    """Create the folders of the warehouse, and a file with the raw views, if they are missing."""
    try:
        warehouse.lake.mkdir(parents=True, exist_ok=True)
        write_schema(warehouse.audit)
        regression_store.write_schema(warehouse.regressions)
        warehouse.create()
    except OSError as error:
        raise cannot_write(warehouse, error) from error


def heal(warehouse: Warehouse) -> list[str]:
    """Set damaged files of the lake aside; return a line on each that says what to do."""
    if not warehouse.lake.is_dir():
        return []
    prepare(warehouse)
    lines = set_aside(warehouse)
    prepare(warehouse)
    return lines


def forget_load(warehouse: Warehouse, source_id: str) -> None:
    """Undo the load whose source_id begins with this. Raises StepError unless there is one."""
    if not source_id.strip():
        raise StepError("an empty ID names no load; raw.ledger lists the loads")
    with warehouse.connect() as db:
        found = db.execute(
            "SELECT source_id, kind FROM raw.ledger WHERE starts_with(source_id, $1)",
            [source_id.lower()],
        ).fetchall()
    if len(found) == 1 and found[0][1] == HOURS:
        raise StepError(f"{found[0][0]}: the hours of removed records cannot be had again")
    if len(found) != 1:
        number = f"{len(found)} loads have" if found else "no load has"
        raise StepError(f"{number} a source_id that begins with {source_id!r}; see raw.ledger")
    with alone(warehouse), step(warehouse, "forget", source_id=found[0][0]) as done:
        mark_forgotten(warehouse, found[0][0])
        warehouse.forget(found[0][0])
        done.note(loads=1)


def outdated(warehouse: Warehouse, *, everything: bool = False) -> list[HowLoaded]:
    """Return the loads that an earlier decoder made, and today's may read otherwise; or all."""
    return outdated_loads(warehouse, everything=everything) if warehouse.store.exists() else []


def reload(
    warehouse: Warehouse,
    loads: Sequence[HowLoaded],
    progress: Callable[[Path], None] | None = None,
) -> list[Load]:
    """Decode the files of loads once more, and replace their rows; see `outdated`.

    A file is looked for where it was. If it is not there, or is another one now, its load stays as
    it was, and its status here is `failed`. Some loads are replaced at a time, in one step: readers
    see each either as it was or as it is now. `progress` is called before each file.
    """
    results = []
    with alone(warehouse), step(warehouse, "reload"):
        for at in range(0, len(loads), _AT_ONCE):
            with warehouse.draft() as draft:
                replaced = set()
                for load in loads[at : at + _AT_ONCE]:
                    file = _file_of(warehouse, load)
                    if progress:
                        progress(file)
                    results.append(_decode_once_more(warehouse, load, file, draft))
                    file_loaded(warehouse, results[-1])
                    if results[-1].status != "failed":
                        replaced.add(load.source_id)
                if replaced:
                    warehouse.store.replace(replaced, draft)
    return results


def _decode_once_more(warehouse: Warehouse, load: HowLoaded, file: Path, draft: Path) -> Load:
    """Decode the file of a load into a folder in `draft`."""
    folder = draft / load.source_id
    folder.mkdir()
    try:
        again = decode_file(
            file, folder, load.origin, code_page=load.code_page, ams_type=load.ams_type
        )
        if load.source_id not in (again.source_id, _digest_on_disk(file)):
            raise SourceError("the file is not the one that was loaded")
        place = draft / again.source_id
        if place != folder and (place.exists() or warehouse.store.holds(again.source_id)):
            shutil.rmtree(folder)  # the whole content has its own load
        else:
            folder.rename(place)
    except (OSError, SourceError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise StepError(f"{name_of(draft)}: {error.strerror}") from error
        shutil.rmtree(folder, ignore_errors=True)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return failed(file, reason or str(error))
    return again


def _digest_on_disk(file: Path) -> str:
    """Return what identifies a file that could not be unpacked whole, within the limits of then."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _file_of(warehouse: Warehouse, load: HowLoaded) -> Path:
    """Return where the file of a load is: its path, if need be with bytes that are not UTF-8."""
    path = Path(load.path)
    if path.parent.name == "declared" and not path.exists():  # the warehouse was moved
        return warehouse.lake / "declared" / path.name
    if not path.exists() and path.parent.is_dir():
        return next((p for p in path.parent.iterdir() if name_of(p) == load.path), path)
    return path


def build(warehouse: Warehouse, progress: BuildProgress | None = None) -> str:
    """Build intermediate models and marts in the working database; return the build's identity.

    It does no more than the new loads ask for: see app.pipeline.build. `progress(done, total)` is
    called after each model and test.
    """
    prepare(warehouse)
    with alone(warehouse), step(warehouse, "build") as done:
        set_aside(warehouse)
        _load_again(warehouse)
        if replaced := replaced_loads(warehouse):
            with warehouse.draft() as draft:
                warehouse.store.replace(replaced, draft)
        with step(warehouse, "compact") as compacted:
            compacted.note(loads=warehouse.store.compact())
        try:
            build_id = _build(warehouse, progress)
        except DbtError as error:
            raise StepError(str(error)) from error
        done.note(build_id=build_id)
        return build_id


def _build(warehouse: Warehouse, progress: BuildProgress | None) -> str:
    """Build; if the working database turns out to be damaged, once more from nothing."""
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


def _load_again(warehouse: Warehouse) -> None:
    """Load the files once more whose loads were set aside; say of the others why that is not done.

    Each has to be the file that was loaded. What was forgotten since stays so.
    """
    for load in to_load_again(warehouse):
        file = _file_of(warehouse, load)
        reason = _is_another(file, load)
        if not reason:
            how = How(load.origin, load.code_page, load.ams_type, unless_forgotten=True)
            again = ingest_file(warehouse, file, how)
            reason = again.reasons[0] if again.status == "failed" else ""
        if reason:
            log.warning(
                "%s: its load was damaged, and it cannot be loaded again: %s", load.path, reason
            )
        else:
            log.warning("%s: its load was damaged, and is made again: %s", load.path, again.status)
            note_loaded_again(warehouse, load)


def _is_another(file: Path, load: HowLoaded) -> str:
    """Return why a file is not the one that was loaded, or cannot be read; '' if it is."""
    try:
        with open_source(file) as source:
            if load.source_id in (source.identity().source_id, _digest_on_disk(file)):
                return ""
    except OSError as error:
        return error.strerror or str(error)
    except SourceError as error:
        return str(error)
    return "the file is not the one that was loaded"


def check(warehouse: Warehouse, docs: Path | None = None) -> AuditResult:
    """Audit the last build and store the verdicts. Raises StepError if there is no build.

    docs: folder for the audit's pages, by default beside the verdicts.
    """
    with alone(warehouse), step(warehouse, "check") as done:
        build_id = _build_id(warehouse)
        done.note(build_id=build_id)
        try:
            audit = run_audit(
                warehouse.work,
                warehouse.audit,
                build_id,
                regressions=warehouse.regressions,
                docs=docs or warehouse.docs,
            )
        except SettingsError as error:
            raise StepError(str(error)) from error
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

    if not warehouse.regressions.is_dir():
        raise nothing_built(warehouse)
    with step(warehouse, "mark"):
        return mark(warehouse, name, answer, seen)


def notify(warehouse: Warehouse, url: str | None = None, *, now: bool = False) -> str:
    """Send what is new to the webhook, to Slack and by mail, as far as they are set.

    url: of the webhook, default $PERFHOUSE_NOTIFY; now: also in quiet hours and before the time of
    the digest. Call it after publishing: it may take half a minute for each. Returns why something
    was not accepted, or ""; it is kept for the next call then.
    """
    from app.pipeline import notices

    hide(url)
    if undelivered := notices.tell(warehouse, url, now=now):
        message(warehouse, "warning", undelivered)
    return undelivered


def notify_failure(warehouse: Warehouse, step: str, reason: str) -> str:
    """Send that a step failed to all that are set; otherwise as `notify`.

    The same failure is sent once, until something is published again.
    """
    from app.pipeline import notices

    return notices.tell_failure(warehouse, step, reason)


def publish(warehouse: Warehouse) -> None:
    """Show the last build to readers, whatever is wrong with its data.

    Raises StepError if it was not audited, or the audit found a fault of perfhouse.
    """
    from app.pipeline import notices

    with alone(warehouse), step(warehouse, "publish") as done:
        build_id = _build_id(warehouse)
        done.note(build_id=build_id)
        with warehouse.open_work() as db:
            verdict = last_verdict(db, build_id)
        audit = f"'{warehouse.command('check')}'"
        if verdict is None:
            raise StepError(f"the build has not been audited; run {audit} first")
        if verdict.faults:
            more = f" (and {len(verdict.faults) - 1} more)" if len(verdict.faults) > 1 else ""
            raise StepError(
                "the build is not published: a fault of perfhouse, please report it: "
                f"{verdict.faults[0].rstrip('.')}{more}; see {audit}"
            )
        warehouse.publish()
        done.note(published_bytes=warehouse.file.stat().st_size, **lake_size(warehouse.lake))
    notices.works_again(warehouse)


def is_current(warehouse: Warehouse) -> bool:
    """Return whether readers see a build of exactly the present loads by the present code."""
    with warehouse.connect() as db:
        return holds_build_of(db, warehouse.loads())


def _build_id(warehouse: Warehouse) -> str:
    if not warehouse.work.exists():
        raise nothing_built(warehouse)
    with warehouse.open_work() as db:
        found = build_id(db)
    if found is None:
        build = warehouse.command("build")
        raise StepError(f"the last build did not finish; run '{build}' again")
    return found
