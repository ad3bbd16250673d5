"""Records of a campaign agree with each other; tests/marts compare its runs with the truth."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from app.pipeline.steps import ingest_paths
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, truth, write
from tests.kit.truth_of_runs import prepared

SCENARIO = "smoke"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("campaign")
    write(simulate(SCENARIO), folder / "files")
    warehouse = Warehouse(folder / "w.duckdb")
    loads = ingest_paths(warehouse, [folder / "files"])
    assert {load.status for load in loads} == {"loaded"}
    with warehouse.connect() as found:
        yield prepared(found)


def test_classes_and_uncaptured_time_add_up_to_the_processors(db) -> None:
    rows = db.execute("""
        SELECT run_id, r.system,
               sum(((c.r723ccpu / w.r723mcpu) + (c.r723csrb / w.r723msrb)) * w.r723madj / 1600)
               + sum(c.r723ciit) / 1e6
        FROM raw.smf72_3_service_report_class_period AS c
        JOIN raw.smf72_3_workload_manager_control AS w USING (source_id, record_no)
        JOIN record72_3 AS r USING (source_id, record_no) WHERE NOT w.r723mrcl GROUP BY ALL
    """).fetchall()
    given = truth(SCENARIO).filter(
        pl.col("metric") == "cpu_seconds", pl.col("address_space").is_null()
    )
    used = {(r["run_id"], r["system_id"]): r["value"] for r in given.iter_rows(named=True)}
    assert len(rows) == 12
    for run_id, system, seconds in rows:
        assert seconds / used[run_id, system] == pytest.approx(0.94, rel=1e-4)


@pytest.mark.parametrize(
    ("connection", "bytes_of", "end"),
    [("AGNTA1", "putbytes", "source"), ("AGNTA3", "getbytes", "target")],
)
def test_agents_put_and_get_the_moved_bytes(connection, bytes_of, end, db) -> None:
    rows = db.execute(f"""
        SELECT run_id, sum({bytes_of}) FROM raw.smf116_wq
        JOIN raw.smf116_wtid USING (source_id, record_no)
        JOIN raw.smf116_wtas USING (source_id, record_no)
        JOIN run ON wtasints = run.start AND wtasinte = run.stop
        WHERE wtidccn = '{connection}' AND objname NOT SIMILAR TO 'SYSTEM.FTE.(REPLY|STATE).*'
        GROUP BY ALL
    """).fetchall()
    runs = simulate(SCENARIO).runs.filter(pl.col(end) == "z/OS")
    assert dict(rows) == dict(runs.select("run_id", "bytes").iter_rows())


def test_all_files_are_simulated_and_none_is_quarantined(db) -> None:
    assert db.execute("SELECT DISTINCT origin FROM raw.ledger").fetchall() == [("simulated",)]
    assert db.execute("SELECT count(*) FROM raw.quarantine").fetchall() == [(0,)]
    names = db.execute("SELECT path FROM raw.ledger").fetchall()
    assert not [name for (name,) in names if Path(name).name == "ORIGIN"]


def test_no_two_records_of_a_queue_manager_are_equal(db) -> None:
    for kind in (115, 116):
        rows = db.execute(f"""
            SELECT count(*), count(DISTINCT (sm{kind}ssi, sm{kind}stf, qwhsstck)),
                   count(DISTINCT (sm{kind}ssi, qwhswseq))
            FROM raw.smf{kind}_qwhs JOIN raw.smf{kind}_header USING (source_id, record_no)
        """).fetchall()
        assert len(set(rows[0])) == 1
        assert rows[0][0] > 0


def test_no_volume_is_more_than_fully_busy(db) -> None:
    (busiest,) = db.execute("""
        SELECT max((epoch(smf74cnn) + epoch(smf74dis)) / epoch(smf74int))
        FROM raw.smf74_1_device_data JOIN raw.smf74_1_product USING (source_id, record_no)
    """).fetchone()
    assert 0.01 < busiest < 1


def test_dedicated_processors_are_busy_unless_they_wait(db) -> None:
    rows = db.execute("""
        SELECT source_id, record_no, sum(epoch(smf70int) - epoch(smf70wat) - epoch(smf70pat))
        FROM raw.smf70_1_cpu_data JOIN raw.smf70_1_product USING (source_id, record_no)
        WHERE smf70sta GROUP BY ALL ORDER BY ALL
    """).fetchall()
    own = db.execute("""
        SELECT l.source_id, l.record_no, sum(epoch(smf70edt)), bool_and(smf70bps = 65535)
        FROM raw.smf70_1_prsm_logical_processor AS l
        JOIN raw.smf70_1_prsm_partition AS p ON l.source_id = p.source_id
            AND l.record_no = p.record_no AND l.section_no > smf70bds
            AND l.section_no <= smf70bds + smf70bdn
        JOIN raw.smf70_1_product AS r ON l.source_id = r.source_id AND l.record_no = r.record_no
        WHERE smf70lpn = smf70ptn GROUP BY ALL ORDER BY ALL
    """).fetchall()
    assert len(rows) == len(own) == 12
    for (*key, busy), (*same, effective, is_dedicated) in zip(rows, own, strict=True):
        assert key == same
        assert is_dedicated
        assert busy == pytest.approx(effective, rel=1e-6)
