"""A copy of a warehouse may lack the link `raw`, or have a folder in its place: nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from ingest.base.errors import WarehouseError
from ingest.lake.warehouse import Warehouse
from tests.unit.app.cli.test_what_next import MANIFEST


def manifest(folder: Path, campaign: str) -> Path:
    """Write a manifest of one run, in the month that gives the campaign its name."""
    file = folder / f"{campaign}.toml"
    month = f"{datetime.strptime(campaign, '%B').replace(tzinfo=UTC):%m}"
    file.write_text(MANIFEST.replace("may", campaign).replace("2026-03", f"2026-{month}"))
    return file


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a published warehouse: two merged loads, and one of its own."""
    folder = tmp_path_factory.mktemp("built")
    warehouse = Warehouse(folder / "w.duckdb")
    steps.ingest_paths(warehouse, [manifest(folder, name) for name in ("may", "june")])
    steps.merge_loads(warehouse)
    steps.ingest_paths(warehouse, [manifest(folder, "july")])
    steps.build(warehouse)
    steps.check(warehouse)
    steps.publish(warehouse)
    return folder


@pytest.fixture
def warehouse(built: Path, tmp_path: Path) -> Warehouse:
    return copy_of(built, tmp_path / "copy")


def copy_of(folder: Path, place: Path) -> Warehouse:
    shutil.copytree(folder, place, symlinks=True)
    return Warehouse(place / "w.duckdb")


def lose(warehouse: Warehouse) -> None:
    warehouse.raw.unlink()


def follow(warehouse: Warehouse) -> None:
    """Copy the lake as a program does that follows links."""
    content = warehouse.raw.resolve()
    warehouse.raw.unlink()
    shutil.copytree(content, warehouse.raw)


def follow_alone(warehouse: Warehouse) -> None:
    follow(warehouse)
    shutil.rmtree(warehouse.lake / "generations")


def dangle(warehouse: Warehouse) -> None:
    warehouse.raw.unlink()
    warehouse.raw.symlink_to("generations/000099")


def write_target(warehouse: Warehouse) -> None:
    """Copy the lake as an archive does that keeps a link as a file with its target."""
    target = warehouse.raw.readlink()
    warehouse.raw.unlink()
    warehouse.raw.write_text(str(target))


def leave_empty(warehouse: Warehouse) -> None:
    warehouse.raw.unlink()
    (warehouse.raw / "_schema").mkdir(parents=True)


def lead_elsewhere(warehouse: Warehouse) -> None:
    """Copy the lake as a program does that makes links absolute."""
    other = warehouse.file.parent / "other.lake"
    shutil.copytree(warehouse.lake, other, symlinks=True)
    warehouse.raw.unlink()
    warehouse.raw.symlink_to((other / "raw").resolve())


COMMANDS: dict[str, tuple[list[str], int]] = {
    "ingest": (["ingest", "april.toml"], 0),
    "run": (["run", "may.toml"], 0),
    "build": (["build"], 0),
    "check": (["check"], 0),
    "publish": (["publish"], 0),
    "sql": (["sql", "FROM raw.ledger"], 0),
    "sql of marts": (["sql", "FROM marts.fct_run"], 0),
    "regressions": (["regressions"], 0),
    "forget": (["forget", "the last"], 0),
    "reload": (["reload", "--all"], 0),
    "backup": (["backup", "kept"], 0),
    "retain": (["retain"], 0),
    "restore": (["restore", "nowhere"], 2),
}


@pytest.mark.parametrize(
    ("copied", "command"),
    [
        *((lose, command) for command in COMMANDS),
        *(
            (copied, command)
            for copied in (follow, follow_alone, dangle)
            for command in ("ingest", "run", "sql", "reload")
        ),
        *(
            (copied, command)
            for copied in (write_target, leave_empty, lead_elsewhere)
            for command in ("ingest", "sql", "reload")
        ),
    ],
)
def test_every_command_finds_all_loads(
    warehouse: Warehouse,
    copied: Callable[[Warehouse], None],
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(warehouse.file.parent)
    manifest(Path(), "april")
    arguments, status = COMMANDS[command]
    loads = set(warehouse.loads())
    last = max(warehouse.loads().items(), key=lambda load: load[1])[0]
    copied(warehouse)
    arguments = [last if one == "the last" else one for one in arguments]
    assert main([*arguments, "--warehouse", str(warehouse.file)]) == status
    said = caplog.text + capfd.readouterr().err  # which a query's own process writes to
    steps.heal(warehouse)
    if command == "forget":
        loads.remove(last)
    assert loads <= set(warehouse.loads())
    assert warehouse.raw.is_symlink()
    if command != "restore":
        assert str(warehouse.raw) in said


@pytest.mark.parametrize("command", ["ingest", "build", "sql", "backup", "doctor"])
def test_a_folder_that_was_copied_in_part_is_not_taken_for_the_loads(
    warehouse: Warehouse, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    follow(warehouse)
    shutil.rmtree(next(warehouse.raw.glob("day-*")))
    place = warehouse.file.parent
    more = {"ingest": place / "may.toml", "sql": "FROM raw.ledger", "backup": place / "kept"}
    words = [command, *(str(one) for one in [more.get(command)] if one)]
    status = main([*words, "--warehouse", str(warehouse.file)])
    said = capsys.readouterr()
    assert status == (1 if command == "doctor" else 2)
    assert "lacks 1 of the folders in" in said.out + said.err
    shutil.rmtree(warehouse.raw)
    assert main(["sql", "FROM raw.ledger", "--warehouse", str(warehouse.file)]) == 0
    assert len(warehouse.loads()) == 3


@pytest.mark.parametrize("change", ["forget", "merge", "reload"])
def test_a_change_removes_no_generation_that_another_replaced(
    warehouse: Warehouse, change: str
) -> None:
    """An earlier release took a lost link for a new warehouse."""
    before = warehouse.raw.resolve()
    others = set(warehouse.raw.parent.joinpath("generations").iterdir()) - {before}
    empty = before.with_name("000009")
    shutil.copytree(before / "_schema", empty / "_schema")
    (empty / "_schema" / "replaces").unlink()
    warehouse.raw.unlink()
    warehouse.raw.symlink_to("generations/000009")
    folder = warehouse.file.parent
    steps.ingest_paths(warehouse, [manifest(folder, "august"), manifest(folder, "september")])
    first = min(warehouse.loads())
    for month in ("october", "november", "december"):
        if change == "forget":
            warehouse.forget(first)
            steps.ingest_paths(warehouse, [folder / "august.toml", folder / "september.toml"])
        elif change == "merge":
            steps.merge_loads(warehouse)
            steps.ingest_paths(warehouse, [manifest(folder, month)])
        else:
            steps.reload(warehouse, steps.outdated(warehouse, everything=True))
    assert before.is_dir()
    assert all(one.is_dir() for one in others)


def test_a_generation_that_was_replaced_twice_is_removed(warehouse: Warehouse) -> None:
    for _ in range(3):
        steps.reload(warehouse, steps.outdated(warehouse, everything=True))
    assert len(list((warehouse.lake / "generations").iterdir())) == 2


def test_what_a_killed_change_was_making_is_no_generation(warehouse: Warehouse) -> None:
    loads, before = warehouse.loads(), warehouse.raw.resolve()
    unfinished = before.with_name(".000099")
    unfinished.mkdir()
    warehouse.raw.unlink()
    steps.prepare(warehouse)
    assert warehouse.raw.resolve() == before
    assert warehouse.loads() == loads
    assert not unfinished.exists()


def test_without_its_generations_a_warehouse_is_not_begun_anew(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(warehouse)
    shutil.rmtree(warehouse.lake / "generations")
    held = {file: file.stat().st_mtime_ns for file in warehouse.lake.glob("*/*")}
    file = manifest(warehouse.file.parent, "april")
    for command in (["ingest", str(file)], ["run", str(file)], ["build"]):
        assert main([*command, "--warehouse", str(warehouse.file)]) == 2
        assert "its loads are gone" in capsys.readouterr().err
    log = warehouse.lake / "log"
    assert {
        file: file.stat().st_mtime_ns for file in warehouse.lake.glob("*/*") if file.parent != log
    } == {file: time for file, time in held.items() if file.parent != log}


def test_a_published_file_without_its_lake_is_not_replaced(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(warehouse.lake)
    file = manifest(warehouse.file.parent, "april")
    assert main(["run", str(file), "--warehouse", str(warehouse.file)]) == 2
    assert f"there is no {warehouse.lake}" in capsys.readouterr().err
    assert main(["sql", "FROM marts.fct_run", "--warehouse", str(warehouse.file)]) == 0


def test_which_generation_of_an_earlier_release_is_whole_is_for_a_person_to_say(
    warehouse: Warehouse,
) -> None:
    (warehouse.lake / "format").write_text("2\n")
    lose(warehouse)
    for _ in range(2):
        with pytest.raises(WarehouseError, match="ln -s generations/"):
            warehouse.create()
    (oldest, *_) = sorted((warehouse.lake / "generations").iterdir())
    shutil.rmtree(oldest)
    warehouse.create()
    assert warehouse.raw.is_symlink()
