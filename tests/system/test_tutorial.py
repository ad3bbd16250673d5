"""The tutorial, command by command, in a folder of its own."""

import re
import shlex
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline.places import ROOT

PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
STEPS = re.findall(r"^    ([a-z]+ [^\n]+)$|^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
#: What ends with another status than 0: the page says so.
FOUND = {"run first/web.csv", "compare b020..b029 b030..b039"}


@pytest.mark.timeout(1800)
def test_the_tutorial_runs_as_printed(bundled, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first").mkdir()
    said = {}
    for shown, program in STEPS:
        if program:
            exec(compile(program, "tutorial", "exec"), {})
            continue
        word, *rest = shlex.split(shown)
        if word == "export":
            given = dict(one.split("=", 1) for one in rest)
            monkeypatch.setenv("PERFHOUSE_WAREHOUSE", given["PERFHOUSE_WAREHOUSE"])
        elif word == "perfhouse" and rest == ["run"]:  # the fixture is what it makes
            monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(bundled))
        elif word == "perfhouse" and rest != ["dashboard"]:
            command = " ".join(rest)
            status = main(rest)
            output = capsys.readouterr()
            assert status == (command in FOUND), f"{command}: {output}"
            said[command] = " ".join(output.out.split())
        else:
            assert shown in {"make setup", "perfhouse dashboard"}
    assert_what_the_page_says(said)


def assert_what_the_page_says(said):
    (verdict,) = (text for command, text in said.items() if "machine=z16" in command)
    assert re.search(r"\d+ better, \d+ undecided", verdict)
    assert "worse" not in verdict
    assert "clients factor" in said["run first/web.csv --dry-run"]
    assert re.search(r"p95_ms figure p95 ms less is better", said["run first/web.csv --dry-run"])
    assert "build b030" in said["run first/web.csv"]
    assert Path("first/regressions.md").stat().st_size > 500
    (rates,) = (text for command, text in said.items() if "rate_mb_per_second" in command)
    assert rates.endswith("4 rows")
