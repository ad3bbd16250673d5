"""Ingesting several files: paths are expanded once, and progress adds up."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from ingest import sources
from ingest.warehouse import Warehouse


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
