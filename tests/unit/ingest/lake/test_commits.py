"""A load is in the lake as its writer left it, or it is missed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.pipeline import steps
from app.pipeline.backup import back_up
from ingest.base import waiting
from ingest.base.errors import WarehouseError
from ingest.base.files import sweep
from ingest.lake.commits import (
    Commit,
    commits,
    expected_loads,
    note_commit,
    note_failure,
    note_removal,
)
from ingest.lake.seal import HowLoaded, read_seal
from ingest.lake.store import Store
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from ingest.repair import repair
from ingest.repair.missing import missing_loads
from tests.kit.manifests import load, manifest

A, B = (HowLoaded(one, f"{one}.smf", "measured", "037", 180) for one in "ab")


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return load(tmp_path, "may", "june")


def lose_a_file(warehouse: Warehouse, campaign: str) -> None:
    loads = expected_loads(warehouse.lake).items()
    (source_id,) = (source_id for source_id, how in loads if campaign in how.path)
    (warehouse.raw / source_id / "bench_run.0.parquet").unlink()


def test_a_load_is_expected_as_often_as_it_came_without_being_removed(tmp_path: Path) -> None:
    note_commit(tmp_path, [A, B], 7)
    note_removal(tmp_path, ["b"])
    (tmp_path / "commits" / "other-host.jsonl").write_text('{"removed": ["a"]}\n{"loads": [["a"')
    assert expected_loads(tmp_path) == {}  # whatever the clock of the other host says
    note_commit(tmp_path, [A], 3)
    assert expected_loads(tmp_path) == {"a": A}
    assert commits(tmp_path) == [Commit([A, B], 7), Commit([A], 3)]
    note_failure(tmp_path, "one of a lake that was replaced")
    assert expected_loads(tmp_path) == {"a": A}
    note_failure(tmp_path, note_commit(tmp_path, [B], 3))
    assert expected_loads(tmp_path) == {"a": A}


def test_the_note_of_a_load_has_the_bytes_and_rows_of_each_file(warehouse: Warehouse) -> None:
    for source_id, how in expected_loads(warehouse.lake).items():
        folder = warehouse.raw / source_id
        contents = read_seal(folder)
        assert contents is not None
        assert contents.loads == [how]
        assert contents.files.keys() == {file.name for file in folder.glob("*.parquet")}
        assert contents.files["bench_run.0.parquet"].rows == 1


def test_a_load_from_which_a_file_is_lost_before_its_commit_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse, commit = load(tmp_path), Store.commit

    def lose(store: Store, folder: Path, source_id: str) -> bool:
        (folder / "bench_run.0.parquet").unlink()
        return commit(store, folder, source_id)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "commit", lose)
        with pytest.raises(WarehouseError, match=r"bench_run\.0\.parquet: it is missing"):
            load_file(warehouse, manifest(tmp_path, "june"))
    assert len(warehouse.loads()) == len(expected_loads(warehouse.lake)) == 1
    assert load_file(warehouse, manifest(tmp_path, "june")).status == "loaded"


def test_a_damaged_load_is_neither_merged_nor_backed_up_and_comes_back(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    kept = [back_up(warehouse, tmp_path / "kept").folder]
    lose_a_file(warehouse, "june")
    assert steps.merge_loads(warehouse) == 0
    with pytest.raises(steps.StepError, match=r"not backed up.*bench_run\.0\.parquet: it is miss"):
        back_up(warehouse, tmp_path / "kept", keep=1)
    assert [one for one in (tmp_path / "kept").iterdir() if one.name[0] != "."] == kept
    repair(warehouse)
    assert back_up(warehouse, tmp_path / "kept", keep=1).loads == 2
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(2,)]


def test_a_load_that_no_build_has_seen_is_missed_too(warehouse: Warehouse, tmp_path: Path) -> None:
    steps.merge_loads(warehouse)
    (folder,) = warehouse.raw.glob("day-*")
    folder.rename(tmp_path / "away")
    assert sorted(Path(load.path).stem for load in missing_loads(warehouse)) == ["june", "may"]
    with pytest.raises(steps.StepError, match=r"not backed up.*june\.toml: its load is gone"):
        back_up(warehouse, tmp_path / "kept")
    repair(warehouse)
    assert missing_loads(warehouse) == []
    assert len(warehouse.loads()) == 2


def test_a_load_that_is_removed_on_purpose_is_not_missed(warehouse: Warehouse) -> None:
    source_id, other = warehouse.loads()
    steps.forget_load(warehouse, source_id)
    assert missing_loads(warehouse) == []
    assert expected_loads(warehouse.lake).keys() == warehouse.loads().keys() == {other}


def test_a_backup_that_is_being_made_is_not_swept(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.pipeline import backup, backup_files

    read = backup_files._read

    def sweep_first(source: Path, target: Path | None = None) -> backup_files._Read:
        sweep(warehouse.staging)
        sweep(tmp_path / "kept")
        return read(source, target)

    monkeypatch.setattr(backup_files, "_read", sweep_first)
    made = back_up(warehouse, tmp_path / "kept")
    assert made.loads == 2
    assert backup.verify(made.folder) == made._replace(copied=0)


def test_a_disk_whose_locks_keep_nobody_out_is_refused(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = manifest(tmp_path, "july")
    with monkeypatch.context() as patch:
        patch.setattr(waiting.fcntl, "flock", lambda *_: None)
        with pytest.raises(WarehouseError, match="its disk gives one lock to two holders"):
            steps.ingest_paths(warehouse, [file])
    mount = ("nfs", "rw,vers=3,local_lock=all,addr=10.0.0.1")
    monkeypatch.setattr(waiting, "_mount", lambda _: mount)
    with pytest.raises(WarehouseError, match=r"other hosts do not see.*PERFHOUSE_ONE_HOST=1"):
        steps.ingest_paths(warehouse, [file])
    monkeypatch.setenv("PERFHOUSE_ONE_HOST", "1")
    assert steps.ingest_paths(warehouse, [file])[0].status == "loaded"


def test_loads_of_the_format_before_are_sealed_as_they_were_noted(
    warehouse: Warehouse,
) -> None:
    """A file that its note names and the disk lost is missed after the upgrade, too."""
    for folder in warehouse.raw.glob("[!_]*"):
        contents = read_seal(folder)
        assert contents is not None
        noted = {name: file[:2] for name, file in contents.files.items()}
        (folder / "files.json").write_text(json.dumps(noted))
        (folder / "ledger.json").write_text(json.dumps(contents.loads))
        (folder / "load.json").unlink()
    (warehouse.lake / "format").write_text("3\n")
    expected = expected_loads(warehouse.lake)
    for file in (warehouse.lake / "commits").iterdir():
        file.unlink()
    may, june = sorted(expected, key=lambda one: expected[one].path, reverse=True)
    (warehouse.raw / june / "bench_run.0.parquet").unlink()
    steps.prepare(warehouse)
    assert expected_loads(warehouse.lake).keys() == {may, june}
    assert not list(warehouse.raw.glob("*/files.json"))
    (line,) = steps.heal(warehouse)
    assert "bench_run.0.parquet: it is missing" in line
    repair(warehouse)
    assert warehouse.loads().keys() == {may, june}
    assert os.listdir(warehouse.lake / "commits")  # noqa: PTH208
