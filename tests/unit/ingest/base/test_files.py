"""Files that replace others in one step, and quoting for SQL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ingest.base import files, waiting
from ingest.base.files import draft, draft_folder, replacing, sweep
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


def test_a_draft_of_a_living_writer_stays_wherever_that_is(tmp_path: Path) -> None:
    """Not even one of another process with the number of this one, as in two containers."""
    ended = "import os, sys\nfrom ingest.base.files import draft\nfrom pathlib import Path\n"
    ended += "with draft(Path(sys.argv[1]), 'x') as one:\n one.mkdir()\n os._exit(1)"
    subprocess.run([sys.executable, "-c", ended, str(tmp_path)], check=False)
    (left,) = (one for one in tmp_path.iterdir() if one.is_dir())
    left.with_name(f"{left.name}.wal").touch()
    for name in ("no_draft", ".x.draft-abc", ".x.12345"):  # files of others
        (tmp_path / name).touch()
    with draft(tmp_path, "own") as own, draft_folder(tmp_path, "o" * 255) as folder:
        own.touch()
        sweep(tmp_path)
        assert own.exists()
        assert folder.exists()
    assert {one.name for one in tmp_path.iterdir()} == {"no_draft", ".x.draft-abc", ".x.12345"}


def test_a_lock_that_is_new_may_be_taken_for_one_that_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer then chooses another name."""
    tries = iter([False, False])
    monkeypatch.setattr(
        files, "try_lock", lambda file: waiting.try_lock(file) if next(tries, True) else None
    )
    with draft(tmp_path, "x") as place:
        assert waiting.try_lock(place.with_name(f"{place.name}.lock")) is None


@pytest.mark.parametrize("text", NAMES)
def test_quoted_text_is_text_to_sql(text: str) -> None:
    assert duckdb.sql(f"SELECT {literal(text)}").fetchall() == [(text,)]


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_a_quoted_name_is_a_name_to_sql(name: str) -> None:
    assert duckdb.sql(f"SELECT 1 AS {identifier(name)}").columns == [name]
