"""perfhouse init on records; on results it is a session."""

import re
import tomllib

from app.cli.main import main
from app.pipeline.starting import MANIFEST


def uncommented(text, *names):
    """Return a file with the lines of some keys or tables set."""
    return re.sub(rf"^# (?=(?:{'|'.join(names)}))", "", text, flags=re.MULTILINE)


def test_records_get_a_manifest_with_their_systems(tmp_path, capsys):
    dump = next(iter(sorted(simulated(tmp_path / "made"))))
    folder = tmp_path / "records"
    folder.mkdir()
    dump.rename(folder / dump.name)
    assert main(["init", str(folder)]) == 0
    text = (folder / MANIFEST).read_text()
    made = tomllib.loads(text)
    assert made["perfhouse_manifest"] == 1
    assert made["scope"]["lpars"]
    assert re.search(rf"^#   {dump.name}: SMF, records from 20", text, re.MULTILINE)
    completed = uncommented(text, r"\[\[run", "start =", "stop =").replace('"NAME" ', '"c" ')
    warehouse = ["--warehouse", str(tmp_path / "w.duckdb")]
    for content, status in (
        (text, "1 form"),
        (uncommented(text, r"\[\[run", "start =", "stop ="), "1 form"),
        (text.replace('"NAME" ', '"c" '), "1 form"),
        (completed, "1 loaded"),
    ):
        (folder / MANIFEST).write_text(content)
        main(["ingest", str(folder / MANIFEST), *warehouse])
        assert f"1 file: {status}; " in capsys.readouterr().out


def simulated(folder):
    """Return the dumps of a small campaign."""
    assert main(["simulate", "estate", "--lpars", "2", "--days", "1", "--out", str(folder)]) == 0
    return [file for file in folder.rglob("*") if file.suffix in {".smf", ".bin", ".dump"}]
