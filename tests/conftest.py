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


# The files that take longest, longest first.
LONG = (
    "perfhouse/test_wheel.py",
    "app/pipeline/test_incremental.py",
    "app/pipeline/test_retention.py",
    "app/pipeline/test_backup.py",
    "app/pipeline/test_hard_cases.py",
    "dbt/test_project.py",
    "app/pipeline/test_hostile_data.py",
    "app/pipeline/test_features.py",
    "app/pipeline/test_document_001.py",
    "app/pipeline/test_document_004.py",
    "ingest/test_kill.py",
    "app/pipeline/test_incremental_capacity.py",
    "app/dashboard/test_browser.py",
    "app/pipeline/test_regression_life.py",
    "app/dashboard/test_views.py",
    "app/pipeline/test_pipeline.py",
    "app/pipeline/test_document_002.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that need the full warehouse last, as it is being built; long files before others.

    So no worker begins a long file when the other has nothing left to do.
    """
    late = {item.path for item in items if _uses_full(item)}
    place = {ROOT / "tests" / file: number for number, file in enumerate(LONG)}
    items.sort(key=lambda item: (item.path in late, place.get(item.path, len(LONG))))


def _uses_full(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "full" in item.fixturenames


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


@pytest.fixture(scope="session", autouse=True)
def full_begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Start building the full warehouse while tests run that do not need it."""
    if any(map(_uses_full, request.session.items)):
        Thread(target=_make_full, args=(_full_folder(tmp_path_factory),), daemon=True).start()


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published file of the bundled inputs, as `perfhouse run` makes it; shared by workers."""
    return _make_full(_full_folder(tmp_path_factory))


def _full_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "full"
    folder.mkdir(exist_ok=True)
    return folder


def _make_full(folder: Path) -> Path:
    """Return the warehouse's file; the first caller makes it."""
    file = folder / "perfhouse.duckdb"
    command = Path(sys.executable).with_name("perfhouse")
    with FileLock(folder / "lock"):
        if not (folder / "made").exists():
            done = subprocess.run(
                [command, "run", "--warehouse", file], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "made").touch()
    return file
