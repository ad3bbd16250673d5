"""A full disk or a folder that may not be written: one line, status 2, nothing left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import next_id, write_result
from tests.kit.manifests import load, manifest

PERFHOUSE = f"{sys.executable} -m app.cli.main"
OWN_DISKS = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]


class Said(NamedTuple):
    status: int
    line: str
    drafts: set[str]  # unfinished files that were not there before


def on_a_small_disk(folder: Path, free: int, command: str) -> Said:
    """Run a perfhouse command on a copy of a folder, on a disk with `free` KB."""
    disk = folder.with_name("disk")
    disk.mkdir(exist_ok=True)
    script = f"""
        mount -t tmpfs -o size=100m tmpfs "$1" || exit 99
        cp -a "$2/." "$1" && cd "$1" || exit 98
        find . -type f | sort > "$2.before"
        available=$(df --output=avail . | tail -1)
        dd if=/dev/zero of=filler bs=1024 count=$((available - $3)) status=none
        {PERFHOUSE} {command} --warehouse w.duckdb >"$2.out" 2>"$2.err"
        status=$?
        find . -type f ! -name filler | sort > "$2.after"
        exit $status
    """
    done = subprocess.run(
        [*OWN_DISKS, "sh", "-c", script, "sh", disk, folder, str(free)], check=False
    )
    if done.returncode == 99:
        pytest.skip("this machine does not let a test mount a disk of its own")
    held = {name: folder.with_name(f"{folder.name}.{name}") for name in ("before", "after", "err")}
    texts = {name: file.read_text() for name, file in held.items()}
    left = set(texts["after"].splitlines()) - set(texts["before"].splitlines())
    drafts = {file for file in left if "/." in file or file.startswith("./w.lake/staging")}
    return Said(done.returncode, texts["err"].strip(), drafts)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a warehouse whose build is audited, and a file to load."""
    folder = tmp_path_factory.mktemp("small") / "warehouse"
    folder.mkdir()
    warehouse = load(folder)
    with warehouse.open_work() as db:
        db.execute(
            "CREATE TABLE meta.build AS SELECT 'b' AS build_id, now()::TIMESTAMP AS built_at, "
            "'' AS code_version, 0 AS loads, '' AS models, '' AS predictions"
        )
    passed = ExpectationOutcome("raw", "raw.t", "x", "", True, "fault", "", "")
    result = AuditResult(next_id(warehouse.audit), "b", (passed,))
    write_result(result, warehouse.audit, "")
    manifest(folder, "june")
    return folder


@pytest.mark.parametrize(
    ("command", "free"),
    [
        ("publish", 400),
        ("ingest june.toml", 0),
        ("check", 0),
        ("build", 400),
    ],
)
def test_a_full_disk_is_named(built: Path, command: str, free: int) -> None:
    said = on_a_small_disk(built, free, command)
    assert said.status == 2
    assert "/disk" in said.line.partition("No space left on device")[0]
    assert len(said.line.splitlines()) == 1
    assert said.drafts == set()


def test_a_folder_that_may_not_be_written_is_named(built: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:  # who may write everywhere, unless that is taken away
        limits = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
    else:
        limits = []
    folder = tmp_path / "read only"
    shutil.copytree(built, folder, symlinks=True)
    folder.chmod(0o500)
    done = subprocess.run(
        [*limits, *PERFHOUSE.split(), "publish", "--warehouse", folder / "w.duckdb"],
        capture_output=True,
        text=True,
        check=False,
    )
    folder.chmod(0o700)
    assert done.returncode == 2
    assert done.stderr == (
        f"perfhouse: {folder}: Permission denied; the user who runs perfhouse lacks permission\n"
    )
    assert not list(folder.glob(".*"))
