"""The table of loads that `perfhouse ingest` prints."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from app.cli.common import without_middle
from app.cli.main import main

LONG = "mft-z15_2021-03-01T10.00.00_xLinux_to_zOS_binary_10MB_tls_{}.manifest.toml"
SHORT = "June.toml"
MANIFEST = """
perfhouse_manifest = 1
campaign = "{}"
[[run]]
start = 2026-03-01T10:00:00Z
stop = 2026-03-01T10:02:00Z
"""


@pytest.mark.parametrize("columns", [60, 80, 100, 132])
def test_a_file_has_one_line_with_both_ends_of_its_name(
    columns: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [SHORT, LONG.format("AES"), LONG.format("ECC")]
    for name in names:
        (tmp_path / name).write_text(MANIFEST.format(name))
    monkeypatch.setattr("app.cli.common.console._width", columns)
    file = tmp_path / "w.duckdb"
    assert main(["ingest", str(tmp_path), "--warehouse", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].rstrip() == "Files"
    first, *others = [line.split()[0] for line in lines[2:5]]
    assert first == SHORT
    for shown, name in zip(others, names[1:], strict=True):
        start, _, end = shown.partition("…")
        assert len(start) >= 5
        assert name.startswith(start)
        assert name.endswith(end)
    assert max(map(len, lines[:5])) <= columns
    assert any("SELECT path FROM raw.ledger" in line and str(file) in line for line in lines) == (
        columns < 132
    )


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("smf.dump", 8, "smf.dump"),
        ("smf30.dump", 8, "smf…dump"),
        ("smf30.dump", 3, "s…p"),
        ("漢字漢字漢字", 8, "漢…漢字"),
    ],
)
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
