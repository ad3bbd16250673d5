"""Several processes load what one would, and a fault costs only the file that it is in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import ingest.formats.rmf.reports
import ingest.load
from app.cli.main import main
from app.pipeline import steps
from ingest import loading
from ingest.lake.warehouse import Warehouse
from ingest.load import Load
from tests.kit.framings import framed, longest_plain, read_records
from tests.kit.lakes import differences, read_tables
from tests.kit.rmf_excerpts import EXCERPTS, text

MB = 1 << 20
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


def test_several_processes_load_what_one_does(folder: Path, tmp_path: Path) -> None:
    one, of_one = loaded(tmp_path, folder, 1)
    read = Counter[Path]()
    several, of_several = loaded(tmp_path, folder, 2, lambda file, n, _: read.update({file: n}))
    assert read == {file: file.stat().st_size for file in folder.iterdir()}
    of_large = {load.path.name: load for load in of_one if load.path.stem == "large"}
    assert of_large["large.smf"].status == "partly"
    assert of_large["large.rmf"].rows > 500
    assert [load.path for load in of_several] == [load.path for load in of_one]
    for a, b in zip(of_one, of_several, strict=True):
        assert {name: getattr(a, name) for name in OF_A_LOAD} == {
            name: getattr(b, name) for name in OF_A_LOAD
        }
        tables = (read_tables(w, a.source_id, without=set()) for w in (one, several))
        assert differences(*tables) == {}
    ledgers = [
        w.store.ledger().drop("loaded_at").sort("source_id").collect() for w in (one, several)
    ]
    assert ledgers[0].equals(ledgers[1])
    assert list(several.staging.iterdir()) == []


def test_files_that_begin_alike_are_loaded_in_their_order(folder: Path) -> None:
    groups = loading._groups({file: loading._head(file) for file in sorted(folder.iterdir())})
    names = [[file.name for file in group] for group in groups]
    assert ["grows.smf", "grows.smf.later"] in [
        [name for name in group if name.startswith("grows")] for group in names
    ]


@pytest.mark.parametrize("jobs", ["0", "-1", "two"])
def test_a_number_of_processes_that_cannot_be_is_refused(
    jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ingest", "x.smf", "--jobs", jobs]) == 2
    assert "--jobs" in capsys.readouterr().err
