"""A restore that is killed leaves the old warehouse or the new one, whatever command comes next."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import backup, steps
from app.pipeline.backup import back_up, restore
from ingest.lake.restored import is_cut, replaced
from ingest.lake.warehouse import Warehouse
from tests.steps.app.pipeline.test_backup import replacing, steps_of
from tests.steps.app.pipeline.test_incremental import building
from tests.steps.app.pipeline.test_lost_link import manifest

BACKED_UP, IN_PLACE = "may", "june"
PUBLISHED = "SELECT campaign FROM marts.fct_run"
LOADED = "SELECT parse_filename(path, true) FROM raw.ledger"


def published(folder: Path, campaign: str) -> Warehouse:
    warehouse = Warehouse(folder / "w.duckdb")
    folder.mkdir(exist_ok=True)
    steps.ingest_paths(warehouse, [manifest(folder, campaign)])
    steps.build(warehouse)
    warehouse.publish()
    return warehouse


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A backup of one warehouse, and the folder of another one that it is to replace."""
    folder = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patch:
        building(patch, "+fct_run")
        made = back_up(published(folder / "backed up", BACKED_UP), folder / "kept").folder
        return made, published(folder / "in place", IN_PLACE).file.parent


@pytest.fixture(scope="module")
def cut(prepared: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders in which a restore was killed at each rename that puts the warehouse in its place."""
    made, place = prepared
    folder = tmp_path_factory.mktemp("cut")
    whole = shutil.copytree(place, folder / "whole", symlinks=True)
    with Warehouse(whole / "w.duckdb").connect():  # its views read the lake there
        pass
    last = steps_of(replacing, made, whole / "w.duckdb")
    found = {}
    for step in range(last - 7, last + 1):
        here = shutil.copytree(place, folder / str(step), symlinks=True)
        steps_of(replacing, made, here / "w.duckdb", killed_at=step)
        found[str(last - step)] = here
    return found


def content(warehouse: Warehouse, query: str) -> set[str]:
    with warehouse.connect() as db:
        return {name for (name,) in db.execute(query).fetchall()}


def no_server(*_: object) -> None:
    """Stand for the process of the dashboard's server."""
    raise KeyboardInterrupt


#: Commands, and whether each is tried after a kill at every rename, or where most is under way.
COMMANDS: dict[str, tuple[list[str], bool]] = {
    "ingest": (["ingest", "april.toml"], True),
    "run": (["run", "may.toml"], False),  # which the backup has
    "build": (["build"], False),
    "publish": (["publish"], False),
    "sql": (["sql", "FROM marts.fct_run"], True),
    "dashboard": (["dashboard"], False),
    "doctor": (["doctor"], True),
    "restore": (["restore", "BACKUP"], True),
    "restore, refused": (["restore", "nowhere"], False),
    "restore --replace": (["restore", "BACKUP", "--replace"], True),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_after_a_kill_at_any_rename_a_command_finds_one_whole_warehouse(
    cut: dict[str, Path],
    prepared: tuple[Path, Path],
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(os, "execve", no_server)
    arguments, is_tried_everywhere = COMMANDS[command]
    states = set()
    for left, folder in cut.items() if is_tried_everywhere else [("3", cut["3"])]:
        place = shutil.copytree(folder, tmp_path / left, symlinks=True)
        warehouse = Warehouse(place / "w.duckdb")
        was_cut = is_cut(warehouse.lake, warehouse.file)
        monkeypatch.chdir(place)
        for campaign in ("april", BACKED_UP):
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
        (campaign,) = loads - more
        assert runs - more == {campaign}
        states.add(campaign)
        if campaign == BACKED_UP and command != "restore --replace" and left != "0":
            (aside,) = replaced(warehouse.file)
            kept = Warehouse(aside / "w.duckdb")
            assert content(kept, PUBLISHED) == content(kept, LOADED) == {IN_PLACE}
        shutil.rmtree(place)
    if command == "restore --replace":
        assert states == {BACKED_UP}
    elif is_tried_everywhere:
        assert states == {BACKED_UP, IN_PLACE}


@pytest.mark.parametrize("has_file", [True, False])
def test_what_an_earlier_release_set_aside_comes_back(
    prepared: tuple[Path, Path], tmp_path: Path, *, has_file: bool
) -> None:
    """It moved the lake first and then the file, and was killed behind either."""
    place = shutil.copytree(prepared[1], tmp_path / "place", symlinks=True)
    warehouse = Warehouse(place / "w.duckdb")
    aside = place / ".w.duckdb.replaced"
    aside.mkdir()
    warehouse.lake.rename(aside / "w.lake")
    if not has_file:
        warehouse.file.rename(aside / "w.duckdb")
    steps.ingest_paths(warehouse, [manifest(tmp_path, "april")])
    assert content(warehouse, LOADED) == {IN_PLACE, "april"}
    assert content(warehouse, PUBLISHED) == {IN_PLACE}


def test_a_restore_keeps_what_another_process_made_in_the_meantime(
    prepared: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")

    def complete(made: Warehouse, target: Warehouse) -> None:
        completed(made, target)
        steps.ingest_paths(warehouse, [manifest(tmp_path, "april")])

    completed = backup._complete
    monkeypatch.setattr(backup, "_complete", complete)
    restore(prepared[0], warehouse)
    assert content(warehouse, LOADED) == {BACKED_UP}
    (aside,) = replaced(warehouse.file)
    assert content(Warehouse(aside / "w.duckdb"), LOADED) == {"april"}
