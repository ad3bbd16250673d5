"""Locks that several processes want."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ingest.base import waiting
from ingest.base.errors import WarehouseError
from ingest.base.waiting import locked
from tests.kit.processes import other_process


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lock"


@pytest.mark.parametrize("command", ["perfhouse run", "a DAG's task", 'quoted "é"'])
def test_the_holder_is_named(file: Path, command: str) -> None:
    with (
        other_process(file, command) as holder,
        pytest.raises(WarehouseError) as raised,
        locked(file, wait=0),
    ):
        pass
    assert str(raised.value).startswith(f"{file}: in use by process {holder.pid} ({command}, since")


def test_a_lock_has_the_name_that_its_user_knows(file: Path) -> None:
    with (
        locked(file, wait=0),
        pytest.raises(WarehouseError, match=r"^w\.duckdb: in use by process"),
        locked(file, wait=0, name="w.duckdb"),
    ):
        pass


@pytest.mark.parametrize("noted", ["", "{", "[1]", '[1, "host", "an earlier one", "then"]'])
def test_a_note_that_is_not_the_holders_is_not_believed(file: Path, noted: str) -> None:
    with other_process(file) as holder:
        file.write_text(noted)
        with (
            pytest.raises(WarehouseError, match=rf"in use by process {holder.pid}$"),
            locked(file, wait=0),
        ):
            pass


def test_a_wait_that_is_over_says_how_long_it_was(file: Path) -> None:
    with (
        other_process(file, "perfhouse build") as holder,
        pytest.raises(WarehouseError, match=r"waited 0\.3 seconds") as raised,
        locked(file, wait=0.3),
    ):
        pass
    assert f"process {holder.pid} (perfhouse build, since " in str(raised.value)


def test_whoever_waits_is_told_once_for_whom(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(waiting, "_SILENT", 0.1)
    with (
        other_process(file, "perfhouse run") as holder,
        pytest.raises(WarehouseError),
        locked(file, wait=0.5),
    ):
        pass
    (line,) = caplog.messages
    assert f"waiting for process {holder.pid} (perfhouse run, since" in line
    assert line.endswith("up to 0.5 seconds")


def test_a_short_wait_says_nothing(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    with other_process(file), pytest.raises(WarehouseError), locked(file, wait=0.2):
        pass
    assert not caplog.messages


def test_a_killed_holder_frees_the_lock_of_those_who_wait(file: Path) -> None:
    with other_process(file) as holder:
        threading.Timer(0.3, holder.kill).start()
        with locked(file, wait=60):
            assert holder.wait() < 0


def test_a_lock_that_nobody_holds_names_nobody(file: Path) -> None:
    with locked(file, wait=0, command="perfhouse run"):
        assert b"perfhouse run" in file.read_bytes()
    assert file.read_bytes() == b""


def test_shared_locks_do_not_exclude_each_other(file: Path) -> None:
    is_used = pytest.raises(WarehouseError, match="in use")
    with (
        locked(file, wait=0, shared=True),
        locked(file, wait=0, shared=True),
        is_used,
        locked(file, wait=0),
    ):
        pass


def test_threads_exclude_each_other(file: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with locked(file, wait=60):
            order.append("second")

    with locked(file, wait=0):
        thread = threading.Thread(target=second)
        thread.start()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_the_lock_of_a_folder_that_was_replaced_meanwhile_does_not_count(tmp_path: Path) -> None:
    lake, other = tmp_path / "lake", tmp_path / "other"
    lake.mkdir(), other.mkdir()
    with other_process(lake / "lock") as holder:

        def replace() -> None:
            lake.rename(tmp_path / "gone")
            other.rename(lake)
            holder.kill()

        threading.Timer(0.3, replace).start()
        is_used = pytest.raises(WarehouseError, match=f"in use by process {os.getpid()}")
        with locked(lake / "lock", wait=60), is_used, locked(lake / "lock", wait=0):
            pass


def test_a_folder_that_is_gone_is_an_error(file: Path) -> None:
    with pytest.raises(FileNotFoundError), locked(file / "none" / "lock", wait=60):
        pass
