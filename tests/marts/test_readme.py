"""The commands that README.md shows are ones that perfhouse has, and those of Ask run."""

import re
import shlex

import polars as pl
import pytest

from app.cli.main import _parser, main
from app.pipeline.places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = [
    shlex.split(line, comments=True)[1:]
    for line in re.findall(r"^    (perfhouse .+)", README, re.MULTILINE)
]
#: Commands that name no file of the reader's, and neither serve nor build.
RUN = [
    words for words in SHOWN if words[0] in ("sql", "compare", "regressions", "report", "predict")
]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_every_command_of_the_readme_is_one(words):
    assert _parser().parse_args(words).command == words[0]


def test_the_readme_shows_how_to_ask():
    assert {words[0] for words in RUN} == {"sql", "compare", "regressions", "report", "predict"}


@pytest.mark.parametrize("words", RUN, ids=" ".join)
def test_the_commands_of_the_readme_run_on_the_bundled_data(words, bundled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(bundled))
    assert main(words) == (words[:2] == ["compare", "machine=z15"])


def test_the_page_of_exit_statuses_names_commands_that_exist():
    page = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")
    named = {name.split()[0] for cell in re.findall(r"^\| (`.+?`) \|", page, re.MULTILINE)
             for name in re.findall(r"`(.+?)`", cell)}  # fmt: skip
    assert {"run", "check", "compare", "doctor"} <= named
    for name in named:
        assert f"    {name} " in _parser().format_help()


def test_the_seed_of_kinds_has_those_that_the_models_find():
    kinds = pl.read_csv(ROOT / "dbt/seeds/lake/data_issue_kind.csv")
    for (area,), known in kinds.group_by("area"):
        model = ROOT / f"dbt/models/intermediate/{area}/int_{area}__issue.sql"
        text = model.read_text(encoding="utf-8")
        called = re.findall(r'call (?:run_)?finding\("(\w+)"\)', text)
        looped = re.findall(r'^ +\(?"([a-z]+_[a-z_]+)",', text, re.MULTILINE)
        made = [f"no_type_{type_}" for type_ in (70, 72, 30)] + ["ziip_boost", "speed_boost"]
        found = {*called, *looped, *(made if area == "zos_cpu" else ())}
        assert found >= set(known["kind"]) >= set(called), area
