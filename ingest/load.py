"""Load source files: each one whole or not at all, and never twice.

A load writes its Parquet files into a folder in staging/ and renames that folder to
raw/<source_id>. The rename is the commit: nothing is visible before it and everything after it, and
a second load of the same content finds the name taken. The files do not repeat the source_id.

Small files are loaded in batches: their records are decoded together, and one rename commits them
as a folder of many loads, such as a merge makes.
"""

from __future__ import annotations

import errno
import logging
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import accumulate, islice
from pathlib import Path

import polars as pl

from ingest.base.errors import SettingsError
from ingest.base.files import draft_folder, name_of
from ingest.base.workers import WorkerLostError, Workers
from ingest.days import text_days
from ingest.decoder import parser_version, unknown_version
from ingest.formats.about import about as about_file
from ingest.formats.about import from_json, to_json
from ingest.formats.archives import is_archive, on_disk
from ingest.formats.bench.manifest import is_form
from ingest.formats.binary.framing import (
    CHUNK,
    Framing,
    RecordBatch,
    detect_framing,
    read_batches,
)
from ingest.formats.limits import limit, setting
from ingest.formats.parsers import find_parser
from ingest.formats.sources import Source, open_source
from ingest.formats.text.lines import is_ebcdic
from ingest.formats.text.parser import Divisible, Parsed, Parser, ParserOfFile, Rejected
from ingest.given_again import describe_other_settings
from ingest.lake.catalogue import smf_catalogue
from ingest.lake.merged import MERGED_ROWS
from ingest.lake.parquet import write_parquet
from ingest.lake.seal import File, Files, seal
from ingest.lake.store import TOGETHER
from ingest.lake.warehouse import Warehouse
from ingest.partial import Partial, note_load, partial_loads, replacement_of
from ingest.parts import (
    Part,
    SetAside,
    SharedBuffers,
    decode_files,
    decode_part,
    write_part,
    write_tables,
)
from ingest.writer import KEPT_BYTES, HowToLoad, Load, Writer

__all__ = [
    "FULL",
    "SMALL",
    "decode_file",
    "is_forgotten",
    "load_batch",
    "load_file",
    "mark_forgotten",
]

Progress = Callable[[int], None]


#: Bytes of a file up to which it is decoded together with others.
SMALL = 1 << 20
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # of the lake, no fault of a file that is read
_LARGE = 16 * 1024 * 1024  # bytes; from this size on it pays to read a file only once
_BLOCK = 1 << 22  # bytes of a text that are read at once
_LONGEST_REASON = 1000  # characters
_BUFFERS = 12  # of 70 MB, for one file that several processes decode
_FORM = "a form of 'perfhouse init': complete campaign and [[run]] (docs/manifest.md), then load it"
_UNKNOWN = (
    "not recognised as any known input; give results of other tools as a table with a column start "
    "and figures whose names end in a unit, such as p95_ms (docs/your-results.md)"
)
_NESTED = "an archive in another, which is not read: unpack it first"
log = logging.getLogger(__name__)


def load_file(
    warehouse: Warehouse,
    path: Path,
    origin: str = "measured",
    *,
    code_page: str = "037",
    ams_type: int = 180,
    about: str = "",
    progress: Progress | None = None,
    unless_forgotten: bool = False,
    workers: Workers | None = None,
) -> Load:
    """Load one file into raw.* and the ledger.

    Raises OSError if the file cannot be read; no content raises anything. `progress` is called with
    the number of bytes that were read from disk.

    about: what is known of a file of results (see ingest.formats.about); by default what is said
    now. A duplicate has a reason if that is not what it was loaded with.

    unless_forgotten: do not load content that `mark_forgotten` names. Otherwise it is no longer
    forgotten. workers: decode the records of a large file. Raises WorkerLostError.

    A large file is read once and hashed while it is decoded, unless a file of its size was loaded
    before. Any other file is identified first.
    """
    partial = partial_loads(warehouse)
    with open_source(path, progress, {note.size for note in partial.values()}) as source:
        if source.stored_bytes < _LARGE or warehouse.holds_file_of(source.stored_bytes):
            if skipped := _skip(warehouse, source, unless_forgotten, partial):
                return skipped
            if is_form(source.head):
                return Load("", path, "form", bytes=source.identity().size, reasons=[_FORM])
            source.rewind()
        with draft_folder(warehouse.staging, "load") as folder:
            load = _decode(source, folder, origin, HowToLoad(code_page, ams_type, about, workers))
            reason = _reason_to_skip(warehouse, load.source_id, unless_forgotten, partial)
            if not reason:
                if load.records > 0:
                    note_load(warehouse, source.identity(), partial)
                reason = "" if warehouse.store.commit(folder, load.source_id) else "duplicate"
    if reason:
        return Load(load.source_id, path, reason, bytes=load.bytes)
    _forgotten(warehouse, load.source_id).unlink(missing_ok=True)
    return load


def load_batch(
    warehouse: Warehouse,
    files: Mapping[Path, str],
    *,
    code_page: str = "037",
    ams_type: int = 180,
    about: str = "",
    progress: Callable[[Path, int], None] | None = None,
    unless_forgotten: bool = False,
) -> list[Load]:
    """Load files in one step; return the loads of those that need not be loaded alone.

    files: with their origins. The rest is as for `load_file`. Left out are files that cannot be
    read, and those that are or replace a part of another file. If another process loaded one of
    the files meanwhile, nothing is loaded. Raises OSError, and what a fault of perfhouse raises.
    """
    how = HowToLoad(code_page, ams_type, about)
    parts = partial_loads(warehouse)
    sizes = {note.size for note in parts.values()}
    skipped: list[Load] = []
    with draft_folder(warehouse.staging, "load") as folder:
        batch = _Batch(how, folder)
        for path, origin in files.items():
            try:
                report = partial(progress, path) if progress else None
                with open_source(path, report, sizes) as source:
                    if (identity := source.identity()).fault or identity.digests:
                        continue
                    if is_form(source.head):
                        continue
                    if (known := identity.source_id) in batch.loads:
                        skipped.append(Load(known, path, "duplicate", bytes=identity.size))
                        continue
                    if load := _skip(warehouse, source, unless_forgotten, parts):
                        skipped.append(load)
                        continue
                    source.rewind()
                    batch.add(source, origin)
            except OSError as error:
                if error.errno in FULL:
                    raise
        if not batch.loads:
            return skipped
        loads = batch.finish()
        if not warehouse.store.commit_batch(folder, list(batch.loads)):
            return []
    for source_id in batch.loads:
        _forgotten(warehouse, source_id).unlink(missing_ok=True)
    return [*skipped, *loads]


class _Batch:
    """Files that are committed together, as folders in one. loads: by source_id.

    Small ones are decoded together, into one folder; others have one named by their source_id.
    """

    def __init__(self, how: HowToLoad, folder: Path) -> None:
        self._how, self._folder = how, folder
        self.loads: dict[str, Load] = {}
        self._writers: dict[str, Writer] = {}
        self._records: dict[str, RecordBatch] = {}

    def add(self, source: Source, origin: str) -> None:
        """Read a file, whose identity is known; decode it now unless it is small and of SMF."""
        source_id = source.identity().source_id
        if not source.whole or source.stored_bytes > SMALL:
            folder = self._folder / source_id
            folder.mkdir()
            self.loads[source_id] = _decode(source, folder, origin, self._how)
            return
        writer = Writer(source, origin)
        parser = find_parser(source.head)
        framing = None if parser else _framing(source, self._how.ams_type)
        if framing:
            catalogue = smf_catalogue(self._how.ams_type)
            (self._records[source_id],) = read_batches(source, framing, len(source.head), catalogue)
            load = Load("", source.path, "", "smf", framing.value)
        else:
            load = _load_content(source, writer, self._how)
        self.loads[source_id], self._writers[source_id] = load, writer

    def finish(self) -> list[Load]:
        """Write the tables of small files, with a source_id. Raises OSError."""
        frames: dict[str, list[pl.DataFrame]] = defaultdict(list)
        if self._records:
            names = list(self._records)
            parts, tables = decode_files(
                list(self._records.values()), self._how.code_page, self._how.ams_type
            )
            for source_id, part in zip(names, parts, strict=True):
                self._writers[source_id].add(part)
                self.loads[source_id].records = part.records
            for table, frame in tables.items():
                if frame.height:
                    for index, rows in frame["file"].value_counts().iter_rows():
                        self._writers[names[index]].rows += rows
                    source = pl.Series("source_id", names).gather(frame["file"])
                    frames[table].append(frame.drop("file").insert_column(0, source))
        for source_id, writer in self._writers.items():
            writer.finish(self.loads[source_id], writer.source.identity(), self._how)
            for table, frame in writer.kept:
                named = pl.lit(source_id).alias("source_id")
                frames[table].append(frame.select(named, pl.exclude("source_id")))
        if self._writers:
            together = self._folder / TOGETHER
            together.mkdir()
            files: dict[str, File] = {}
            for table, of_table in frames.items():
                whole = pl.concat(of_table, how="diagonal")
                files |= write_parquet(whole, together / f"{table}.0.parquet", rows=MERGED_ROWS)
            seal(together, files, [how for each in self._writers.values() for how in each.how])
        return list(self.loads.values())


def decode_file(
    path: Path, folder: Path, origin: str, *, code_page: str = "037", ams_type: int = 180,
    about: str = "",
) -> Load:  # fmt: skip
    """Write the tables of one file, the ledger's too, into a folder. Raises OSError."""
    with open_source(path) as source:
        return _decode(source, folder, origin, HowToLoad(code_page, ams_type, about))


def _decode(source: Source, folder: Path, origin: str, how: HowToLoad) -> Load:
    """Write the tables of an open file. Raises OSError, and nothing for any content."""
    writer = Writer(source, origin, folder)
    try:
        load = _load_content(source, writer, how)
    except (OSError, WorkerLostError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        log.debug("%s", name_of(source.path), exc_info=True)
        for file in folder.iterdir():
            file.unlink()
        writer = Writer(source, origin, folder)
        load = _load_nothing(source, writer, f"a fault of perfhouse: {_describe(error)}")
    writer.finish(load, source.identity(), how)
    return load


def mark_forgotten(warehouse: Warehouse, source_id: str) -> None:
    """Note that the landing folder must not load this content again."""
    mark = _forgotten(warehouse, source_id)
    mark.parent.mkdir(exist_ok=True)
    mark.touch()


def is_forgotten(warehouse: Warehouse, source_id: str) -> bool:
    """Return whether the load of this content was undone."""
    return _forgotten(warehouse, source_id).exists()


def _forgotten(warehouse: Warehouse, source_id: str) -> Path:
    return warehouse.lake / "forgotten" / source_id


def _skip(
    warehouse: Warehouse, source: Source, unless_forgotten: bool, partial: Mapping[str, Partial]
) -> Load | None:
    """Return the load of a file that is not loaded, or None."""
    identity = source.identity()
    reason = _reason_to_skip(warehouse, identity.source_id, unless_forgotten, partial)
    is_known = reason == "duplicate"
    lines = describe_other_settings(warehouse, source, identity.source_id) if is_known else []
    if not reason or lines is None:
        return None
    return Load(identity.source_id, source.path, reason, bytes=identity.size, reasons=lines)


def _reason_to_skip(
    warehouse: Warehouse, source_id: str, unless_forgotten: bool, partial: Mapping[str, Partial]
) -> str:
    """Return why this content is not loaded, or nothing."""
    if warehouse.store.holds(source_id) or replacement_of(warehouse, source_id, partial):
        return "duplicate"
    if warehouse.store.is_removed(source_id):
        return "removed"
    return "forgotten" * (unless_forgotten and is_forgotten(warehouse, source_id))


def _load_content(source: Source, writer: Writer, how: HowToLoad) -> Load:
    """Write the tables of a file of any kind."""
    parser = find_parser(source.head)
    framing = None if parser else _framing(source, how.ams_type)
    if parser:
        return _load_text(source, writer, *parser, how)
    if framing:
        return _load_smf(source, writer, framing, how)
    if not source.head:
        return _load_nothing(source, writer, source.identity().fault or "the file is empty")
    if is_archive(source.head) and (source.packing or on_disk(source.path) != source.path):
        return _load_nothing(source, writer, _NESTED)
    return _load_nothing(source, writer, _UNKNOWN, "unknown")


def _describe(error: BaseException) -> str:
    """Return an exception in one short line."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:200]}".rstrip(": ")


def _framing(source: Source, ams_type: int) -> Framing | None:
    return detect_framing(source.start, whole=source.start_is_all, records=smf_catalogue(ams_type))


def _load_smf(source: Source, writer: Writer, framing: Framing, how: HowToLoad) -> Load:
    load = Load("", source.path, "", "smf", framing.value)
    # Only on Linux can other processes map memory without a name.
    together = how.workers is not None and not source.whole and sys.platform == "linux"
    written = _written_together if together else _write_parts
    # Closed whatever happens: nothing is written to the folder after this.
    assert writer.folder
    with closing(written(source, framing, writer.folder, how)) as parts:
        for part, files in parts:
            load.records += part.records
            writer.rows += sum(file.rows for file in files.values())
            writer.files |= files
            writer.add(part)
    return load


def _write_parts(
    source: Source, framing: Framing, folder: Path, how: HowToLoad
) -> Generator[tuple[Part, Files], None, None]:
    """Yield each batch as a part, and its files: one is written while the next is decoded."""
    # Zeroing a buffer for large files would take longer than most small files.
    chunk = len(source.head) if source.whole else CHUNK
    batches = read_batches(source, framing, chunk, smf_catalogue(how.ams_type))
    pending: tuple[Part, Future[Files]] | None = None
    with ThreadPoolExecutor(1) as pool:
        for number, batch in enumerate(batches):
            part, tables = decode_part(batch, how.code_page, how.ams_type)
            if pending:
                yield pending[0], pending[1].result()
            pending = part, pool.submit(write_tables, folder, number, tables)
        if pending:
            yield pending[0], pending[1].result()


def _written_together(
    source: Source, framing: Framing, folder: Path, how: HowToLoad
) -> Generator[tuple[Part, Files], None, None]:
    """Yield each batch as a part, and its files: several processes decode and write them."""
    assert how.workers
    write = partial(write_part, folder=folder, code_page=how.code_page, ams_type=how.ams_type)
    with SharedBuffers(min(2 * how.workers.count + 2, _BUFFERS)) as buffers:
        batches = read_batches(source, framing, CHUNK, smf_catalogue(how.ams_type), buffers.take)
        shared = map(buffers.share, batches)
        # Closed whatever happens: nothing is written to the folder after this.
        with closing(how.workers.each(write, shared, done=buffers.release)) as parts:
            yield from parts


def _load_text(source: Source, writer: Writer, parser: Parser, kind: str, how: HowToLoad) -> Load:
    load = Load("", source.path, "", kind, decoder=parser_version(parser))
    content, left_out = _text(source)
    if isinstance(parser, ParserOfFile) and left_out:
        left_out += ": no figure is of a part of a run; give the tool's summary, or raise the limit"
        parsed = Parsed(kind, {}, [])
    elif isinstance(parser, ParserOfFile):
        try:
            about = from_json(how.about) if how.about else about_file(source.path)
            load.about = to_json(about)
            parsed = parser.parse_file(content, about)
        except SettingsError as error:
            parsed = Parsed(kind, {}, [Rejected(1, str(error))])
    elif how.workers and isinstance(parser, Divisible):
        parsed = parser.parse_parts(content, how.workers.each)
    else:
        parsed = parser.parse(content)
    tables, unfit = _keep_fitting(parsed.tables)
    rejected = [*parsed.rejected, *unfit]
    writer.set_aside(_rejected_lines(content, rejected))
    if left_out:
        writer.set_aside([SetAside(0, len(content), None, None, left_out, b"")])
    load.records = sum(frame.height for frame in tables.values())
    load.runs = tables["bench_run"].height if "bench_run" in tables else 0
    writer.days.add(*text_days(tables))
    numbers = (frame["record_no"].to_numpy().max() for frame in tables.values() if frame.height)
    writer.last_record_no = max([writer.last_record_no, *numbers])
    for table, frame in tables.items():
        writer.write(table, 0, frame)
        writer.rows += frame.height
    return load


def _text(source: Source) -> tuple[bytes, str]:
    """Return as much of a text as may be read, and why the rest was not read, if there is any."""
    most, blocks, size = limit("text_mb") << 20, [], 0
    while size <= most and (block := source.read(_BLOCK)):
        blocks.append(block)
        size += len(block)
    content = b"".join(blocks)
    bound = ""
    if size > most:
        content, bound = content[: content.rfind(b"\n", 0, most) + 1 or most], "text_mb"
    ends = (b"\n", b"\r", b"\x0c", b"\x15", *([b"\x25"] if is_ebcdic(content) else []))
    count, end = max((content.count(end), end) for end in ends)
    if count > limit("lines"):
        line_ends = islice(re.finditer(re.escape(end), content), limit("lines") - 1, None)
        content, bound = content[: next(line_ends).end()], "lines"
    return content, bound and f"the text is too long ({setting(bound)}): the rest was not read"


def _rejected_lines(content: bytes, rejected: Sequence[Rejected]) -> Iterator[SetAside]:
    """Yield what to set aside: the line of each rejected part, or a note of it if it was given."""
    lines = content.splitlines(keepends=True) if rejected else []
    starts = [0, *accumulate(map(len, lines))]
    last = 0  # many parts may be on one long line, which is kept once
    for part in rejected:
        line = lines[part.line - 1] if part.line <= len(lines) else b""
        yield SetAside(
            part.line if part.record_no is None else part.record_no,
            starts[min(part.line, len(starts)) - 1],
            None,
            None,
            part.reason[:_LONGEST_REASON],
            line if part.line != last else b"",
        )
        last = part.line


def _keep_fitting(
    tables: dict[str, pl.DataFrame],
) -> tuple[dict[str, pl.DataFrame], list[Rejected]]:
    """Leave out records with a text that is too long, or that has a character that SQL cannot hold.

    A record is left out of all tables.
    """
    most = limit("value_length")
    reasons: dict[int, str] = {}
    for frame in tables.values():
        names = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        long = {name: pl.col(name).str.len_bytes() > most for name in names}
        nul = {name: pl.col(name).str.contains("\0", literal=True) for name in names}
        if not names:
            continue
        is_suspect = pl.any_horizontal(*long.values(), *nul.values()).any()
        for name in names if frame.select(is_suspect).item() else ():
            for is_unfit, why in (
                (
                    pl.col(name).str.len_chars() > most,
                    f"{name} is longer than {most} characters ({setting('value_length')})",
                ),
                (nul[name], f"{name} has a NUL"),
            ):
                unfit = frame.filter(is_unfit)["record_no"].unique().to_list()
                reasons |= {number: why for number in unfit if number not in reasons}
    if not reasons:
        return tables, []
    numbers = list(reasons)
    kept = {table: frame.filter(~pl.col("record_no").is_in(numbers)) for table, frame in
            tables.items()}  # fmt: skip
    return kept, [Rejected(1, why, number) for number, why in sorted(reasons.items())]


def _load_nothing(source: Source, writer: Writer, reason: str, kind: str = "unreadable") -> Load:
    """Set a whole file aside."""
    writer.set_aside([SetAside(1, 0, None, None, reason, source.head[:KEPT_BYTES])])
    return Load("", source.path, "", kind, decoder=unknown_version())
