"""The table of loads that `perfhouse ingest` prints."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from app.cli.common import without_middle
from app.cli.main import main
from tests.kit.cases import cases

MANIFEST = """
perfhouse_manifest = 1
campaign = "{}"
[[run]]
start = 2026-03-01T10:00:00Z
stop = 2026-03-01T10:02:00Z
"""


@cases
def test_the_middle_of_a_long_name_is_left_out(text: str, width: int, shown: str) -> None:
    assert without_middle(text, width) == shown
    assert cell_len(shown) <= width


def test_of_many_files_those_are_listed_that_were_not_simply_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.cli.loading._LISTED", 2)
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).write_text(MANIFEST.format(name))
    for name in ("c", "d", "e"):
        (tmp_path / name).write_text(f"unknown {name}")
    assert main(["ingest", str(tmp_path), "--warehouse", str(tmp_path / "w.duckdb")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "5 files: 2 loaded, 3 quarantined"
    assert [line.split()[0] for line in lines[3:5]] == ["c", "d"]
