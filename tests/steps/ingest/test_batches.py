"""Small files that are loaded together: the rows are those of files loaded alone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ingest.load
from ingest import loading
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from ingest.loading import How, load_files
from ingest.writer import Load
from tests.kit import framings, lakes
from tests.kit.rmf_excerpts import EXCERPTS, text

COUNT = 7  # files of the same dump
ALIKE = ("status", "kind", "framing", "records", "quarantined", "rows", "counts", "reasons")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, dumps: list[Path]) -> dict[Path, int]:
    """Parts of a dump, whole and damaged, twice, compressed and cut; a text; nothing known."""
    folder = tmp_path_factory.mktemp("small")
    records = framings.read_records(framings.longest_plain(dumps))
    each = len(records) // COUNT
    parts = [framings.framed(records[i * each : (i + 1) * each]) for i in range(COUNT)]
    for number, part in enumerate(parts):
        (folder / f"{number}.smf").write_bytes(part)
    (folder / "damaged.smf").write_bytes(parts[0][:900] + parts[0][905:])
    (folder / "same.smf").write_bytes(parts[1])
    (folder / "blocked.smf").write_bytes(framings.blocked(records[:each], 4096))
    (folder / "cut.smf.gz").write_bytes(gzip.compress(parts[2])[:-50])
    (folder / "report.txt").write_text(text(next(one for one in EXCERPTS if one.endswith(".txt"))))
    (folder / "notes.txt").write_text("nothing that is known\n")
    (folder / "empty.smf").touch()
    return {file: file.stat().st_size for file in sorted(folder.iterdir())}


def loaded(place: Path, files: dict[Path, int], least: int) -> tuple[Warehouse, dict[str, Load]]:
    warehouse = Warehouse(place / "w.duckdb")
    warehouse.create()
    warehouse.store.batch_from = least
    loads = load_files(warehouse, files, How(), lambda *_: None, 1)
    return warehouse, {load.path.name: load for load in loads}


def rows_of(warehouse: Warehouse) -> dict[str, list[tuple[object, ...]]]:
    with warehouse.connect() as db:
        return {
            table: db.execute(f"SELECT * {without} FROM raw.{table} ORDER BY ALL").fetchall()
            for table in lakes.tables_with_rows(warehouse)
            for without in ["EXCLUDE (loaded_at)" if table == "ledger" else ""]
        }


def test_a_batch_has_the_rows_of_files_loaded_alone(files: dict[Path, int], tmp_path: Path) -> None:
    alone, of_alone = loaded(tmp_path / "alone", files, len(files) + 1)
    together, of_batch = loaded(tmp_path / "together", files, 2)
    assert {name: [getattr(load, one) for one in ALIKE] for name, load in of_batch.items()} == {
        name: [getattr(load, one) for one in ALIKE] for name, load in of_alone.items()
    }
    assert of_batch["same.smf"].status == "duplicate"
    assert of_batch["damaged.smf"].status == "partly"
    assert rows_of(together) == rows_of(alone)
    folders = [one.name for one in together.raw.iterdir() if one.name != "_schema"]
    assert len(folders) == 3  # the batch, and alone: what is cut or empty
    again = load_files(together, files, How(), lambda *_: None, 1)
    assert {load.status for load in again} == {"duplicate"}
    assert together.forget(of_batch["3.smf"].source_id)
    assert alone.forget(of_batch["3.smf"].source_id)
    assert rows_of(together) == rows_of(alone)


def test_a_file_that_another_process_loads_meanwhile_is_not_loaded_twice(
    files: dict[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = ingest.load._Batch.finish

    def slow(batch: ingest.load._Batch) -> list[Load]:
        load_file(Warehouse(tmp_path / "w.duckdb"), next(iter(files)))
        return finish(batch)

    monkeypatch.setattr(ingest.load._Batch, "finish", slow)
    warehouse, loads = loaded(tmp_path, files, 2)
    assert loads["0.smf"].status == "duplicate"
    assert len(warehouse.loads()) == len(files) - 1


@pytest.mark.parametrize("fault", ["_load_text", "decode_files"])
def test_a_fault_of_perfhouse_leaves_the_files_to_be_loaded_alone(
    fault: str, files: dict[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(ingest.load, fault, fail)
    warehouse, loads = loaded(tmp_path, files, 2)
    assert len(warehouse.loads()) == len(files) - 1
    is_of_text = fault == "_load_text"
    assert ("ZeroDivisionError" in str(loads["report.txt"].reasons)) is is_of_text
    assert loads["0.smf"].status == "loaded"


def test_a_file_that_cannot_be_read_costs_no_other(files: dict[Path, int], tmp_path: Path) -> None:
    gone = tmp_path / "gone.smf"
    gone.symlink_to(tmp_path / "nowhere")
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    here = [file for file in files if file.name in ("0.smf", "1.smf")]
    loads = loading._load_batch(warehouse.file, How(), [gone, *here], lambda _: None)
    assert {load.path.name: load.status for load in loads} == {
        "gone.smf": "failed", "0.smf": "loaded", "1.smf": "loaded"
    }  # fmt: skip
