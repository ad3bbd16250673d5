"""The landing folder: which files count as arrived, and how they are loaded."""

import logging
import os
import shutil
import time
import zipfile
from pathlib import Path

import pytest

from app.pipeline import channels, landing
from app.pipeline.steps import forget_load, ingest_paths, prepare
from ingest.lake.warehouse import Warehouse
from ingest.writer import Load
from tests.kit.cases import cases


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    made = Warehouse(tmp_path / "perfhouse.duckdb")
    prepare(made)
    return made


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse without loads."""
    made = Warehouse(tmp_path_factory.mktemp("empty") / "perfhouse.duckdb")
    prepare(made)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "landing"
    made.mkdir()
    return made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a webhook is told."""
    messages: list[str] = []
    monkeypatch.setenv("PERFHOUSE_NOTIFY", "http://127.0.0.1:9/")
    monkeypatch.setattr(channels, "post", lambda _, body, __: messages.extend(body["faults"]) or "")
    return messages


def ingest_arrivals(warehouse: Warehouse, folder: Path) -> list[Load]:
    arrived = landing.arrivals(warehouse, folder, settled=0)
    return landing.ingest_files(warehouse, folder, arrived)


def ledger(warehouse: Warehouse) -> list[tuple[str, str, str]]:
    with warehouse.connect() as db:
        rows = db.execute("SELECT path, origin, status FROM raw.ledger ORDER BY path").fetchall()
    return [(Path(path).name, origin, status) for path, origin, status in rows]


@cases
def test_unfinished_and_hidden_files_have_not_arrived(
    empty: Warehouse, folder: Path, name: str, arrived: bool
) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"content")
    assert landing.arrivals(empty, folder, settled=0) == [path] * arrived


def test_a_file_must_settle_even_if_its_content_is_old(
    empty: Warehouse, folder: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"content")
    os.utime(old, (0, 0))
    shutil.copy2(old, folder)
    assert not landing.arrivals(empty, folder, settled=60)
    assert landing.arrivals(empty, folder, settled=0)


def test_a_missing_folder_has_no_arrivals(empty: Warehouse, folder: Path) -> None:
    assert landing.arrivals(empty, folder / "none", settled=0) == []


def test_arrivals_are_loaded_once_with_their_origin(
    warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    shutil.copy(dumps[0], folder / "a.smf")
    (folder / "simulated").mkdir()
    shutil.copy(dumps[1], folder / "simulated/b.smf")
    ingest_arrivals(warehouse, folder)
    assert ledger(warehouse) == [("a.smf", "measured", "loaded"), ("b.smf", "simulated", "loaded")]
    assert landing.arrivals(warehouse, folder, settled=0) == []


def test_members_of_an_archive_are_loaded_like_files_and_the_archive_is_read_once(
    warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    with zipfile.ZipFile(folder / "night.zip", "w") as archive:
        archive.write(dumps[0], "a.smf")
        archive.write(dumps[1], "b.smf")
        archive.writestr("../c.smf", "")
    ingest_arrivals(warehouse, folder)
    assert ledger(warehouse) == [("a.smf", "measured", "loaded"), ("b.smf", "measured", "loaded")]
    assert landing.arrivals(warehouse, folder, settled=0) == []
    shutil.copy(dumps[0], folder / "copy.smf")
    assert [load.status for load in ingest_arrivals(warehouse, folder)] == ["duplicate"]


def test_a_copy_is_not_loaded_but_a_changed_file_is(
    warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    shutil.copy(dumps[0], folder / "a.smf")
    ingest_arrivals(warehouse, folder)
    shutil.copy(dumps[0], folder / "copy.smf")
    ingest_arrivals(warehouse, folder)
    assert [name for name, *_ in ledger(warehouse)] == ["a.smf"]
    shutil.copy(dumps[1], folder / "a.smf")
    ingest_arrivals(warehouse, folder)
    assert [name for name, *_ in ledger(warehouse)] == ["a.smf", "a.smf"]


def test_a_replaced_file_is_read_whatever_its_times(
    warehouse: Warehouse, folder: Path, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(dumps[0], folder / "a.smf")
    day_ahead = time.time() + 86_400
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: day_ahead)
        ingest_arrivals(warehouse, folder)
    shutil.copy(dumps[1], folder / "a.smf")
    os.utime(folder / "a.smf", (0, 0))
    ingest_arrivals(warehouse, folder)
    assert [name for name, *_ in ledger(warehouse)] == ["a.smf", "a.smf"]


def test_a_copy_is_read_once(warehouse: Warehouse, folder: Path, dumps: list[Path]) -> None:
    for name in ("a.smf", "copy.smf"):
        shutil.copy(dumps[0], folder / name)
    loads = ingest_arrivals(warehouse, folder)
    assert [load.status for load in loads] == ["loaded", "duplicate"]
    assert ingest_arrivals(warehouse, folder) == []


def test_a_forgotten_file_is_loaded_again_by_name_only(
    warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    file = folder / "a.smf"
    shutil.copy(dumps[0], file)
    (load,) = ingest_arrivals(warehouse, folder)
    forget_load(warehouse, load.source_id)
    assert ingest_arrivals(warehouse, folder) == []
    shutil.copy(dumps[0], folder / "copy.smf")
    (again,) = ingest_arrivals(warehouse, folder)
    assert again.status == "forgotten"
    assert ledger(warehouse) == []
    (named,) = ingest_paths(warehouse, [file])
    assert named.status == "loaded"
    assert [name for name, *_ in ledger(warehouse)] == ["a.smf"]


def test_damaged_notes_are_written_again(
    warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    shutil.copy(dumps[0], folder / "a.smf")
    for content in (b"", b"{", b"[1]", b"\xff"):
        (warehouse.lake / "landing.json").write_bytes(content)
        (load,) = ingest_arrivals(warehouse, folder)
        assert load.status in ("loaded", "duplicate")
        assert ingest_arrivals(warehouse, folder) == []


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    warehouse: Warehouse,
    folder: Path,
    dumps: list[Path],
    caplog: pytest.LogCaptureFixture,
    told: list[str],
) -> None:
    os.mkfifo(folder / "a.smf")
    (folder / "b.smf").symlink_to(dumps[1])
    name = os.fsdecode(b"bad\xff\xfe.smf")
    shutil.copy(dumps[0], folder / name)
    with caplog.at_level(logging.ERROR):
        loads = ingest_arrivals(warehouse, folder)
    assert [(load.path.name, load.status) for load in loads] == [(name, "loaded")]
    assert ledger(warehouse) == [("bad\\xff\\xfe.smf", "measured", "loaded")]
    for words in ("a.smf: not a regular file", "b.smf: a link that leads out of"):
        assert words in caplog.text
    caplog.clear()
    assert ingest_arrivals(warehouse, folder) == []
    assert "a.smf: not a regular file" in caplog.text  # still there
    assert len(told) == 2  # each once


def test_a_file_whose_reading_fails_is_told_once(
    warehouse: Warehouse,
    folder: Path,
    dumps: list[Path],
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("a.smf", "gone.smf"):
        shutil.copy(dumps[0], folder / name)

    def fail(_: Warehouse, path: Path, *args: object, **kwargs: object) -> Load:
        (folder / "gone.smf").unlink(missing_ok=True)
        return Load("", path, "failed", reasons=["Input/output error"])

    with monkeypatch.context() as broken:
        broken.setattr("ingest.loading.load_one", fail)
        for _ in range(3):
            ingest_arrivals(warehouse, folder)
    assert told == [f"{folder}/a.smf: Input/output error"]
    assert [load.status for load in ingest_arrivals(warehouse, folder)] == ["loaded"]


def test_readers_are_behind_only_if_something_is_loaded(
    warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    assert not landing.is_behind(warehouse)
    shutil.copy(dumps[0], folder)
    ingest_arrivals(warehouse, folder)
    assert landing.is_behind(warehouse)


def test_the_first_file_makes_the_warehouse(
    tmp_path: Path, folder: Path, dumps: list[Path]
) -> None:
    new = Warehouse(tmp_path / "new/perfhouse.duckdb")
    assert not landing.is_behind(new)
    new = Warehouse(tmp_path / "newer/perfhouse.duckdb")
    shutil.copy(dumps[0], folder / "a.smf")
    (load,) = ingest_arrivals(new, folder)
    assert load.status == "loaded"
    assert landing.is_behind(new)
