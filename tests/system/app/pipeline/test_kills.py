"""A backup or restore that is killed leaves the old warehouse or the new one, whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import backup, backup_files, steps
from app.pipeline.backup import back_up, restore
from app.pipeline.retention import POLICY, removable, retain
from ingest.lake.restored import is_cut, replaced_warehouses
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.lives import OLD
from tests.kit.manifests import load, manifest
from tests.kit.processes import steps_of
from tests.kit.warehouses import copied

NAME = "perfhouse.duckdb"
PUBLISHED = "SELECT campaign FROM marts.fct_run"
LOADED = "SELECT parse_filename(path, true) FROM raw.ledger"
BACKED_UP = {"may", "june", "july"}
IN_PLACE = {*BACKED_UP, "august"}


def content(warehouse: Warehouse, query: str) -> set[str]:
    with warehouse.connect() as db:
        return {name for (name,) in db.execute(query).fetchall()}


def replacing(backup: Path, file: Path) -> None:
    restore(backup, Warehouse(file), replace=True)


@pytest.fixture(scope="module")
def prepared(small: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A backup of one warehouse, and the folder of another one that it is to replace."""
    folder = tmp_path_factory.mktemp("prepared")
    made = back_up(copied(small, folder / "backed up"), folder / "kept").folder
    other = copied(small, folder / "in place")
    steps.ingest_paths(other, [manifest(folder, "august")])
    steps.build(other)
    other.publish()
    return made, other.file.parent


@pytest.fixture(scope="module")
def cut(prepared: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders in which a restore was killed at each rename that puts the warehouse in its place."""
    made, place = prepared
    folder = tmp_path_factory.mktemp("cut")
    whole = shutil.copytree(place, folder / "whole", symlinks=True)
    with Warehouse(whole / NAME).connect():  # its views read the lake there
        pass
    last = steps_of(replacing, made, whole / NAME)
    found = {}
    for step in range(last - 7, last + 1):
        here = shutil.copytree(place, folder / str(step), symlinks=True)
        steps_of(replacing, made, here / NAME, killed_at=step)
        found[str(last - step)] = here
    return found


def no_server(*_: object) -> None:
    """Stand for the process of the dashboard's server."""
    raise KeyboardInterrupt


@cases
def test_after_a_kill_at_any_rename_a_command_finds_one_whole_warehouse(
    cut: dict[str, Path],
    prepared: tuple[Path, Path],
    command: str,
    arguments: list[str],
    is_tried_everywhere: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Some are tried after a kill at every rename, the others where most is under way."""
    monkeypatch.setattr(os, "execve", no_server)
    states = set()
    for left, folder in cut.items() if is_tried_everywhere else [("3", cut["3"])]:
        place = shutil.copytree(folder, tmp_path / left, symlinks=True)
        warehouse = Warehouse(place / NAME)
        was_cut = is_cut(warehouse.file)
        monkeypatch.chdir(place)
        for campaign in ("april", "may"):
            manifest(place, campaign)
        before = {file.name for file in place.iterdir()}
        given = [str(prepared[0]) if one == "BACKUP" else one for one in arguments]
        status = main([*given, "--warehouse", str(warehouse.file)])
        said = capsys.readouterr().out
        if command == "doctor":
            assert {file.name for file in place.iterdir()} == before
            assert (status == 1) == was_cut
            assert ("a restore was interrupted" in said) == was_cut
        elif "restore" not in command:
            assert status == (130 if command == "dashboard" else 0)
        assert main(["sql", "FROM raw.ledger", "--warehouse", str(warehouse.file)]) == 0
        runs, loads = content(warehouse, PUBLISHED), content(warehouse, LOADED)
        more = {"april"} & (loads | runs)
        assert more == ({"april"} if command == "ingest" else set())
        assert runs - more == loads - more
        states.add(frozenset(loads - more))
        is_kept = command not in ("restore --replace", "publish", "run") and left != "0"
        if loads - more == BACKED_UP and is_kept:
            (aside,) = replaced_warehouses(warehouse.file)
            kept = Warehouse(aside / NAME)
            assert content(kept, PUBLISHED) == content(kept, LOADED) == IN_PLACE
        shutil.rmtree(place)
    if command == "restore --replace":
        assert states == {frozenset(BACKED_UP)}
    elif is_tried_everywhere:
        assert states == {frozenset(BACKED_UP), frozenset(IN_PLACE)}


def test_a_restore_keeps_what_another_process_made_in_the_meantime(
    prepared: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse = Warehouse(tmp_path / NAME)

    def complete(made: Warehouse, target: Warehouse) -> None:
        completed(made, target)
        steps.ingest_paths(warehouse, [manifest(tmp_path, "april")])

    completed = backup_files.complete
    monkeypatch.setattr(backup, "complete", complete)
    restore(prepared[0], warehouse)
    assert content(warehouse, LOADED) == BACKED_UP
    (aside,) = replaced_warehouses(warehouse.file)
    assert content(Warehouse(aside / NAME), LOADED) == {"april"}


def test_a_killed_backup_leaves_nothing_that_looks_whole(
    tmp_path: Path,
) -> None:
    warehouse, kept = load(tmp_path), tmp_path / "kept"
    for step in range(1, steps_of(back_up, warehouse, tmp_path / "whole") + 1):
        steps_of(back_up, warehouse, kept, killed_at=step)
        for one in kept.iterdir() if kept.exists() else ():
            assert one.name.startswith(".") or (one / "manifest.json").exists()
    back_up(warehouse, kept, keep=1)
    restore(kept, Warehouse(tmp_path / "other.duckdb"))
    assert [one.name for one in kept.iterdir() if one.name.startswith(".draft")] == []
    assert list(warehouse.staging.glob("backup.*")) == []


def test_a_killed_restore_leaves_nothing_that_looks_whole(
    tmp_path: Path,
) -> None:
    warehouse = load(tmp_path)
    backup, loads = back_up(warehouse, tmp_path / "kept").folder, warehouse.loads()
    other = Warehouse(tmp_path / "o" / "other.duckdb")
    replacing(backup, other.file)
    last = steps_of(replacing, backup, other.file)
    assert last > 6
    # The last ones put the warehouse in its place; those before them copy files, all alike.
    for step in {1, 2, last // 2, *range(last - 4, last + 1)}:
        steps_of(replacing, backup, other.file, killed_at=step)
        assert not other.lake.exists() or other.loads() == loads
    replacing(backup, other.file)
    assert other.loads() == loads
    with other.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(1,)]
    names = sorted(one.name for one in other.file.parent.iterdir())
    assert [one for one in names if ".replaced." not in one] == ["other.duckdb", "other.lake"]


def test_a_killed_retention_loses_and_doubles_nothing(days: Path, tmp_path: Path) -> None:
    def state() -> tuple[int, bool]:
        with warehouse.connect() as db:
            counted = "SELECT count(*) FROM raw.ledger", "FROM raw.ledger WHERE kind = 'hours'"
            removed = db.execute("FROM raw.ledger_rolled WHERE removed_at IS NOT NULL").fetchall()
            ((loads,),) = db.execute(counted[0]).fetchall()
            return loads, bool(removed) == bool(db.execute(counted[1]).fetchall())

    warehouse, other = (copied(days, tmp_path / name) for name in ("one", "other"))
    for one in (warehouse, other):
        (one.lake / POLICY).write_text("[keep_days]\nrecords = 1\n")
    loads, seen = len(warehouse.loads()), set()
    removed = len(removable(other, OLD).loads)
    for step in range(1, steps_of(retain, other, OLD) + 1):
        steps_of(retain, warehouse, OLD, killed_at=step)
        seen.add(state())
        if state()[0] < loads:
            break
    else:
        retain(warehouse, OLD)
        seen.add(state())
    assert seen == {(loads, True), (loads - removed + 1, True)}
