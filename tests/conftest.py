"""Shared by all tests: environment, sample dumps, and the warehouse of the bundled inputs."""

import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[1]

# The settings of the Makefile, also if pytest is run directly.
for _line in (ROOT / "scripts/quiet.env").read_text().splitlines():
    if _match := re.fullmatch(r"([A-Z_]+)=(.*)", _line):
        os.environ.setdefault(*_match.groups())

SAMPLES = Path(os.environ.get("PERFHOUSE_SAMPLES", ROOT.parent / "shared/samples"))


# The files that take longest, longest first; those that need a shared warehouse come after others.
LONG = (
    "perfhouse/test_wheel.py",
    "app/pipeline/test_incremental.py",
    "app/pipeline/test_retention.py",
    "dbt/test_project.py",
    "app/pipeline/test_backup.py",
    "app/pipeline/test_formats.py",
    "app/pipeline/test_hostile_data.py",
    "ingest/test_compact.py",
    "ingest/test_warehouse.py",
    "ingest/test_views.py",
    "app/pipeline/test_regression_life.py",
    "ingest/binary/test_roundtrip.py",
    "ingest/test_kill.py",
    "ingest/test_fuzz.py",
    "ingest/test_hostile.py",
    "app/pipeline/test_incremental_capacity.py",
    "app/dashboard/test_browser.py",
    "app/dashboard/test_views.py",
    "app/dashboard/test_journeys.py",
    "app/pipeline/test_pipeline.py",
    "app/dashboard/test_systems.py",
    "app/dashboard/test_comparison.py",
)
SHARED_IN = 900  # seconds in which a shared warehouse has to be built


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that need a shared warehouse last, as it is being built; long files before others.

    So no worker begins a long file when the other has nothing left to do.
    """
    late = {item.path for item in items if _shared_by(item)}
    place = {ROOT / "tests" / file: number for number, file in enumerate(LONG)}
    items.sort(key=lambda item: (item.path in late, place.get(item.path, len(LONG))))
    for item in filter(_shared_by, items):
        item.add_marker(pytest.mark.timeout(SHARED_IN))


def _shared_by(item: pytest.Item) -> set[str]:
    """Return the names of the shared warehouses that a test uses."""
    return SHARED.keys() & item.fixturenames if isinstance(item, pytest.Function) else set()


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

#: Fixture -> the process that publishes perfhouse.duckdb in the folder it is given last.
SHARED = {
    "full": ["app.cli.main", "run", "--warehouse", "{}/perfhouse.duckdb"],
    "campaigns": ["tests.app.pipeline.campaigns", "{}"],
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
            done = subprocess.run(
                [sys.executable, "-m", *command],
                capture_output=True, text=True, check=False, cwd=ROOT,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "made").touch()
    return folder / "perfhouse.duckdb"
