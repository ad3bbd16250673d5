"""Files that replace others in one step, and quoting for SQL."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import duckdb
import pytest

from ingest.base.files import replacing, sweep
from ingest.lake.sql import identifier, literal

NAMES = ["plain", "", "it's", '"quoted"', "'; DROP TABLE t; --", "a\nb", "ü\\'\""]


def test_a_file_is_replaced_only_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "file"
    for content in ("first", "second"):
        with replacing(file) as draft:
            draft.write_text(content)
            assert not file.exists() or file.read_text() == "first"
        assert file.read_text() == content
    assert list(file.parent.iterdir()) == [file]


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("first")
    with pytest.raises(RuntimeError), replacing(file) as draft:
        draft.write_text("half")
        raise RuntimeError
    assert file.read_text() == "first"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_came_meanwhile_can_stay(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with replacing(file, existing=False) as draft:
        draft.write_text("own")
        file.write_text("of another process")
    assert file.read_text() == "of another process"
    assert list(tmp_path.iterdir()) == [file]


def test_drafts_of_ended_processes_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    own = tmp_path / f"own.{os.getpid()}"
    # Its number was given to this process after the one that wrote it had ended.
    of_another = tmp_path / f"another.{os.getpid()}"
    left = [tmp_path / f"ended.{ended.pid}", of_another]
    for draft in (own, tmp_path / "no_draft", *left):
        draft.mkdir()
    os.utime(of_another, (0, 0))
    sweep(tmp_path, "*")
    assert {draft.name for draft in tmp_path.iterdir()} == {own.name, "no_draft"}


@pytest.mark.parametrize("text", NAMES)
def test_quoted_text_is_text_to_sql(text: str) -> None:
    assert duckdb.sql(f"SELECT {literal(text)}").fetchall() == [(text,)]


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_a_quoted_name_is_a_name_to_sql(name: str) -> None:
    assert duckdb.sql(f"SELECT 1 AS {identifier(name)}").columns == [name]
