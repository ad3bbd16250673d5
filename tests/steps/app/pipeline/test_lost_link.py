"""A copy of a warehouse may lack the link `raw`, or have a folder in its place: nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from ingest.lake.warehouse import Warehouse
from tests.kit import broken_links as links
from tests.kit.manifests import manifest, merged
from tests.kit.warehouses import copied


@pytest.fixture
def warehouse(small: Path, tmp_path: Path) -> Warehouse:
    """A published warehouse: two merged loads, and one of its own."""
    return copied(small, tmp_path / "copy")


COMMANDS: dict[str, tuple[list[str], int]] = {
    "ingest": (["ingest", "april.toml"], 0),
    "run": (["run", "FILES"], 0),
    "build": (["build"], 0),
    "check": (["check"], 0),
    "publish": (["publish"], 0),
    "sql": (["sql", "FROM raw.ledger"], 0),
    "regressions": (["regressions"], 0),
    "forget": (["forget", "the last"], 0),
    "reload": (["reload", "--all"], 0),
    "backup": (["backup", "kept"], 0),
    "retain": (["retain"], 0),
    "restore": (["restore", "nowhere"], 2),
}


@pytest.mark.parametrize(
    ("copy", "command"),
    [
        *((links.lose, command) for command in COMMANDS),
        *((copy, "run") for copy in (links.follow, links.follow_alone)),
        (links.lead_elsewhere, "reload"),
        *((copy, "sql") for copy in (links.dangle, links.write_target, links.leave_empty)),
    ],
)
def test_every_command_finds_all_loads(
    warehouse: Warehouse,
    small: Path,
    copy: Callable[[Warehouse], None],
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(warehouse.file.parent)
    manifest(Path(), "april")
    loads = set(warehouse.loads())
    last = max(warehouse.loads().items(), key=lambda load: load[1])[0]
    copy(warehouse)
    arguments, status = COMMANDS[command]
    given = {"the last": last, "FILES": str(small.parents[1] / "files")}
    words = [given.get(one, one) for one in arguments]
    assert main([*words, "--warehouse", str(warehouse.file)]) == status
    said = caplog.text + capfd.readouterr().err  # which a query's own process writes to
    steps.heal(warehouse)
    if command == "forget":
        loads.remove(last)
    assert loads <= set(warehouse.loads())
    assert warehouse.raw.is_symlink()
    if command != "restore":
        assert str(warehouse.raw) in said


@pytest.mark.parametrize("command", ["ingest", "sql", "backup", "doctor"])
def test_a_folder_that_was_copied_in_part_is_not_taken_for_the_loads(
    warehouse: Warehouse, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    links.follow(warehouse)
    shutil.rmtree(merged(warehouse))
    place = warehouse.file.parent
    more = {"ingest": manifest(place, "april"), "sql": "FROM raw.ledger", "backup": place / "kept"}
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
    both = [manifest(folder, "august"), manifest(folder, "september")]
    steps.ingest_paths(warehouse, both)
    for month in ("october", "november", "december"):
        if change == "forget":
            warehouse.forget(min(warehouse.loads()))
            steps.ingest_paths(warehouse, both)
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
    links.lose(warehouse)
    shutil.rmtree(warehouse.lake / "generations")
    held = {file: file.stat().st_mtime_ns for file in warehouse.lake.glob("*/*")}
    file = manifest(warehouse.file.parent, "april")
    for command in (["ingest", str(file)], ["build"]):
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
