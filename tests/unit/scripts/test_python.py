"""Which Python an environment is made with."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from app.pipeline.places import ROOT
from tests.kit.cases import cases

NEEDED = "Python 3.11, 3.12 or 3.13"


def python(folder: Path, name: str, version: str, prefix: str = "/usr") -> None:
    """Write a Python that answers with a version and where it is installed."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\necho {version} {prefix}\n" if version else "#!/bin/sh\nexit 127\n")
    file.chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with the tools of the script, but no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "dirname", "grep", "mktemp", "rm", "sed", "seq", "sh", "tail", "tr"):
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def found(tools: Path, *arguments: str, wanted: str = "") -> subprocess.CompletedProcess[str]:
    """Run the script where only these tools are."""
    environment = {"PATH": str(tools), "PYTHON": wanted, "HOME": str(tools), "TMPDIR": str(tools)}
    return subprocess.run(
        ["sh", ROOT / "scripts/python.sh", *arguments],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@cases
def test_the_first_that_is_supported_or_the_one_that_is_named(
    tools: Path, there: dict[str, str], wanted: str, chosen: str
) -> None:
    for name, version in there.items():
        python(tools, name, version)
    assert found(tools, wanted=wanted).stdout == f"{tools / chosen}\n"


@cases
def test_one_that_is_named_and_not_supported_is_refused_with_the_reason(
    tools: Path, wanted: str, reason: str
) -> None:
    python(tools, "python3.11", "3.11")
    for name, version in {
        "python3.10": "3.10", "python3.14": "3.14", "python2": "2.7", "python3.1": "3.1",
        "broken": "",
    }.items():  # fmt: skip
        python(tools, name, version)
    refused = found(tools, wanted=wanted)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"setup: {reason}\n"


@cases
def test_an_environment_serves_if_its_python_is_supported_and_the_one_that_is_named(
    tools: Path, tmp_path: Path, version: str, prefix: str, wanted: str, serves: bool
) -> None:
    python(tools, "python3.13", "3.13")
    python(tmp_path / "venv/bin", "python", version, prefix)
    assert (found(tools, str(tmp_path / "venv"), wanted=wanted).returncode == 0) is serves


def test_without_one_uv_brings_it(tools: Path) -> None:
    (tools / "uv").write_text('#!/bin/sh\n[ "$2" = install ] || echo "/uv/$2 $*"\n')
    (tools / "uv").chmod(0o755)
    assert found(tools).stdout == "/uv/find python find --managed-python >=3.11,<3.14\n"


@pytest.mark.parametrize("uv", ["#!/bin/sh\necho no route >&2\nexit 1\n", None])
def test_if_none_can_be_had_one_line_says_what_to_install(tools: Path, uv: str | None) -> None:
    if uv:
        (tools / "uv").write_text(uv)
        (tools / "uv").chmod(0o755)
    refused = found(tools)
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[1:] == [
        (
            f"setup: {NEEDED} is needed, and uv could not download it: install one "
            "(Debian, Ubuntu: apt-get install python3 python3-venv) or name one with PYTHON="
        )
    ]
    assert not list(tools.glob("tmp.*"))
