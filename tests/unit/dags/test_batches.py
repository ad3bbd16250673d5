"""What arrives is spread over the tasks that load."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.kit.cases import cases

MB = 1 << 20


@pytest.fixture(scope="module")
def arrivals() -> ModuleType:
    """The module, which imports Airflow: too heavy for the collection of tests."""
    from app.schedule import arrivals

    return arrivals


@cases
def test_batches(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arrivals: ModuleType,
    sizes: list[int],
    loaders: int,
    files: list[int],
) -> None:
    monkeypatch.setattr(arrivals, "LOADERS", loaders)
    paths = [tmp_path / f"{number:04}" for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        path.touch()
        os.truncate(path, size * MB)
    made = arrivals.batches(paths)
    assert [len(batch) for batch in made] == files
    assert [arrivals.path_of(name) for batch in made for name in batch] == paths


def test_a_file_that_is_gone_by_now_is_in_a_batch(tmp_path: Path, arrivals: ModuleType) -> None:
    assert arrivals.batches([tmp_path / "gone"]) == [[str(tmp_path / "gone")]]
