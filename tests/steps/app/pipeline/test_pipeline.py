"""The command line from dumps to query results, on the bundled inputs."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.bundled import samples
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import next_id, write_result
from ingest.lake.seal import seal_what_is_there
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.warehouses import copied

# The bundled inputs have no rejected run, no two builds whose difference could be explained, and
# nothing that is wrong with the data.
NOTHING_BUNDLED = {"fct_run_refused", "fct_run_explanation", "fct_run_price"}
PERFHOUSE = Path(sys.executable).with_name("perfhouse")


def perfhouse(*arguments, **environment):
    """Run the installed command; return its exit status, stdout and stderr."""
    done = subprocess.run(
        [PERFHOUSE, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def warehouse(bundled):
    """The warehouse of the bundled inputs; the tests here do not change it."""
    return Warehouse(bundled)


def query(warehouse, sql):
    status, printed, complaint = perfhouse(
        "sql", sql, "--format", "json", "--warehouse", warehouse.file
    )
    assert status == 0, complaint
    return json.loads(printed)


def test_every_mart_has_rows(warehouse):
    with warehouse.connect() as db:
        marts = db.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'marts'"
        ).fetchall()
        assert marts
        empty = [m for (m,) in marts if not db.execute(f"FROM marts.{m} LIMIT 1").fetchall()]
    assert set(empty) == NOTHING_BUNDLED


#: The steps of the command that made the published build; other tests load its inputs again.
STEPS = """
    CREATE OR REPLACE TEMP TABLE steps AS FROM meta.pipeline_step WHERE process = (
        SELECT process FROM meta.pipeline_step
        WHERE step = 'build' AND build_id = (SELECT build_id FROM meta.build)
    )
"""


def test_the_log_has_the_figures_of_each_step(warehouse):
    with warehouse.connect() as db:
        db.execute(STEPS)
        steps = db.execute(
            "SELECT step, list(DISTINCT status), list(DISTINCT command) FROM steps "
            "GROUP BY step ORDER BY min(begun_at)"
        ).fetchall()
        assert steps == [
            (step, ["ok"], ["perfhouse run"])
            for step in ("ingest", "build", "compact", "check", "publish")
        ]
        ingested = db.execute(
            "SELECT sum(loads), sum(bytes), sum(records_quarantined), sum(failures) "
            "FROM steps WHERE step = 'ingest'"
        ).fetchall()
        assert (
            ingested
            == db.execute(
                "SELECT count(*), sum(bytes), sum(records_quarantined), 0 FROM raw.ledger"
            ).fetchall()
        )
        built, audited, published = db.sql(
            "SELECT * FROM steps WHERE step IN ('build', 'check', 'publish') ORDER BY begun_at"
        ).pl().rows(named=True)  # fmt: skip
        found = db.execute(
            "SELECT count(*) FROM meta.expectation_result "
            "WHERE check_id = $1 AND NOT passed AND severity IN ('error', 'fault')",
            [audited["check_id"]],
        ).fetchall()
        assert found == [(audited["failures"],)]
        builds = db.execute("SELECT build_id FROM meta.build").fetchall()
        assert builds == [(built["build_id"],)]
        assert built["build_id"] == audited["build_id"] == published["build_id"]
        assert built["is_whole"]
        assert built["nodes"] > 100  # those that read records
    assert published["published_bytes"] == warehouse.file.stat().st_size
    assert published["lake_files"] > 100


def test_the_marts_of_steps_have_those_before_the_build(warehouse):
    by_step = "SELECT step, {}, sum(records) FROM {} GROUP BY step ORDER BY step"
    with warehouse.connect() as db:
        db.execute(STEPS)
        before = db.execute(
            by_step.format("count(*)", "steps SEMI JOIN marts.fct_pipeline_step USING (step_id)")
        ).fetchall()
        assert [step for step, *_ in before] == ["compact", "ingest"]
        for counted in (
            ("count(*)", "marts.fct_pipeline_step"),
            ("sum(steps)", "marts.fct_pipeline_day"),
        ):
            assert db.execute(by_step.format(*counted)).fetchall() == before


def test_every_row_of_every_mart_has_an_origin(warehouse):
    with warehouse.connect() as db:
        marts = db.execute(
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_schema = 'marts' AND table_name LIKE 'fct_%' "
            "AND table_name NOT LIKE 'fct_pipeline_%'"  # about perfhouse itself
        ).fetchall()
        for (mart,) in marts:
            origins = db.execute(f"SELECT DISTINCT origin FROM marts.{mart}").fetchall()
            assert {origin for (origin,) in origins} <= {"simulated", "published"}, mart
            assert origins or mart in NOTHING_BUNDLED, mart


def test_messages_put_are_those_of_mqput_and_mqput1_in_every_mart(warehouse):
    (calls,) = query(
        warehouse,
        "SELECT sum(puts) AS put, sum(put1s) AS put1, "
        "sum(put_requests_per_second * interval_seconds) AS rate "
        "FROM marts.fct_queue_manager_interval WHERE system_id = 'SYN1'",
    )
    both = calls["put"] + calls["put1"]
    assert calls["put"] < both == pytest.approx(calls["rate"])
    for mart in ("fct_usage_hour", "fct_queue_accounting", "fct_application_cost"):
        found = f"SELECT sum(messages_put) AS n FROM marts.{mart} WHERE system_id = 'SYN1'"
        assert query(warehouse, found) == [{"n": both}], mart
    differ = """
        SELECT count(*) > 0 AS some, count_if(of_queues.n <> puts + put1s) AS n FROM (
            SELECT queue_manager, interval_start_utc, sum(messages_put) AS n
            FROM marts.fct_queue_interval GROUP BY ALL
        ) AS of_queues
        JOIN marts.fct_queue_manager_interval USING (queue_manager, interval_start_utc)
    """
    assert query(warehouse, differ) == [{"some": True, "n": 0}]


def test_a_figure_that_cannot_be_is_published_with_status_1(bundled, tmp_path):
    file = copied(bundled, tmp_path / "copy").file
    with Warehouse(file).open_work() as db:
        db.execute("UPDATE marts.fct_queue_manager_interval SET gets_per_second = -1")
    status, printed, _ = perfhouse("check", "--warehouse", file)
    assert status == 1
    assert "error: marts.fct_queue_manager_interval" in printed
    before = file.stat().st_ino
    status, _, complaint = perfhouse("publish", "--warehouse", file)
    assert (status, complaint) == (0, "")
    assert file.stat().st_ino != before
    found = printed.splitlines()
    status, printed, _ = perfhouse("run", *samples().glob("*.smf*"), "--warehouse", file)
    assert (status, printed.splitlines()[-len(found) :]) == (1, found)  # nothing new is still wrong


def test_readers_keep_the_last_build_if_perfhouse_lost_rows(bundled, tmp_path):
    file = copied(bundled, tmp_path / "copy").file
    (rows, *_) = sorted(Warehouse(file).lake.glob("raw/[!_]*/smf_record.*.parquet"))
    rows.unlink()
    seal_what_is_there(rows.parent)  # a file that the disk lost would be noticed
    status, printed, _ = perfhouse("check", "--warehouse", file)
    assert status == 2
    assert "fault: raw.ledger_count: the ledger and raw.smf_record have different" in printed
    before = file.stat().st_ino
    status, _, complaint = perfhouse("publish", "--warehouse", file)
    assert status == 2
    assert "a fault of perfhouse, please report it: raw.ledger_count" in complaint
    assert file.stat().st_ino == before


def test_the_last_audit_decides_even_if_the_clock_went_back(tmp_path):
    warehouse = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(warehouse)
    with warehouse.open_work() as db:
        db.execute(
            "CREATE TABLE meta.build AS SELECT 'b' AS build_id, now()::TIMESTAMP AS built_at, "
            "'' AS code_version, 0 AS loads, '' AS models, '' AS predictions"
        )
    passed = ExpectationOutcome("raw", "raw.t", "x", "", True, "fault", "", "")
    lost = replace(passed, passed=False, message="rows are lost")
    ahead = datetime.now(UTC) + timedelta(hours=1)
    write_result(
        AuditResult(f"{ahead:%Y%m%dT%H%M%S%f}-ffffff", "b", (passed,)), warehouse.audit, ""
    )
    write_result(AuditResult(next_id(warehouse.audit), "b", (lost,)), warehouse.audit, "")
    with pytest.raises(steps.StepError, match="rows are lost"):
        steps.publish(warehouse)


def test_publishing_does_not_wait_for_readers(small, tmp_path):
    warehouse = copied(small, tmp_path / "copy")
    with warehouse.connect() as reader:
        old = reader.execute("SELECT count(*) FROM marts.dim_load").fetchall()
        steps.publish(warehouse)
        assert reader.execute("SELECT count(*) FROM marts.dim_load").fetchall() == old
    with duckdb.connect(str(warehouse.file), read_only=True) as db:
        assert db.execute("SELECT count(*) FROM marts.dim_load").fetchall() == old


@cases
def test_wrong_usage_is_exit_status_2_and_one_line(
    arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(tmp_path / "w.duckdb"))
    assert main(arguments) == 2
    complaint = capsys.readouterr().err
    assert message in complaint
    assert complaint.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_every_view_of_the_published_file_can_be_read(warehouse):
    with warehouse.connect() as db:
        views = db.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_schema IN ('raw', 'meta', 'staging', 'intermediate')"
        ).fetchall()
        assert {schema for schema, _ in views} == {"raw", "meta", "staging", "intermediate"}
        for schema, name in views:
            db.execute(f"FROM {schema}.{name} LIMIT 1").fetchall()
