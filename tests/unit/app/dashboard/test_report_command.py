"""The command that the page Reports shows, as a shell takes it."""

from __future__ import annotations

import shlex

import pytest

from app.dashboard.views.reports import command


@pytest.mark.parametrize(
    "name",
    [
        "mft-z15",
        "two words",
        "it's",
        "x'; rm -rf ~; '",
        "$(id) `id` $HOME",
        "-v",
        "a\nb",
        'say "x"',
    ],
)
def test_the_command_of_a_report_is_quoted(name: str) -> None:
    shown = command("release", "r.pdf", {"campaign": name, "own": name, "run": "", "none": None})
    assert shlex.split(shown) == [
        "report", "release", "--out", "r.pdf", f"--campaign={name}", f"--set=own={name}",
    ]  # fmt: skip
