"""perfhouse init: what it writes is valid, says what was found, and completes into runs."""

import re
import tomllib

import pytest

from app.cli.main import main
from app.pipeline.starting import MANIFEST


def uncommented(text, *names):
    """Return a file with the lines of some keys or tables set."""
    return re.sub(rf"^# (?=(?:{'|'.join(names)}))", "", text, flags=re.MULTILINE)


def test_settings_of_results_say_how_each_column_is_read(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(
        "start,clients,p95_ms,depth_count\n2026-01-05T03:00:00Z,8,1,2\n"
    )
    (tmp_path / "k6.json").write_text('{"metrics": {"http_reqs": {"rate": 1}}}')
    (tmp_path / "notes.txt").write_text("hello")
    assert main(["init", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "notes.txt: not recognised" in said.err
    file = tmp_path / "perfhouse-results.toml"
    text = file.read_text()
    assert tomllib.loads(text) == {"labels": {}, "better": {}}
    for line in ("#   clients: factor", "#   p95_ms: figure p95, ms, less is better",
                 "#   k6.json: k6", '# "depth_count" = "less"  # or more'):  # fmt: skip
        assert line in text.splitlines()
    file.write_text(uncommented(text, "campaign", "git_revision", '"depth_count"'))
    assert main(["run", str(tmp_path), "--dry-run"]) == 2  # of notes.txt
    said = capsys.readouterr().out
    assert "campaign NAME" in said
    assert re.search(r"figure depth_count +count +less is better", said)
    assert main(["init", str(tmp_path)]) == 2
    assert "perfhouse-results.toml is there already" in capsys.readouterr().err


def test_a_table_that_is_not_understood_gets_a_mapping_of_its_own(tmp_path, capsys):
    table = tmp_path / "old.csv"
    table.write_text("when,p95_ms\n2026-01-05T03:00:00Z,1\n")
    assert main(["init", str(tmp_path)]) == 0
    beside = tmp_path / "old.csv.results.toml"
    assert "Not understood yet: line 1: no column says when" in beside.read_text()
    mapped = uncommented(beside.read_text(), "start =").replace('"COLUMN"', '"when"', 1)
    beside.write_text(mapped)
    assert main(["run", str(table), "--dry-run"]) == 0
    assert "1 run, 1 figure" in capsys.readouterr().out


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
    (folder / MANIFEST).write_text(uncommented(text, r"\[\[run", "start =", "stop ="))
    warehouse = ["--warehouse", str(tmp_path / "w.duckdb")]
    assert main(["ingest", str(folder / MANIFEST), *warehouse]) == 0
    assert re.search(r"perfhouse-manifest.toml +loaded", capsys.readouterr().out)


def simulated(folder):
    """Return the dumps of a small campaign."""
    assert main(["simulate", "estate", "--lpars", "2", "--days", "1", "--out", str(folder)]) == 0
    return [file for file in folder.rglob("*") if file.suffix in {".smf", ".bin", ".dump"}]


@pytest.mark.parametrize("content", [None, "hello"])
def test_a_folder_without_results_is_refused(tmp_path, capsys, content):
    if content:
        (tmp_path / "a.txt").write_text(content)
    assert main(["init", str(tmp_path)]) == 2
    assert "no results, no records: nothing to write" in capsys.readouterr().err
