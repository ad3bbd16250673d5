"""Files that have zeros in a row, or nothing else on and on."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import zstandard

import perfhouse
from app.cli.main import main
from app.pipeline.steps import ingest_paths
from ingest.base.errors import SourceError
from ingest.base.workers import Workers
from ingest.formats.sources import HEAD, open_source
from ingest.formats.zeros import Zeros
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from ingest.writer import Load
from tests.kit.cases import cases

MB = 1 << 20
GB = 1 << 30
LIMIT = 8 * MB


@pytest.fixture(autouse=True)
def few_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow an eighth of what is allowed by default."""
    monkeypatch.setenv("PERFHOUSE_LIMIT_ZEROS_MB", "8")


@pytest.fixture(scope="module")
def content(dumps: list[Path]) -> bytes:
    """Return a dump of some records, each behind its descriptor word."""
    return dumps[0].read_bytes()


def sparse(file: Path, *parts: bytes | int) -> Path:
    """Write parts one after the other; a number is that many zeros, which take no space."""
    with file.open("wb") as opened:
        for part in parts:
            if isinstance(part, int):
                opened.seek(part, os.SEEK_CUR)
            else:
                opened.write(part)
        opened.truncate(opened.tell())
    return file


def query(warehouse: Warehouse, sql: str) -> list[tuple[Any, ...]]:
    with warehouse.connect() as db:
        return db.execute(sql).fetchall()


def loaded(warehouse: Warehouse, file: Path, **how: Any) -> tuple[Load, int]:
    """Load a file; return how it fared, and how many bytes of it were read."""
    read: list[int] = []
    load = load_file(warehouse, file, progress=read.append, **how)
    return load, sum(read)


# --- counting


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("content", "allowed"),
    [
        (b"", 0),
        (b"\0\0\0\0", 4),
        (b"\0\0\0\0\0", 4),
        (b"a\0\0\0\0b", 6),
        (b"a\0\0\0\0\0b", 5),
        (b"\0\0\0\0a\0\0\0\0a\0\0\0\0", 14),
        (b"\0\0\0\0a\0\0\0\0a\0\0\0\0\0", 14),
        (b"abcabcabcabc", 12),
        (b"ab\0\0\0a\0\0\0\0\0\0\0\0\0a", 10),
    ],
)
def test_zeros_are_counted_however_they_are_read(content: bytes, size: int, allowed: int) -> None:
    """At most four in a row."""
    zeros, total = Zeros(4), 0
    for at in range(0, len(content), size):
        piece = memoryview(content)[at : at + size]
        count = zeros.allowed(piece)
        total += count
        if count < len(piece):
            break
    assert total == allowed


# --- files that go on with zeros


ENDLESS: dict[str, Callable[[Path, bytes], Path]] = {
    "nothing else": lambda file, _: sparse(file, 100 * GB),
    "behind records": lambda file, content: sparse(file, content, 100 * GB),
    "behind records and a gap": lambda file, content: sparse(file, content, MB, content, 100 * GB),
    "more records behind it": lambda file, content: sparse(file, content, 100 * GB, content),
    "behind half a record": lambda file, content: sparse(file, content[:-100], 100 * GB),
    "behind a text": lambda file, _: sparse(file, b"perfhouse_manifest = 1\n", 100 * GB),
    "on disk": lambda file, content: sparse(file, content, bytes(LIMIT + 10 * MB)),
}


@pytest.mark.parametrize(("suffix", "name"), [*zip(cycle([".smf", ".txt", ".gz", ""]), ENDLESS)])
def test_a_file_that_goes_on_with_zeros_is_read_no_further(
    name: str, suffix: str, warehouse: Warehouse, content: bytes, tmp_path: Path
) -> None:
    file = ENDLESS[name](tmp_path / f"file{suffix}", content)
    load, read = loaded(warehouse, file)
    good = 0 if name in {"nothing else", "behind a text"} else len(records(content))
    assert read <= 2 * (LIMIT + 16 * MB)  # it may be identified first
    assert load.status == ("partly" if good else "quarantined")
    assert any("nothing but zeros from offset" in reason for reason in load.reasons)
    assert any("8" in reason and "PERFHOUSE_LIMIT_ZEROS_MB" in reason for reason in load.reasons)
    found = query(warehouse, "SELECT count(*) FROM raw.smf_record")[0][0]
    assert found >= good - 1 if name == "behind half a record" else found in (good, 2 * good)
    again, _ = loaded(warehouse, file)
    assert again.status == "duplicate"


def records(content: bytes) -> list[int]:
    """Return where the records of a dump with descriptor words begin."""
    found, at = [], 0
    while at < len(content):
        found.append(at)
        at += int.from_bytes(content[at : at + 2])
    return found


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_zeros_that_are_compressed_are_read_no_further(
    pack: Callable[[bytes], bytes],
    warehouse: Warehouse,
    content: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PERFHOUSE_LIMIT_RATIO", "1000000")
    file = tmp_path / "file"
    file.write_bytes(pack(content) + 3 * pack(bytes(16 * MB)))
    load, _ = loaded(warehouse, file)
    assert (load.status, load.bytes) == ("partly", len(content) + LIMIT)
    plain, _ = loaded(warehouse, sparse(tmp_path / "plain", content, 100 * GB))
    assert plain.status == "duplicate"  # as much of it is read


def test_several_processes_read_no_further(
    warehouse: Warehouse, content: bytes, tmp_path: Path
) -> None:
    times = 20 * MB // len(content)
    file = sparse(tmp_path / "file", content * times, 100 * GB)
    with Workers(1) as workers:
        load, read = loaded(warehouse, file, workers=workers)
    assert load.status == "partly"
    assert load.records == times * len(records(content))
    assert read <= 20 * MB + LIMIT + 16 * MB


def test_many_files_are_read_no_further(
    warehouse: Warehouse, content: bytes, tmp_path: Path
) -> None:
    files = [sparse(tmp_path / f"{i}.smf", content, i, b"x", 100 * GB) for i in range(3)]
    read: list[int] = []
    loads = ingest_paths(
        warehouse, files, jobs=2, progress=lambda file, count, total: read.append(count)
    )
    assert [load.status for load in loads] == ["partly"] * 3
    assert sum(read) <= 3 * 2 * (LIMIT + 16 * MB)


def test_a_higher_limit_loads_what_follows(
    warehouse: Warehouse, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = sparse(tmp_path / "file", content, 100 * MB, content)
    before, _ = loaded(warehouse, file)
    monkeypatch.setenv("PERFHOUSE_LIMIT_ZEROS_MB", "200")
    after, _ = loaded(warehouse, file)
    assert after.records == 2 * before.records
    assert not any("nothing but zeros" in reason for reason in after.reasons)


def test_decode_reads_no_further(content: bytes, tmp_path: Path) -> None:
    found = perfhouse.decode(sparse(tmp_path / "file", content, 100 * GB))
    assert found["smf_record"].height == len(records(content))
    assert "nothing but zeros" in found["quarantine"]["reason"][-1]
    with pytest.raises(SourceError, match="not an SMF dump"):
        perfhouse.decode(sparse(tmp_path / "zeros", 100 * GB))


# --- records behind zeros


@cases
def test_records_behind_zeros_are_found(
    gap: int, place: str, warehouse: Warehouse, content: bytes, tmp_path: Path
) -> None:
    # The length of the first record begins with a zero, too.
    parts = (gap, content) if place == "first" else (content, gap, content)
    load, _ = loaded(warehouse, sparse(tmp_path / "file", *parts))
    times = 1 if place == "first" else 2
    assert query(warehouse, "SELECT count(*) FROM raw.smf_record") == [
        (times * len(records(content)),)
    ]
    assert load.status == "partly"
    assert not any("nothing but zeros" in reason for reason in load.reasons)


def test_a_dump_in_memory_may_begin_with_zeros(content: bytes) -> None:
    found = perfhouse.decode(bytes(HEAD + MB) + content)
    assert found["smf_record"].height == len(records(content))


def test_zeros_at_the_end_are_not_too_many_if_nothing_follows(
    warehouse: Warehouse, content: bytes, tmp_path: Path
) -> None:
    load, _ = loaded(warehouse, sparse(tmp_path / "file", content, LIMIT))
    assert load.bytes == len(content) + LIMIT
    assert not any("nothing but zeros" in reason for reason in load.reasons)


@pytest.mark.parametrize("size", [3 * HEAD, LIMIT + 3 * HEAD])
def test_what_was_identified_can_be_read_again(size: int, tmp_path: Path) -> None:
    with open_source(sparse(tmp_path / "file", b"x", size)) as source:
        known = source.identity()
        source.rewind()
        assert len(source.read()) == known.size == 1 + min(size, LIMIT)
        assert source.identity() == known


# --- what is no file


def test_what_is_no_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dumps: list[Path]
) -> None:
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "up").symlink_to(folder)
    (folder / "itself").symlink_to("itself")
    (folder / "zero").symlink_to("/dev/zero")
    os.mkfifo(folder / "fifo")
    (folder / "good.smf").write_bytes(dumps[0].read_bytes())
    given = [folder, "/dev/zero", "/dev/null", folder / "fifo", folder / "itself"]
    assert main(["ingest", *map(str, given), "--warehouse", str(tmp_path / "w.duckdb")]) == 2
    said = capsys.readouterr()
    assert "1 loaded" in said.out
    for line in (
        "/dev/zero: not a regular file",
        "/dev/null: not a regular file",
        f"{folder}/fifo: not a regular file",
        f"{folder}/itself: Too many levels of symbolic links",
        f"{folder}/zero: a link that leads out of {folder}",
    ):
        assert line in said.err
