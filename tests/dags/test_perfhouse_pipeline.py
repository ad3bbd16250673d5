"""The DAG, run by Airflow with its own database on real files."""

import csv
import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from app.pipeline import steps
from ingest.warehouse import Warehouse
from tests.conftest import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
TOO_HIGH = """
[[baseline]]
name = "a rate that no queue manager reaches"
table = "marts.fct_queue_manager_interval"
metric = "put_requests_per_second"
where = {origin = "%s"}
value = 1e12
unit = "1/s"
tolerance_percent = 1
source = "this test"
why = "it is an error, but no fault of perfhouse"
"""

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for Airflow's home, the landing folder and the warehouse."""
    return tmp_path_factory.mktemp("airflow")


@pytest.fixture(scope="module")
def airflow(folder: Path) -> Command:
    """Run one `airflow` command as `make airflow` would, with its own database."""

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", ROOT / "scripts/airflow.sh", *arguments],
            env=os.environ
            | {
                "AIRFLOW_HOME": str(folder / "home"),
                "PERFHOUSE_LANDING": str(folder / "landing"),
                "PERFHOUSE_SETTLED": "0",
                "PERFHOUSE_WAREHOUSE": str(folder / "perfhouse.duckdb"),
            }
            | more,
            capture_output=True,
            text=True,
            check=False,
        )

    migrated = run("db", "migrate")
    assert migrated.returncode == 0, migrated.stderr
    return run


@pytest.fixture(scope="module")
def arrived(folder: Path, dumps: list[Path]) -> tuple[set[str], str]:
    """The names and the origin of the dumps in the landing folder, real ones if there are any."""
    real = sorted(SAMPLES.glob("mq-smf/*.dat"))
    landing = folder / "landing" if real else folder / "landing/simulated"
    landing.mkdir(parents=True)
    for dump in real or dumps:
        shutil.copy(dump, landing)
    return {dump.name for dump in real or dumps}, "measured" if real else "simulated"


def query(folder: Path, sql: str) -> list[dict[str, str]]:
    """Query the published file."""
    perfhouse = ROOT / ".venv/bin/perfhouse"
    command = [perfhouse, "sql", sql, "--format", "csv", "--warehouse", folder / "perfhouse.duckdb"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(csv.DictReader(io.StringIO(answer.stdout)))


def test_each_file_defines_a_dag(airflow: Command) -> None:
    files = {path.name for path in (ROOT / "dags").glob("*.py")}
    report = airflow("dags", "report", "--output", "json")
    rows = json.loads(report.stdout.splitlines()[-1])  # the log goes to stdout too
    found = {Path(row["file"]).name: int(row["dag_num"]) for row in rows}
    assert files
    assert {name for name, dags in found.items() if dags} == files


@pytest.fixture(scope="module")
def stray(folder: Path) -> Path:
    """A folder in the lake with rows that no load has, as if perfhouse had lost its ledger."""
    warehouse = Warehouse(folder / "perfhouse.duckdb")
    steps.ingest_paths(warehouse, [ROOT / "tests/ingest/bench/samples/ioping.txt"])
    rows = warehouse.lake / "raw" / ("f" * 64)
    rows.mkdir()
    lost = pl.DataFrame({"source_id": ["f" * 64], "record_no": [1], "reason": ["lost"]})
    lost.write_parquet(rows / "quarantine.0.parquet")
    return rows


@pytest.mark.timeout(900)
def test_new_files_are_published_unless_perfhouse_lost_rows(
    airflow: Command, folder: Path, arrived: tuple[set[str], str], stray: Path
) -> None:
    names, origin = arrived
    published = folder / "perfhouse.duckdb"
    baselines = folder / "baselines.toml"
    baselines.write_text(TOO_HIGH % origin)

    # A fault: raw records can be queried, but there are no marts.
    failed = airflow("dags", "test", "perfhouse_pipeline")
    assert failed.returncode != 0
    loads = query(folder, "SELECT path, origin FROM raw.ledger")
    assert {(Path(load["path"]).name, load["origin"]) for load in loads} == {
        ("ioping.txt", "measured"),
        *((name, origin) for name in names),
    }
    assert not query(folder, "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'marts'")

    # The cause is removed: there are no new files, but the loads are not published yet. An error
    # does not matter.
    shutil.rmtree(stray)
    passed = airflow("dags", "test", "perfhouse_pipeline", PERFHOUSE_BASELINES=str(baselines))
    assert passed.returncode == 0, passed.stdout
    (built,) = query(folder, "SELECT loads FROM meta.build")
    assert int(built["loads"]) == 1 + len(names)
    failed_rates = "FROM meta.expectation_result WHERE NOT passed AND suite = 'rates'"
    assert query(folder, f"SELECT DISTINCT severity {failed_rates}") == [{"severity": "error"}]
    (mart,) = query(folder, "SELECT count(*) AS n FROM marts.fct_queue_manager_interval")
    assert int(mart["n"]) > 0

    # Nothing to do: the published file does not change.
    before = published.stat()
    idle = airflow("dags", "test", "perfhouse_pipeline")
    assert idle.returncode == 0, idle.stdout
    after = published.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
