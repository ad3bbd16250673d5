"""Every command: its help, its exit statuses, and what it suggests for a misspelt word."""

from __future__ import annotations

import json
import re

import pytest

import app.cli.main as cli
from app.cli.main import main
from tests.unit.app.cli.test_sql import warehouse  # noqa: F401 - a fixture

COMMANDS = sorted(cli._parser()._subparsers._group_actions[0].choices)  # type: ignore[union-attr]
WITHOUT_WAREHOUSE = {"changepoints", "completion", "init", "predict", "simulate"}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_the_exit_statuses(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    printed = capsys.readouterr().out
    assert re.search(r"^exit status:\n  0  success\n", printed, re.MULTILINE)
    assert ("--warehouse" in printed) == (command not in WITHOUT_WAREHOUSE)
    if command not in {"build", "publish", "reload"}:  # which take nothing
        assert f"examples:\n  perfhouse {command}" in printed


def test_examples_in_help_can_be_parsed() -> None:
    """Each example is a command line that its command takes."""
    import shlex

    parser = cli._parser()
    for command in COMMANDS:
        epilog = parser._subparsers._group_actions[0].choices[command].epilog  # type: ignore[union-attr]
        examples = epilog.partition("exit status")[0].replace("\\\n", " ")
        for line in re.findall(r"^  perfhouse (.*?)(?: >>? .*)?$", examples, re.MULTILINE):
            assert parser.parse_args(shlex.split(line)).command == command


MISSPELT = [
    # words, what is said
    (["buidl"], "no command 'buidl'; did you mean 'build'? (see 'perfhouse --help')"),
    (["xyzzy"], "no command 'xyzzy'; known: run, ingest,"),
    (["sql", "--fromat", "csv", "SELECT 1"], "no option '--fromat'; did you mean '--format'"),
    (["sql", "SELECT 1", "--format", "cvs"], "--format: no choice 'cvs'; did you mean 'csv'"),
    (["build", "dumps"], "one argument too many: 'dumps' (see 'perfhouse build --help')"),
    (["simulate", "nightli"], "no scenario 'nightli'; did you mean 'nightly'"),
    (["report", "regresions", "--out", "x.md"], "'regresions'; did you mean 'regressions'?"),
    (["regressions", "reopne"], "did you mean 'reopen'?"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), MISSPELT)
def test_a_misspelt_word_gets_a_suggestion(
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    warehouse: object,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(warehouse.file))  # type: ignore[attr-defined]
    assert main(words) == 2
    errors = capsys.readouterr().err
    assert said in errors or "nothing is published" in errors
    assert errors.count("\n") == 1


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert re.fullmatch(r"perfhouse \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_quiet_prints_nothing_but_what_was_asked_for(
    warehouse: object,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = str(warehouse.file)  # type: ignore[attr-defined]
    assert main(["sql", "SELECT 1 AS n", "--json", "-q", "--warehouse", file]) == 0
    assert json.loads(capsys.readouterr().out) == [{"n": 1}]
    assert main(["doctor", "--quiet", "--warehouse", file]) in {0, 1}
    assert capsys.readouterr().out == ""


def test_doctor_prints_json(
    warehouse: object,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["doctor", "--json", "--warehouse", str(warehouse.file)])  # type: ignore[attr-defined]
    findings = json.loads(capsys.readouterr().out)
    assert {"state", "about", "found", "fix"} <= findings[0].keys()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_for_perfhouse(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "perfhouse" in capsys.readouterr().out
