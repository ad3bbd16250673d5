"""The log of a warehouse: lines that a view can read, whatever is in them and whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.lake import log_lines
from ingest.lake.warehouse import Warehouse

BEGUN = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    made = Warehouse(tmp_path / "w.duckdb")
    made.create()
    return made


def file_of(warehouse: Warehouse) -> Path:
    (file,) = (warehouse.lake / "log").glob("2*.jsonl")
    return file


def shown(warehouse: Warehouse, columns: str = "message", of: str = "log") -> list[object]:
    with warehouse.connect() as db:
        rows = db.execute(f"SELECT {columns} FROM meta.{of} ORDER BY ALL").fetchall()
    return [row if len(row) > 1 else row[0] for row in rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ('a\nb\r\u2028{"time": 1}', 'a\nb\r\u2028{"time": 1}'),
        ("nul\0", r"nul\x00"),
        ("not UTF-8: \udcff", r"not UTF-8: \udcff"),
        ("long" * 2000, "long" * 1000 + "…"),
        ("from https://me:word@host/x", "from https://***@host/x"),
        ("to https://hooks.example/T0/secret failed", "to *** failed"),
        ("with a --notify-token", "with a ***"),
    ],
)
def test_a_text_is_one_line_without_secrets(
    warehouse: Warehouse, text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_NOTIFY", "https://hooks.example/T0/secret")
    monkeypatch.setattr(log_lines, "_SECRETS", set())
    log_lines.hide("--notify-token\n")
    log_lines.hide(None)
    log_lines.write(warehouse.lake, {"message": text})
    content = file_of(warehouse).read_bytes()
    assert content.count(b"\n") == 1
    assert content.isascii()
    assert shown(warehouse) == [expected]


@pytest.mark.parametrize(
    "damage",
    [
        b'{"time": "2026-03-01T10:00:00Z", "mess',  # killed in the middle of a line
        b"\n\n",
        b"\0" * 5000,
        b'{"time": "\xff"}\n',
        b'{"time": "yesterday"}\n[1]\n"x"\n{}\n',
    ],
)
def test_a_broken_line_costs_no_other(warehouse: Warehouse, damage: bytes) -> None:
    log_lines.write(warehouse.lake, {"message": "before"})
    with file_of(warehouse).open("ab") as file:
        file.write(damage)
    assert shown(warehouse) == ["before"]
    log_lines.write(warehouse.lake, {"message": "behind"})
    assert shown(warehouse) == ["before", "behind"]


def test_processes_write_side_by_side(warehouse: Warehouse) -> None:
    code = (
        "import sys; from pathlib import Path; from ingest.lake import log_lines\n"
        "for number in range(300): log_lines.write(Path(sys.argv[1]), {'message': 'x' * number})"
    )
    command = [sys.executable, "-c", code, str(warehouse.lake)]
    started = [subprocess.Popen(command) for _ in range(4)]
    assert [one.wait() for one in started] == [0] * 4
    lengths = sorted(len(str(text)) for text in shown(warehouse))
    assert lengths == sorted(list(range(300)) * 4)


@pytest.mark.parametrize("state", ["no lake", "no folder", "a file", "a link", "a full disk"])
def test_a_log_that_cannot_be_written_stops_nothing(
    tmp_path: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "w.lake"
    if state != "no lake":
        lake.mkdir()
    if state == "a file":
        (lake / "log").touch()
    if state == "a link":
        (lake / "log").mkdir()
        (lake / "log" / f"{datetime.now(UTC):%Y-%m-%d}.jsonl").symlink_to(tmp_path / "other")
    if state == "a full disk":

        def no_space(*_: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", no_space)
    with log_lines.under_way(lake, {"step": "build", "step_id": "a", "begun": BEGUN}):
        log_lines.write(lake, {"message": "x"})
    log_lines.note_interrupted(lake)
    assert log_lines.running(lake) == set()
    assert not (tmp_path / "other").exists()
    assert lake.exists() == (state != "no lake")
    written = state == "no folder"
    files = [file for file in lake.glob("log/2*.jsonl") if not file.is_symlink()]
    assert any(file.stat().st_size for file in files) == written


@pytest.mark.parametrize(("days", "kept"), [("", 180), ("2", 2), ("many", 180), ("9" * 30, 180)])
def test_old_files_are_removed(
    warehouse: Warehouse, days: str, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_LOG_DAYS", days)
    folder = warehouse.lake / "log"
    now = datetime.now(UTC)
    for age in (kept - 1, kept + 1):
        (folder / f"{now - timedelta(days=age):%Y-%m-%d}.jsonl").touch()
    (folder / "notes.jsonl").touch()
    log_lines.write(warehouse.lake, {"message": "x"})
    assert {file.name for file in folder.glob("*.jsonl")} == {
        "empty.jsonl",
        "notes.jsonl",
        f"{now:%Y-%m-%d}.jsonl",
        f"{now - timedelta(days=kept - 1):%Y-%m-%d}.jsonl",
    }


def test_a_step_whose_process_is_killed_is_interrupted(warehouse: Warehouse) -> None:
    code = (
        "import sys, time; from pathlib import Path; from ingest.lake import log_lines\n"
        "begun = {'step': 'build', 'step_id': 'a1', 'begun': '2026-03-01T10:00:00Z'}\n"
        "lake = Path(sys.argv[1]); log_lines.write(lake, begun | {'event': 'begun'})\n"
        "with log_lines.under_way(lake, begun): print('on', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, str(warehouse.lake)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "on\n"
        assert log_lines.running(warehouse.lake) == {"a1"}
        log_lines.note_interrupted(warehouse.lake)
        assert shown(warehouse, "step_id, status", "pipeline_step") == [("a1", None)]
        process.send_signal(signal.SIGKILL)
    assert log_lines.running(warehouse.lake) == set()
    for _ in range(2):  # it is noted once
        log_lines.note_interrupted(warehouse.lake)
        assert shown(warehouse, "step_id, status, ended_at, reason", "pipeline_step") == [
            ("a1", "interrupted", None, "its process was ended")
        ]
    assert len(file_of(warehouse).read_text().splitlines()) == 2
    assert not any((warehouse.lake / "log" / ".running").iterdir())


def test_a_damaged_note_of_a_step_is_dropped(warehouse: Warehouse) -> None:
    folder = warehouse.lake / "log" / ".running"
    folder.mkdir()
    for name, content in {"a": "", "b": "{", "c": "[]", "d": json.dumps({"x": 1})}.items():
        (folder / name).write_text(content)
    log_lines.note_interrupted(warehouse.lake)
    assert not any(folder.iterdir())
    assert shown(warehouse, "step", "pipeline_step") == []
