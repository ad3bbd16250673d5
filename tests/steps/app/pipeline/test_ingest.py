"""Ingesting several files: paths are expanded once, and progress adds up."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from ingest import decoder
from ingest.formats import sources
from ingest.lake.warehouse import Warehouse


def test_progress_adds_up_to_the_size_of_all_files(dumps: list[Path], tmp_path: Path) -> None:
    calls: list[tuple[Path, int, int]] = []
    steps.ingest_paths(
        Warehouse(tmp_path / "w.duckdb"),
        dumps,
        progress=lambda file, read, total: calls.append((file, read, total)),
    )
    size = sum(dump.stat().st_size for dump in dumps)
    assert {total for *_, total in calls} == {size}
    assert sum(read for _, read, _ in calls) == size
    assert list(dict.fromkeys(file for file, *_ in calls)) == dumps


def test_the_command_expands_its_paths_once(
    dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expanded = []

    def expand(paths: Iterable[Path | str], without: set[Path]) -> sources.Found:
        expanded.append(found := sources.expand(paths, without))
        return found

    monkeypatch.setattr(steps, "expand", expand)
    folder = dumps[0].parent
    assert main(["ingest", str(folder), "--warehouse", str(tmp_path / "w.duckdb")]) == 0
    assert [sorted(found.files) for found in expanded] == [sorted(dumps)]


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_loaded(
    dumps: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    os.mkfifo(folder / "a.smf")
    shutil.copy(dumps[0], folder / os.fsdecode(b"b\xff.smf"))
    shutil.copy(dumps[1], folder / "c.smf")
    warehouse = Warehouse(tmp_path / "w.duckdb")
    options = ["--verbose", "--warehouse", str(warehouse.file)]
    assert main(["ingest", str(folder), *options]) == 2
    printed = capsys.readouterr()
    assert f"{folder}/a.smf: not a regular file" in printed.err
    assert r"b\xff.smf" in printed.out
    assert len(warehouse.loads()) == 2


@pytest.mark.parametrize("command", ["ingest", "forget"])
def test_an_empty_name_is_refused(
    command: str, dumps: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    steps.ingest_paths(warehouse, dumps[:1])
    for empty in ("", " "):
        assert main([command, empty, "--warehouse", str(warehouse.file)]) == 2
        assert "perfhouse: an empty" in capsys.readouterr().err
    assert len(warehouse.loads()) == 1


def test_the_warehouse_is_not_ingested_itself(
    dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(dumps[0], tmp_path / "a.smf")
    command = ["ingest", ".", "--warehouse", "w.duckdb"]
    assert [main(command), main(command)] == [0, 0]
    assert len(Warehouse(tmp_path / "w.duckdb").loads()) == 1


def test_a_build_says_what_an_earlier_decoder_loaded(
    dumps: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    steps.ingest_paths(warehouse, dumps[:2])
    monkeypatch.setattr(steps, "build", lambda *_: "an-id")
    option = ["--warehouse", str(warehouse.file)]
    assert main(["build", *option]) == 0
    assert "earlier decoder" not in capsys.readouterr().out
    monkeypatch.setattr(decoder, "_code", lambda place: f"changed {place}")
    assert main(["build", *option]) == 0
    said = capsys.readouterr().out
    assert "2 loads were made by an earlier decoder" in said
    assert warehouse.command("reload") in said
    assert main(["reload", *option]) == 0
    assert "2 of 2 loads decoded again" in capsys.readouterr().out
    assert main(["reload", *option]) == 0
    assert "0 of 0 loads" in capsys.readouterr().out
