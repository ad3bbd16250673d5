"""Plug-ins of others: the example SMF 88, what is wrong with them, and what comes second."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.pipeline.places import ROOT

EXAMPLE = ROOT / "examples" / "smf88"
CODE = """
from ingest.formats import plugin
from ingest.formats.layouts import RECORDS
from ingest.formats.names import PLAIN_VIEWS
print([one.name for one in plugin.plugins()], any(r.record_type == 88 for r in RECORDS))
print(*plugin.problems(), sep="\\n")
"""
BROKEN = "raise RuntimeError('it does not work')"
SECOND = """
from ingest.formats.layouts.zos_7 import SMF7_RECORD
from ingest.formats.names.view import View
from ingest.formats.plugin import Plugin
PLUGIN = Plugin("second", records=(SMF7_RECORD,), views=(View("mq__log_manager", "x", "y", ()),))
"""


def said(*folders: Path, path: Path | None = None) -> tuple[str, str]:
    """Return which plug-ins a new process has, and what is wrong with them."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, cwd=ROOT,
        env=os.environ | {
            "PERFHOUSE_PLUGINS": os.pathsep.join(map(str, folders)),
            "PYTHONPATH": os.pathsep.join(map(str, filter(None, (ROOT, path)))),
        },
    )  # fmt: skip
    found, _, wrong = done.stdout.partition("\n")
    return found, wrong.strip()


def package(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "__init__.py").write_text(text)
    return folder


def test_a_plugin_comes_from_a_folder_or_an_installed_package(tmp_path: Path) -> None:
    assert said(EXAMPLE / "perfhouse_smf88") == ("['smf88'] True", "")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    source = shutil.copytree(EXAMPLE, tmp_path / "source")
    subprocess.run(
        [*pip, "--no-build-isolation", "--target", tmp_path / "site", source], check=True
    )
    assert said(path=tmp_path / "site") == ("['smf88'] True", "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BROKEN, "cannot be imported: RuntimeError: it does not work"),
        ("PLUGIN = 7", "cannot be imported: TypeError: int is no Plugin"),
        ("x = 1", "cannot be imported: AttributeError"),
        (SECOND, "plug-in second: SMF 7 subtype -1 is left out: perfhouse has one"),
        (SECOND, "plug-in second: staging.mq__log_manager is left out: perfhouse has one"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_plugin_is_said_and_costs_only_itself(
    tmp_path: Path, text: str, why: str
) -> None:
    found, wrong = said(package(tmp_path / "other", text), EXAMPLE / "perfhouse_smf88")
    assert "smf88" in found
    assert why in wrong


def test_a_folder_takes_no_module_of_that_name_away(tmp_path: Path) -> None:
    _, wrong = said(package(tmp_path / "models_sim", "PLUGIN = 7"))
    assert "another module is called models_sim: rename the folder" in wrong
