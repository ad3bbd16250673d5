"""What all tests share: a quiet environment and the place of the real sample dumps."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]

# The same settings as under make, also when pytest is called by itself.
for _line in (ROOT / "scripts/quiet.env").read_text().splitlines():
    if _match := re.fullmatch(r"([A-Z_]+)=(.*)", _line):
        os.environ.setdefault(*_match.groups())

SAMPLES = Path(os.environ.get("PERFHOUSE_SAMPLES", ROOT.parent / "shared/samples"))


class ByFixture(LoadScopeScheduling):
    """Gives tests that share a costly fixture to one worker: a file's, and all the dashboard's."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        folder = file.rpartition("/")[0]
        return folder if folder.endswith("/dashboard") else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFixture:
    return ByFixture(config, log)


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the real sample dumps (mq-smf/, peer-csv/); skips where there is none."""
    if not (SAMPLES / "mq-smf").is_dir():
        pytest.skip(f"no sample dumps in {SAMPLES} (PERFHOUSE_SAMPLES names another folder)")
    return SAMPLES


@pytest.fixture(scope="session")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Small synthetic dumps, the same at every run."""
    from models_sim.mq.synthetic import write_samples

    return write_samples(tmp_path_factory.mktemp("dumps"), 1)


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published file of what every checkout can load, as `perfhouse run` makes it.

    It takes a minute: the workers share one, and the first of them makes it.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "full"
    folder.mkdir(exist_ok=True)
    file = folder / "perfhouse.duckdb"
    command = Path(sys.executable).with_name("perfhouse")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            done = subprocess.run(
                [command, "run", "--warehouse", file], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "made").touch()
    return file
