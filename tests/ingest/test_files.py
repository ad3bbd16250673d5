"""Files that replace others in one step, and quoting for SQL."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.files import replacing
from ingest.sql import identifier, literal

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


@pytest.mark.parametrize("text", NAMES)
def test_quoted_text_is_text_to_sql(text: str) -> None:
    assert duckdb.sql(f"SELECT {literal(text)}").fetchall() == [(text,)]


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_a_quoted_name_is_a_name_to_sql(name: str) -> None:
    assert duckdb.sql(f"SELECT 1 AS {identifier(name)}").columns == [name]
