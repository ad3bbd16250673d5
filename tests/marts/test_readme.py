"""The commands that README.md shows are ones that perfhouse has, and those of Ask run."""

import re
import shlex

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


def test_every_kind_of_finding_is_explained():
    """Kinds of runs are explained with their cost."""
    page = (ROOT / "docs/data-issues.md").read_text(encoding="utf-8")
    models = [*(ROOT / "dbt/models/intermediate").glob("*/int_*__issue.sql")]
    kinds = {
        kind
        for model in models
        if "runs" not in model.parts
        for kind in re.findall(r'call finding\(\s*"(\w+)"', model.read_text(encoding="utf-8"))
    }
    assert len(kinds) >= 12
    shown = {kind: f"`{kind}" + "`" * (not kind.endswith("_")) for kind in kinds}  # no_type_70
    assert {kind for kind in kinds if shown[kind] not in page} == set()
