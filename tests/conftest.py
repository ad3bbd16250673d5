"""Shared by all tests: environment, sample dumps, and the warehouse of the bundled inputs."""

import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any

import pytest
from filelock import FileLock

from ingest.lake.home import home
from tests.dbt_forked import fork_dbt

# Millions of objects of the collected tests stay: nobody looks through them for garbage.
gc.disable()

ROOT = Path(__file__).resolve().parents[1]

# The settings of the Makefile, also if pytest is run directly.
for _line in (ROOT / "scripts/quiet.env").read_text().splitlines():
    if _match := re.fullmatch(r"([A-Z_]+)=(.*)", _line):
        os.environ.setdefault(*_match.groups())

_ENVIRONMENT = dict(os.environ)  # before a test changes it
SAMPLES = Path(os.environ.get("PERFHOUSE_SAMPLES", ROOT.parent / "shared/samples"))


# The files that take longest, longest first; those that need a shared warehouse come after others.
# `make check` leaves them out.
LONG = (
    "perfhouse/test_wheel.py",
    "app/pipeline/test_incremental.py",
    "app/pipeline/test_retention.py",
    "dbt/test_project.py",
    "app/pipeline/test_backup.py",
    "app/pipeline/test_formats.py",
    "app/pipeline/test_hostile_data.py",
    "app/pipeline/test_lost_link.py",
    "app/pipeline/test_cut_restore.py",
    "app/pipeline/test_ducklake.py",
    "app/pipeline/test_ducklake_transaction.py",
    "ingest/lake/test_ducklake.py",
    "ingest/lake/test_queries.py",
    "ingest/lake/test_warehouse.py",
    "ingest/lake/test_views.py",
    "app/pipeline/test_regression_life.py",
    "ingest/formats/binary/test_roundtrip.py",
    "ingest/test_kill.py",
    "ingest/test_fuzz.py",
    "ingest/test_hostile.py",
    "app/pipeline/test_incremental_capacity.py",
    "ingest/formats/test_zeros.py",
    "models_sim/simulator/campaigns/test_hard_cases.py",
    "app/pipeline/test_build.py",
    "expectations/regressions/test_life.py",
    "app/pipeline/test_damage.py",
    "app/pipeline/test_waiting.py",
    "ingest/lake/test_folders.py",
    "ingest/test_loading.py",
    "app/cli/test_doctor.py",
    "ingest/test_load.py",
    "ingest/test_partial.py",
    "app/pipeline/test_nights.py",
    "models_sim/simulator/campaigns/test_z16_peak.py",
    "models_sim/simulator/campaigns/test_scenarios.py",
    "models_sim/simulator/campaigns/test_round_trip.py",
    "models_sim/simulator/campaigns/test_busy_day.py",
    "models_sim/simulator/campaigns/test_messaging.py",
    "models_sim/simulator/campaigns/test_outputs.py",
    "models_sim/simulator/bulk/test_estate.py",
    "ingest/test_decoder.py",
    "expectations/test_audit.py",
    "app/dashboard/test_browser.py",
    "app/dashboard/test_views.py",
    "app/dashboard/test_journeys.py",
    "app/pipeline/test_pipeline.py",
    "app/dashboard/test_systems.py",
    "app/dashboard/test_comparison.py",
)
SHARED_IN = 900  # seconds in which a shared warehouse has to be built


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that need a shared warehouse last, as it is being built; long files before others.

    So no worker begins a long file when the other has nothing left to do.
    """
    late = {item.path for item in items if _shared_by(item)}
    place = {ROOT / "tests" / file: number for number, file in enumerate(LONG)}
    items.sort(key=lambda item: (item.path in late, place.get(item.path, len(LONG))))
    for item in items:
        if _shared_by(item):
            item.add_marker(pytest.mark.timeout(SHARED_IN))
        if _shared_by(item) or item.path in place or item.get_closest_marker("airflow"):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Collect garbage again, of what tests make."""
    gc.freeze()
    gc.enable()


def _shared_by(item: pytest.Item) -> set[str]:
    """Return the names of the shared warehouses that a test uses."""
    return SHARED.keys() & item.fixturenames if isinstance(item, pytest.Function) else set()


# --- tests that `make check` leaves out

#: What only a test with the mark "slow" starts: builds, browsers, the dashboard.
_HEAVY = re.compile(
    r"app\.pipeline\.dbt|(?:app\.cli\.main|bin/perfhouse) (?:run|build|dashboard)\b"
    r"|^\S*(?:chrom|playwright)"
)
_running: list[pytest.Item] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Fail a test that starts one of these without the mark. Raises AssertionError."""
    if event != "subprocess.Popen" or not _running or current_thread() is not main_thread():
        return
    command = " ".join(map(os.fsdecode, arguments[1]))
    if not _running[0].get_closest_marker("slow") and (found := _HEAVY.search(command)):
        raise AssertionError(f"a test that starts {found[0]!r} needs pytest.mark.slow")


sys.addaudithook(_watch)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Know which test runs."""
    _running[:] = [item]
    try:
        return (yield)
    finally:
        _running.clear()


@pytest.fixture(scope="session", autouse=True)
def _dbt_is_forked() -> Iterator[None]:
    """Start dbt once for all builds in this process."""
    with pytest.MonkeyPatch.context() as patch:
        fork_dbt(patch)
        yield


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the real sample dumps (mq-smf/, peer-csv/); skips if it is missing."""
    if not (SAMPLES / "mq-smf").is_dir():
        pytest.skip(f"no sample dumps in {SAMPLES} (PERFHOUSE_SAMPLES names another folder)")
    return SAMPLES


@pytest.fixture(scope="session")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Small synthetic dumps, always the same."""
    from models_sim.simulator.mq.samples import write_samples

    return write_samples(tmp_path_factory.mktemp("dumps"), 1)


# --- warehouses that are built once, for all workers

#: Fixture -> the process that publishes warehouse/perfhouse.duckdb in the data folder, which is {}.
SHARED = {
    "full": ["app.cli.main", "run"],
    "campaigns": ["tests.app.pipeline.campaigns", "{}/warehouse"],
}


@pytest.fixture(scope="session", autouse=True)
def _shared_begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Start building the shared warehouses while tests run that do not need them."""
    used = set().union(*map(_shared_by, request.session.items))
    files = [_shared_folder(tmp_path_factory, name) for name in SHARED if name in used]
    Thread(target=lambda: [_made(folder) for folder in files], daemon=True).start()


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published file of the bundled inputs, as `perfhouse run` makes it; shared by workers."""
    return _made(_shared_folder(tmp_path_factory, "full"))


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published file of the campaigns of documents 000 to 004 and of the hard cases; shared."""
    return _made(_shared_folder(tmp_path_factory, "campaigns"))


def _shared_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


def _made(folder: Path) -> Path:
    """Return the warehouse's file; the first caller makes it."""
    command = [part.format(folder) for part in SHARED[folder.name]]
    with FileLock(folder / "lock"):
        if not (folder / "made").exists():
            (folder / "warehouse").mkdir()
            for kept in ("cache", "samples"):  # they take a while to make
                (home() / kept).mkdir(parents=True, exist_ok=True)
                (folder / kept).symlink_to(home() / kept)
            done = subprocess.run(
                [sys.executable, "-m", *command],
                capture_output=True, text=True, check=False, cwd=ROOT,
                env=_ENVIRONMENT | {"PERFHOUSE_HOME": str(folder)},
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "made").touch()
    return folder / "warehouse" / "perfhouse.duckdb"
