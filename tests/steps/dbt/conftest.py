"""The build of an empty warehouse, which the first process that asks for it makes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from app.pipeline.lineage import note_lineage
from app.pipeline.places import ROOT
from ingest.base.waiting import locked
from ingest.lake.warehouse import Warehouse

#: One `dbt build`: seeds, models, data tests and unit tests, all or of what is chosen.
RUN = """
import gc, os, pathlib, sys
from app.pipeline import dbt, dbt_parse, lineage, shortcuts
gc.disable()
shortcuts.install()
chosen = ["--select", *sys.argv[1:]] if sys.argv[1:] else []
parsed = dbt_parse.parse_project([])
lineage.write_lineage(parsed, pathlib.Path(os.environ["DBT_LOG_PATH"]))
sys.exit(not dbt._invoke(parsed, "build", "--threads", "1", *chosen).success)
"""
_LONG = 3600.0  # seconds


@pytest.fixture(scope="session")
def empty_build(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return dbt's output, and a build of an empty warehouse, which nobody changes.

    PERFHOUSE_UNIT_TESTS chooses models as dbt does, for scripts/mutants.py.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "empty-build"
    folder.mkdir(exist_ok=True)
    work, output = folder / "copy.duckdb", folder / "output"
    with locked(folder / "lock", wait=_LONG, silent=_LONG):
        if not output.exists():
            output.write_text(_built(folder, work))
    return output.read_text(), work


def _built(folder: Path, work: Path) -> str:
    warehouse = Warehouse(folder / "perfhouse.duckdb")
    warehouse.create()
    chosen = os.environ.get("PERFHOUSE_UNIT_TESTS", "").split()
    with warehouse.open_work() as db:  # opening it creates the raw views
        db.execute("CREATE TABLE IF NOT EXISTS meta.build AS SELECT 'of nothing' AS build_id")
    shutil.copyfile(warehouse.work, work)
    (log := folder / "dbt").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", RUN, *chosen],
        cwd=ROOT,
        env=os.environ
        | {
            "PERFHOUSE_WORK": str(work),
            "DBT_TARGET": "copy",
            "DBT_INDIRECT_SELECTION": "buildable",
            "DBT_TARGET_PATH": str(log / "target"),
            "DBT_LOG_PATH": str(log),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    with duckdb.connect(str(work)) as db:
        note_lineage(db, log)
    return done.stdout
