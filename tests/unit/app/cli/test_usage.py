"""Every command: its help, its exit statuses, and what it suggests for a misspelt word."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import app.cli.main as cli
from app.cli.main import main
from tests.kit.manifests import load

COMMANDS = sorted(cli._parser()._subparsers._group_actions[0].choices)  # type: ignore[union-attr]
WITHOUT_WAREHOUSE = {"builds", "changepoints", "completion", "init", "predict", "simulate"}


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


def test_doctor_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json", "--warehouse", str(load(tmp_path).file)])
    findings = json.loads(capsys.readouterr().out)
    assert {"state", "about", "found", "fix"} <= findings[0].keys()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_for_perfhouse(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "perfhouse" in capsys.readouterr().out
