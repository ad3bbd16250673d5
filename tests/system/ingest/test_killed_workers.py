"""A process that is killed while it loads costs only the files that it is busy with."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from app.pipeline import steps
from ingest import loading
from ingest.base.workers import Workers
from ingest.parts import write_part
from tests.kit.large_files import loaded

LOST = "a process that decodes ended with status -9"

pytestmark = pytest.mark.usefixtures("everything_is_large")


def test_a_killed_worker_costs_its_file_until_the_next_time(
    large_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = Workers.submit
    with monkeypatch.context() as patch:
        patch.setattr(
            Workers,
            "submit",
            lambda self, function, *args, **kwargs: (
                submit(self, signal.raise_signal, signal.SIGKILL)
                if getattr(function, "func", None) is write_part
                else submit(self, function, *args, **kwargs)
            ),
        )
        warehouse, loads = loaded(tmp_path, large_files, 2)
    failed = [load for load in loads if load.status == "failed"]
    assert [load.path.name for load in failed] == ["also large.smf", "large.smf"]
    assert {*failed[0].reasons, *failed[1].reasons} == {LOST}
    again = {load.path.name: load.status for load in steps.ingest_paths(warehouse, [large_files])}
    assert [again.pop("also large.smf"), again.pop("large.smf")] == ["loaded", "partly"]
    assert set(again.values()) == {"duplicate"}


def test_a_killed_worker_costs_the_small_files_that_it_loads(
    large_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit, lost = Workers.submit, list[Path]()

    def kill_first(self: Workers, function: object, files: list[Path], **how: object) -> object:
        if lost or getattr(function, "func", None) is not loading._load_group:
            return submit(self, function, files, **how)
        lost.extend(files)
        return submit(self, signal.raise_signal, signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(Workers, "submit", kill_first)
        warehouse, loads = loaded(tmp_path, large_files, 2)
    failed = [load for load in loads if load.status == "failed"]
    assert [load.path for load in failed] == lost
    assert {load.reasons[0] for load in failed} == {LOST}
    assert len(warehouse.loads()) == len(loads) - len(lost)
