"""The DAGs under a real scheduler: from the landing folder to published marts and reports."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import ClassVar

import pytest

from app.pipeline import steps
from app.pipeline.landing import ingest_files
from ingest.lake.seal import seal_what_is_there
from ingest.lake.warehouse import Warehouse
from tests.kit.airflow import DAGS, Airflow, running, wait

NIGHT = "2026-01-05"

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for everything."""
    return tmp_path_factory.mktemp("airflow")


@pytest.fixture(scope="module")
def warehouse(folder: Path, dumps: list[Path]) -> Warehouse:
    """A warehouse with a load whose records are gone, as if perfhouse had lost them."""
    landing = folder / "landing/simulated"
    landing.mkdir(parents=True)
    for dump in dumps:
        shutil.copy(dump, landing)
    made = Warehouse(folder / "perfhouse.duckdb")
    steps.prepare(made)
    ingest_files(made, folder / "landing", [landing / dumps[0].name])
    (rows,) = made.raw.glob("[!_]*/smf_record.*.parquet")
    lost = folder / "lost" / rows.relative_to(made.raw)
    lost.parent.mkdir(parents=True)
    rows.rename(lost)
    seal_what_is_there(rows.parent)  # a file that the disk lost would be noticed
    return made


class MailServer(StreamRequestHandler):
    """Takes any mail."""

    received: ClassVar[list[bytes]] = []

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while verb := self.rfile.readline()[:4].upper():
            if verb == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.received.append(b"".join(lines))
            self.wfile.write(b"250 taken\r\n")


@pytest.fixture(scope="module")
def mails() -> Iterator[tuple[int, list[bytes]]]:
    """The port of a mail server, and what it received."""
    with ThreadingTCPServer(("127.0.0.1", 0), MailServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], MailServer.received
        server.shutdown()


@pytest.fixture(scope="module")
def airflow(
    folder: Path, warehouse: Warehouse, mails: tuple[int, list[bytes]]
) -> Iterator[Airflow]:
    """Airflow as `make airflow` runs it."""
    mail = f"smtp://127.0.0.1:{mails[0]}?disable_ssl=true&disable_tls=true"
    with running(
        folder,
        {
            "AIRFLOW_CONN_SMTP_DEFAULT": mail,
            "PERFHOUSE_NOTIFY_MAIL": "operator@example.com",
            "PERFHOUSE_WAREHOUSE": str(warehouse.file),
        },
    ) as started:
        yield started


def test_a_fault_is_not_published(
    airflow: Airflow, warehouse: Warehouse, mails: tuple[int, list[bytes]]
) -> None:
    states = wait(lambda: airflow.ended("perfhouse_build"), "the first build")
    assert states == {
        "is_behind": "success",
        "build": "success",
        "check": "failed",
        "publish": "upstream_failed",
        "notify": "success",
    }
    with warehouse.connect() as db:
        assert not db.execute("FROM duckdb_tables() WHERE schema_name = 'marts'").fetchall()
    (mail,) = mails[1]
    assert b"To: operator@example.com" in mail
    assert b"Subject: Airflow alert" in mail


def test_what_arrived_is_published_and_reported(
    airflow: Airflow, warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    (lost,) = folder.glob("lost/*/*")
    load = warehouse.raw / lost.parent.name
    lost.rename(load / lost.name)
    seal_what_is_there(load)
    run = airflow.trigger("perfhouse_build")
    states = wait(lambda: airflow.ended("perfhouse_build", run), "the second build")
    assert set(states.values()) <= {"success", "skipped"}  # that of each hour may have been first
    with warehouse.connect() as db:
        loads = db.execute("SELECT path, origin FROM raw.ledger").fetchall()
        (marts,) = db.execute("SELECT count(*) FROM marts.fct_queue_manager_interval").fetchall()
    assert {(Path(path).name, origin) for path, origin in loads} == {
        (dump.name, "simulated") for dump in dumps
    }
    assert marts[0] > 0
    states = wait(lambda: airflow.ended("perfhouse_report"), "the reports")
    assert states == {"regressions": "success", "campaign": "skipped"}  # there are no runs yet
    assert "<h1" in (folder / "data/reports/regressions.html").read_text()


def test_a_night_is_simulated_and_compared_although_the_scheduler_is_killed(
    airflow: Airflow, warehouse: Warehouse
) -> None:
    assert airflow.kill("scheduler")
    airflow.unpause("perfhouse_nightly")
    airflow.post(
        "/backfills",
        dag_id="perfhouse_nightly",
        from_date=f"{NIGHT}T00:00:00Z",
        to_date=f"{NIGHT}T23:59:59Z",
    )
    states = wait(lambda: airflow.ended("perfhouse_nightly"), "the night")
    assert states == {"simulate": "success", "published": "success", "compare": "success"}
    with warehouse.connect() as db:
        found = db.execute(
            "SELECT campaign, count(*) FROM marts.fct_run WHERE start_utc::DATE = $1 GROUP BY ALL",
            [NIGHT],
        ).fetchall()
    assert found == [("nightly", 10)]


def test_a_build_without_new_loads_does_nothing(airflow: Airflow, warehouse: Warehouse) -> None:
    # Today's night was simulated, too.
    wait(lambda: airflow.rests("perfhouse_nightly", "perfhouse_build"), "all builds")
    before = warehouse.file.stat()
    run = airflow.trigger("perfhouse_build")
    states = wait(lambda: airflow.ended("perfhouse_build", run), "the idle build")
    assert states["is_behind"] == "success"
    assert {states[task] for task in ("build", "check", "publish", "notify")} == {"skipped"}
    after = warehouse.file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("dag", DAGS)
def test_every_dag_has_a_run_that_succeeds(airflow: Airflow, dag: str) -> None:
    airflow.unpause(dag)
    if not airflow.runs(dag):
        airflow.trigger(dag)
    wait(lambda: airflow.runs(dag, state="success"), f"a run of {dag}")
