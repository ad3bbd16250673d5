"""Loads files: one after the other, or large amounts in several processes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from polars.exceptions import PanicException

from ingest.base.errors import PerfhouseError
from ingest.base.files import name_of, refusal_of
from ingest.base.workers import Workers, cores
from ingest.formats.archives import open_file
from ingest.formats.parsers import is_divisible
from ingest.formats.sources import is_compressed, origin_of
from ingest.formats.text.lines import sample
from ingest.lake.alone import StepError
from ingest.lake.log import add
from ingest.lake.log_lines import write_line
from ingest.lake.store import Store
from ingest.lake.warehouse import Warehouse
from ingest.load import FULL, SMALL, load_batch, load_file
from ingest.writer import Load

__all__ = ["How", "cannot_write", "count_file", "failed_load", "load_files", "load_one"]

_MB = 1 << 20
_WORTH = 96 * _MB  # for each process; starting more takes longer than it saves
_LARGE = 128 * _MB  # all processes decode the records of such a file
_EACH = _MB // 4  # what any file costs: as much as this many bytes of SMF
_TOGETHER = 256  # files in a batch
_BATCH = 16 * _MB  # of small files in a batch
_MUCH = 256 * _MB  # of others; each process gets two batches if that is less
_TEXT = 30  # times as long as SMF takes a text of the same size
_MADE = {"loaded", "partly", "quarantined"}  # statuses of files that are in the ledger
_HEAD = 4096  # bytes by which files that may grow out of each other are known

Read = Callable[[Path, int], None]  # called with a file, and how many bytes were just read of it

log = logging.getLogger(__name__)


class How(NamedTuple):
    """How files are loaded; see ingest.load. Without an origin, the nearest file ORIGIN decides.

    about: what was known of a file of results when it was loaded before.
    """

    origin: str | None = None
    code_page: str = "037"
    ams_type: int = 180
    about: str = ""
    unless_forgotten: bool = False


def load_files(
    warehouse: Warehouse, files: Mapping[Path, int], how: How, read: Read, jobs: int | None = None
) -> Iterator[Load]:
    """Load files with these sizes in bytes, and yield each load as it ends.

    jobs: processes, by default one for each processor; small files are loaded by this one alone.
    Raises StepError if the warehouse cannot be written.
    """
    jobs = min(
        jobs or cores(), max(1, (sum(files.values()) + _EACH * len(files)) * _TEXT // _WORTH)
    )
    heads = {file: _head(file) for file in files if jobs > 1 or len(files) > 1}
    work = {
        file: size * (_TEXT if sample(heads.get(file, b"")) else 1) + _EACH
        for file, size in files.items()
    }
    jobs = min(jobs, max(1, sum(work.values()) // _WORTH))
    batches = _batches(files, heads, warehouse.store, jobs)
    batched = {file for batch in batches for file in batch}
    if jobs == 1:
        for batch in batches:
            yield from _load_batch(warehouse.file, how, batch, lambda arguments: read(*arguments))
        for file in files:
            if file not in batched:
                yield load_one(warehouse, file, how, read)
        return
    with Workers(jobs - 1) as others:
        small, large = [], []
        for group in _groups({file: heads[file] for file in files if file not in batched}):
            if any(work[file] >= _LARGE and is_divisible(heads[file]) for file in group):
                large += group
            else:
                small.append(group)
        for file in large:
            yield load_one(warehouse, file, how, read, others)
        for load_some, items in ((_load_batch, batches), (_load_group, small)):
            for loads in others.each(
                partial(load_some, warehouse.file, how),
                items,
                progress=lambda arguments: read(*arguments),
                lost=lambda group, error: [failed_load(file, str(error)) for file in group],
            ):
                yield from loads


def load_one(
    warehouse: Warehouse,
    file: Path,
    how: How,
    read: Read | None = None,
    workers: Workers | None = None,
) -> Load:
    """Load one file. A fault of the file, or of perfhouse, is in the result.

    `read` is called when it begins, too. Raises StepError if the warehouse cannot be written.
    """
    if read:
        read(file, 0)
    try:
        return load_file(
            warehouse,
            file,
            how.origin or origin_of(file) or "measured",
            code_page=how.code_page,
            ams_type=how.ams_type,
            about=how.about,
            progress=(lambda count: read(file, count)) if read else None,
            unless_forgotten=how.unless_forgotten,
            workers=workers,
        )
    except OSError as error:
        at_fault = Path(error.filename or file)
        if error.errno in FULL or at_fault.is_relative_to(warehouse.lake):
            raise cannot_write(warehouse, error) from error
        return failed_load(file, error.strerror or str(error))
    except PerfhouseError as error:
        return failed_load(file, str(error))
    except Exception as error:
        log.exception("%s", name_of(file))
        return failed_load(file, f"a fault of perfhouse: {type(error).__name__}: {error}")


def count_file(warehouse: Warehouse, load: Load) -> None:
    """Count a file in the current step, and log it unless its content was there before."""
    is_new, has_failed = load.status in _MADE, load.status == "failed"
    add(files=1, failures=int(has_failed), loads=int(is_new))
    if is_new:
        add(
            bytes=load.bytes, records=load.records, rows=load.rows,
            records_quarantined=load.quarantined,
        )  # fmt: skip
    if is_new or has_failed:
        write_line(
            warehouse.lake,
            {
                "event": "file",
                "level": "error" if has_failed else "info",
                "file": name_of(load.path),
                "status": load.status,
                "source_id": load.source_id or None,
                "message": load.reasons[0] if load.reasons else None,
            },
        )


def failed_load(file: Path, reason: str) -> Load:
    """Return the result of a file that could not be read."""
    return Load("", file, "failed", reasons=[reason])


def cannot_write(warehouse: Warehouse, error: OSError) -> StepError:
    """Return the error of a warehouse that cannot be written."""
    return StepError(f"{name_of(warehouse.file)}: {refusal_of(error)}")


def _head(file: Path) -> bytes:
    """Return the first bytes of a file; none if it cannot be read, which loading will report."""
    try:
        with closing(open_file(file)) as content:
            return content.read(_HEAD) or b""
    except OSError:
        return b""


def _groups(heads: Mapping[Path, bytes]) -> list[list[Path]]:
    """Group files that may be the same file at different times, to be loaded in order.

    A file that has grown is loaded again, and replaces its earlier state; see ingest.partial.
    """
    groups: dict[object, list[Path]] = {}
    for file, head in heads.items():
        groups.setdefault(head or file, []).append(file)
    return list(groups.values())


def _batches(
    files: Mapping[Path, int], heads: Mapping[Path, bytes], store: Store, jobs: int
) -> list[list[Path]]:
    """Return the files that are loaded together, in the order in which they came.

    Compressed ones may be damaged, and then be a part of another.
    """
    plain = [file for file, head in heads.items() if head and not is_compressed(head)]
    small = [file for file in plain if files[file] <= SMALL]
    batches = []
    if len(small) >= store.batch_from:
        batches += _divide(small, files, _BATCH)
    if store.batches_all:
        large = [file for file in plain if files[file] > SMALL]
        share = sum(files[file] for file in large) // (2 * jobs if jobs > 1 else 1)
        batches += _divide(large, files, max(_BATCH, min(share, _MUCH)))
    return [batch for batch in batches if len(batch) > 1]


def _divide(files: Sequence[Path], sizes: Mapping[Path, int], most: int) -> list[list[Path]]:
    """Divide files into batches of up to `most` bytes, or of one file."""
    batches: list[list[Path]] = []
    room = 0
    for file in files:
        if not batches or sizes[file] > room or len(batches[-1]) == _TOGETHER:
            batches.append([])
            room = most
        batches[-1].append(file)
        room -= sizes[file]
    return batches


def _load_batch(
    warehouse: Path,
    how: How,
    files: Sequence[Path],
    progress: Callable[[tuple[Path, int]], None],
) -> list[Load]:
    """Load files in one step, and alone those for which that cannot be done."""
    target = Warehouse(warehouse)
    loads: list[Load] = []
    progress((files[0], 0))
    try:
        loads = load_batch(
            target,
            {file: how.origin or origin_of(file) or "measured" for file in files},
            code_page=how.code_page,
            ams_type=how.ams_type,
            about=how.about,
            progress=lambda *read: progress(read),
            unless_forgotten=how.unless_forgotten,
        )
    except (Exception, PanicException):  # each file says it, or is not to blame
        log.debug("a batch of %s", name_of(files[0]), exc_info=True)
    done = {load.path for load in loads}
    single = [file for file in files if file not in done]
    return [*loads, *(load_one(target, file, how) for file in single)]


def _load_group(
    warehouse: Path,
    how: How,
    files: Sequence[Path],
    progress: Callable[[tuple[Path, int]], None],
) -> list[Load]:
    """Load files one after the other, perhaps in another process."""
    return [
        load_one(Warehouse(warehouse), file, how, lambda *read: progress(read)) for file in files
    ]
