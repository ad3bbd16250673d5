"""A process that is killed while it loads costs only the files that it is busy with."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

import ingest.formats.rmf.reports
import ingest.load
from app.pipeline import steps
from ingest import loading
from ingest.base.workers import Workers
from ingest.lake.warehouse import Warehouse
from ingest.load import Load
from ingest.parts import write_part
from tests.kit.framings import framed, longest_plain, read_records
from tests.kit.rmf_excerpts import EXCERPTS, text

MB = 1 << 20

LOST = "a process that decodes ended with status -9"

OF_A_LOAD = {"source_id", "status", "records", "quarantined", "rows", "counts", "reasons"}


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small files be worth several processes, and be decoded in several parts."""
    monkeypatch.setattr(loading, "_WORTH", 2)
    monkeypatch.setattr(loading, "_LARGE", 4 * MB)
    monkeypatch.setattr(ingest.load, "CHUNK", MB)
    monkeypatch.setattr(ingest.formats.rmf.reports, "_PART", 500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, dumps: list[Path]) -> Path:
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
    warehouse = Warehouse(place / f"{jobs}" / "w.duckdb")
    return warehouse, steps.ingest_paths(warehouse, [folder], jobs=jobs, progress=progress)


def test_a_killed_worker_costs_its_file_until_the_next_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = Workers.submit
    with monkeypatch.context() as patch:
        patch.setattr(
            Workers,
            "submit",
            lambda self, function, *args, **kwargs: (
                submit(self, signal.raise_signal, signal.SIGKILL)
                if getattr(function, "func", None) is write_part
                else submit(self, function, *args, **kwargs)
            ),
        )
        warehouse, loads = loaded(tmp_path, folder, 2)
    failed = [load for load in loads if load.status == "failed"]
    assert [load.path.name for load in failed] == ["also large.smf", "large.smf"]
    assert {*failed[0].reasons, *failed[1].reasons} == {LOST}
    again = {load.path.name: load.status for load in steps.ingest_paths(warehouse, [folder])}
    assert [again.pop("also large.smf"), again.pop("large.smf")] == ["loaded", "partly"]
    assert set(again.values()) == {"duplicate"}


def test_a_killed_worker_costs_the_small_files_that_it_loads(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit, lost = Workers.submit, list[Path]()

    def kill_first(self: Workers, function: object, files: list[Path], **how: object) -> object:
        if lost or getattr(function, "func", None) is not loading._load_group:
            return submit(self, function, files, **how)
        lost.extend(files)
        return submit(self, signal.raise_signal, signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(Workers, "submit", kill_first)
        warehouse, loads = loaded(tmp_path, folder, 2)
    failed = [load for load in loads if load.status == "failed"]
    assert [load.path for load in failed] == lost
    assert {load.reasons[0] for load in failed} == {LOST}
    assert len(warehouse.loads()) == len(loads) - len(lost)
