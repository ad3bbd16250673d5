"""Warehouses that are made once a test run, each by the command that a user would run.

Tests that only ask take `bundled` or `cases`: the published file, which nobody changes. Tests that
change something take a copy of a folder: `copied(days, folder)`, `copied(lake, folder)`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from app.pipeline.places import ROOT
from ingest.base.waiting import locked
from ingest.lake.home import home
from ingest.lake.warehouse import Warehouse
from tests.kit.manifests import manifest

__all__ = ["LATE", "PROFILE", "RECORDS", "RUNS", "SCENARIOS", "copied"]

#: Days of `days` with a run, and some of which only records are loaded; so far apart that a change
#: of some touches less than half of all.
RUNS, RECORDS = (0, 1, 11, 13, 20, 21), (30, 31)
#: Its days that nobody has loaded yet: between two others, after some, and after all.
LATE = (12, 22, 40)
LAKE_DAYS = (0, 10, 20)  # of the last one only records
#: Of `campaigns`.
SCENARIOS = (
    "mft-features",
    "mft-linux",
    *("zcx", "zcx-wan", "z16", "z16-figures"),
)
#: A lake on this machine: what stands in the file beside a warehouse's.
PROFILE = 'catalog = "sqlite:catalog.sqlite"\ndata = "data"\n'

_MERGED = """
import sys
import time
from pathlib import Path
from app.pipeline.steps import ingest_paths, merge_loads
from ingest.lake.warehouse import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
ingest_paths(warehouse, sys.argv[2:])
merge_loads(warehouse)
"""
_LONG = 3600.0  # seconds
_ENVIRONMENT, _HOME = dict(os.environ), home()  # before a test changes them


def _run(folder: Path, *arguments: str | Path, statuses: tuple[int, ...] = (0,)) -> None:
    """Run `perfhouse run` in a data folder of its own; its status is one of these."""
    _python(folder, "-m", "app.cli.main", "run", *map(str, arguments), statuses=statuses)


def _python(folder: Path, *arguments: str, statuses: tuple[int, ...] = (0,)) -> None:
    """Run Python on a data folder, in a process that no test changes."""
    for kept in ("cache", "samples"):  # they take a while to make
        if not (folder / kept).is_symlink():
            (_HOME / kept).mkdir(parents=True, exist_ok=True)
            (folder / kept).symlink_to(_HOME / kept)
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT,
        env=_ENVIRONMENT | {"PERFHOUSE_HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode in statuses, done.stdout + done.stderr
    assert "break a fact" not in " ".join(done.stdout.split()), done.stdout


def _make_bundled(folder: Path) -> None:
    """The bundled inputs, as `make run` loads them."""
    _run(folder)


def _make_cases(folder: Path) -> None:
    """All folders `input` of tests/marts, and the published figures; there are errors in them."""
    inputs = sorted((ROOT / "tests/marts").glob("*/*/input"))
    _run(folder, *inputs, ROOT / "data/published", statuses=(1,))


def _make_small(folder: Path) -> None:
    """Three runs in May, June and July, without records; the first two loads are merged."""
    *first, last = (manifest(folder / "files", month) for month in ("may", "june", "july"))
    _python(folder, "-c", _MERGED, str(folder / "warehouse/perfhouse.duckdb"), *map(str, first))
    _run(folder, last)


def _make_days(folder: Path) -> None:
    """Small days, whole ones of records of capacity, and a run where the first late day is missing.

    All files stay in the folder `files`, also those that are not loaded: late days, their output.
    """
    from tests.kit.days import write_capacity, write_day, write_output, write_run_after

    files = folder / "files"
    days = {day: write_day(files, day) for day in (*RUNS, *RECORDS, *LATE)}
    capacity = [write_capacity(files / "capacity", day) for day in range(3)]
    hole = write_run_after(days[LATE[0] - 1], files / "hole")
    write_output(days[LATE[-1]], files / "output")
    records = (days[day] / "smf" for day in RECORDS)
    _run(folder, *map(days.get, RUNS), *records, *capacity[::2], hole)


def _make_lake(folder: Path) -> None:
    """Some days in DuckLake with a catalog in SQLite."""
    from tests.kit.days import write_day

    (folder / "warehouse").mkdir()
    (folder / "warehouse/perfhouse.toml").write_text(PROFILE)
    *runs, records = (write_day(folder / "files", day) for day in LAKE_DAYS)
    _run(folder, *runs, records / "smf")


def _make_campaigns(folder: Path) -> None:
    """The campaigns of documents 000 to 004, and the published figures."""
    import polars as pl

    from models_sim.simulator.campaigns import simulate, write
    from models_sim.simulator.campaigns.scenarios.mft_linux import CHUNKS

    for name in SCENARIOS:
        campaign = simulate(name)
        if name == "mft-linux":  # runs of 10 and 100 MB, and some of 1 MB
            some = pl.col("file_size_mb").is_in([10, 100]) | (
                (pl.col("chunk_size") == min(CHUNKS)) & (pl.col("md5") == "N")
            )
            runs = campaign.runs.filter(some, pl.col("repetition") == 1)
            campaign = campaign._replace(runs=runs)
        write(campaign, folder / "files" / name)
    _run(folder, folder / "files", ROOT / "data/published")


#: Fixture -> what makes the warehouse in a data folder.
_READY: dict[str, Callable[[Path], None]] = {
    "bundled": _make_bundled, "cases": _make_cases, "small": _make_small, "days": _make_days,
    "lake": _make_lake, "campaigns": _make_campaigns,
}  # fmt: skip


def copied(ready: Path, folder: Path) -> Warehouse:
    """Copy a ready warehouse's folder, for a test that changes it.

    Files of rows are hard links: they never change. DuckDB changes all others in place.
    """
    shutil.copytree(ready.parent, folder, symlinks=True, copy_function=_linked_or_copied)
    copy = Warehouse(folder / ready.name)
    copy.point_views_at_own_lake()
    return copy


def _linked_or_copied(source: str, target: str) -> None:
    if source.endswith(".parquet"):
        with suppress(OSError):  # on another file system
            os.link(source, target)
            return
    shutil.copy2(source, target)


@pytest.fixture(scope="session", autouse=True)
def _ready_begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Begin to make the warehouses that tests will ask for, while others run."""
    used = {
        name
        for item in request.session.items
        if isinstance(item, pytest.Function)
        for name in _READY.keys() & set(item.fixturenames)
    }
    make = [name for name in _READY if name in used]
    if make:  # what two threads must not do at once
        tmp_path_factory.getbasetemp()
    Thread(target=lambda: [_made(tmp_path_factory, name) for name in make], daemon=True).start()


def _fixture(name: str) -> Callable[..., Path]:
    """Return the fixture of a ready warehouse's published file."""

    @pytest.fixture(scope="session", name=name)
    def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
        return _made(tmp_path_factory, name)

    return ready


bundled, cases, small, days, lake, campaigns = map(_fixture, _READY)


def _made(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    """Return a ready warehouse's published file; the first process that asks makes it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"ready-{name}"
    folder.mkdir(exist_ok=True)
    with locked(folder / "lock", wait=_LONG, silent=_LONG):
        # A test may have closed the lock of the process that makes it.
        while (folder / "maker").exists() and not (folder / "made").exists():
            os.kill(int((folder / "maker").read_text()), 0)
            time.sleep(1)
        if not (folder / "made").exists():
            (folder / "maker").write_text(str(os.getpid()))
            error = ""
            try:
                # In a process of its own: tests change this one meanwhile.
                _python(folder, "-m", "tests.kit.warehouses", name, str(folder))
            except AssertionError as failure:
                error = str(failure)
            (folder / "made").write_text(error)
            (folder / "maker").unlink()
    error = (folder / "made").read_text()
    assert not error, error
    return folder / "warehouse" / "perfhouse.duckdb"


if __name__ == "__main__":
    _READY[sys.argv[1]](Path(sys.argv[2]))
