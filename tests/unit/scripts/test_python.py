"""Which Python an environment is made with."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from app.pipeline.places import ROOT

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


@pytest.mark.parametrize(
    ("there", "wanted", "chosen"),
    [
        ({"python3.11": "3.11"}, "", "python3.11"),
        ({"python3.12": "3.12", "python3": "3.12"}, "", "python3.12"),
        ({"python3.13": "3.13", "python3.14": "3.14", "python3": "3.14"}, "", "python3.13"),
        ({"python3": "3.13"}, "", "python3"),
        ({"python3.11": "", "python3.13": "3.13"}, "", "python3.13"),  # a shim of nothing
        ({"python3.11": "3.11", "python3.13": "3.13"}, "python3.13", "python3.13"),
        ({"python3.11": "3.11", "mine": "3.12"}, "mine", "mine"),
    ],
)
def test_the_first_that_is_supported_or_the_one_that_is_named(
    tools: Path, there: dict[str, str], wanted: str, chosen: str
) -> None:
    for name, version in there.items():
        python(tools, name, version)
    assert found(tools, wanted=wanted).stdout == f"{tools / chosen}\n"


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ("python3.10", f"PYTHON=python3.10 is Python 3.10; perfhouse needs {NEEDED}"),
        ("python3.14", f"PYTHON=python3.14 is Python 3.14; perfhouse needs {NEEDED}"),
        ("python2", f"PYTHON=python2 is Python 2.7; perfhouse needs {NEEDED}"),
        ("python3.1", f"PYTHON=python3.1 is Python 3.1; perfhouse needs {NEEDED}"),
        ("nothing", f"PYTHON=nothing cannot be run; perfhouse needs {NEEDED}"),
        ("broken", f"PYTHON=broken cannot be run; perfhouse needs {NEEDED}"),
    ],
)
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


@pytest.mark.parametrize(
    ("version", "prefix", "wanted", "serves"),
    [
        ("3.11", "/usr", "", True),
        ("3.12", "/usr", "", True),
        ("3.10", "/usr", "", False),
        ("", "", "", False),  # its Python is gone
        ("3.13", "/usr", "python3.13", True),
        ("3.11", "/usr", "python3.13", False),
        ("3.13", "/opt", "python3.13", False),  # another installation
    ],
)
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
