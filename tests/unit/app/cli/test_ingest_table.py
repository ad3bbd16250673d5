"""What `perfhouse ingest` prints, and its status."""

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


def test_what_is_no_input_is_listed_and_no_error_unless_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in (("a", MANIFEST.format("a")), ("form", MANIFEST.format("NAME")),
                          ("notes.txt", "unknown")):  # fmt: skip
        (folder / name).write_text(content)
    warehouse = ["--warehouse", str(tmp_path / "w.duckdb")]
    assert main(["ingest", str(folder), *warehouse, "--verbose"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "3 files: 1 loaded, 1 form, 1 quarantined; 1 run",
        f"{folder}/a: loaded, run_manifest, 0.0 MB, 1 record, 0 set aside, 1 row",
        f"{folder}/form: form, not read, 0.0 MB, 0 records, 0 set aside, 0 rows",
        f"{folder}/notes.txt: quarantined, unknown, 0.0 MB, 0 records, 1 set aside, 0 rows",
        "no known form: notes.txt (docs/inputs.md lists what is read)",
    ]
    assert said.err.startswith(f"{folder}/form: a form of 'perfhouse init': complete campaign")
    for name in ("form", "other.png"):
        (folder / "other.png").write_text("other")
        assert main(["ingest", str(folder / "a"), str(folder / name), *warehouse]) == 2
