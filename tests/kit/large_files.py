"""Files that several processes load at once, each in several parts."""

from __future__ import annotations

from pathlib import Path

import pytest

import ingest.formats.rmf.reports
import ingest.load
from app.pipeline import steps
from ingest import loading
from ingest.lake.warehouse import Warehouse
from ingest.writer import Load
from tests.kit.framings import framed, longest_plain, read_records
from tests.kit.rmf_excerpts import EXCERPTS, text

MB = 1 << 20
#: What is compared of a load.
OF_A_LOAD = {"source_id", "status", "records", "quarantined", "rows", "counts", "reasons"}


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small files be worth several processes, and be decoded in several parts."""
    monkeypatch.setattr(loading, "_WORTH", 2)
    monkeypatch.setattr(loading, "_LARGE", 4 * MB)
    monkeypatch.setattr(ingest.load, "CHUNK", MB)
    monkeypatch.setattr(ingest.formats.rmf.reports, "_PART", 500)


@pytest.fixture(scope="module")
def large_files(tmp_path_factory: pytest.TempPathFactory, dumps: list[Path]) -> Path:
    """Large files (one with spanned records and damage), small ones, one of them longer."""
    place = tmp_path_factory.mktemp("files")
    plain = longest_plain(dumps)
    records = read_records(plain)
    large = bytearray(framed(records * (5 * MB // len(plain) + 1), 700))
    del large[3 * MB : 3 * MB + 5]
    (place / "large.smf").write_bytes(large)
    (place / "also large.smf").write_bytes(framed(records[::-1] * (4 * MB // len(plain) + 1)))
    half = records[: len(records) // 2]
    (place / "grows.smf").write_bytes(framed(half))
    (place / "grows.smf.later").write_bytes(framed(records))
    for dump in dumps:
        (place / dump.name).write_bytes(dump.read_bytes())
    printed = "".join(text(name) for name in EXCERPTS if name.endswith(".txt"))
    (place / "large.rmf").write_text(printed * (5 * MB // loading._TEXT // len(printed) + 1))
    (place / "notes.txt").write_text("nothing that is known\n")
    return place


def loaded(
    place: Path, folder: Path, jobs: int, progress: steps.Progress | None = None
) -> tuple[Warehouse, list[Load]]:
    """Load the files with so many processes."""
    warehouse = Warehouse(place / f"{jobs}" / "w.duckdb")
    return warehouse, steps.ingest_paths(warehouse, [folder], jobs=jobs, progress=progress)
