"""RMF's reports of a campaign agree with its SMF records of the same intervals."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

from app.pipeline.steps import ingest_paths
from ingest.formats.rmf.reports import parse
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, write
from models_sim.simulator.campaigns.site import SITE

SCENARIO = "smoke"
SYSTEMS = ("MVS1", "MVS2", "MVS3")
# Interval and system of a record as in a report: local time, 5 hours behind UTC.
RECORD = """
    (SELECT source_id, record_no, smf{type}dat + smf{type}ist AS start, smf{type}snm AS system,
            epoch(smf{type}int) AS seconds, smf{type}sam AS samples
     FROM raw.smf{type}_{subtype}_product) AS p USING (source_id, record_no)
"""
#: Table of the report -> rows to compare, and SMF's rows; reports.csv has the figures.
CASES = {
    "rmf_cpu": (
        'NOT r.is_total AND r.online_pct > 0',
        """raw.smf70_1_cpu_data AS d JOIN {70_1}
           JOIN raw.smf70_1_prsm_logical_processor AS l USING (source_id, record_no)
           JOIN raw.smf70_1_prsm_partition AS n USING (source_id, record_no)
           WHERE n.smf70lpm = p.system AND l.section_no > n.smf70bds
             AND l.section_no <= n.smf70bds + n.smf70bdn AND l.smf70vpa = d.smf70cid
             AND p.system = r.system_id AND p.start = r.interval_start_local
             AND d.smf70cid = CAST(r.cpu_num AS INT)""",
    ),
    "rmf_partition": (
        "r.status = 'A' AND r.processor_type = 'CP'",
        """raw.smf70_1_prsm_logical_processor AS l JOIN {70_1}
           JOIN raw.smf70_1_prsm_partition AS n USING (source_id, record_no)
           WHERE n.smf70lpm = r.name AND l.section_no > n.smf70bds
             AND l.section_no <= n.smf70bds + n.smf70bdn AND l.smf70cix = 1
             AND p.system = r.system_id AND p.start = r.interval_start_local""",
    ),
    "rmf_workload": (
        'true',
        """raw.smf72_3_service_report_class_period AS c
    JOIN raw.smf72_3_workload_manager_control AS w USING (source_id, record_no) JOIN {72_3}
    WHERE (w.r723mcnm = coalesce(r.service_class, r.report_class)
           AND w.r723mrcl = (r.report_class IS NOT NULL)
           AND p.start = r.interval_start_local)
""",
    ),
    "rmf_dasd": (
        'true',
        """raw.smf74_1_device_data AS d JOIN {74_1}
           WHERE d.smf74ser = r.volume_serial AND p.system = r.system_id
             AND p.start = r.interval_start_local""",
    ),
    "rmf_cf_request": (
        "r.request = 'SYNC' AND r.system_name <> 'TOTAL'",
        """raw.smf74_4_request AS s JOIN {74_4}
           WHERE s.r744snam = r.structure_name AND p.system = r.system_name
             AND p.start = r.interval_start_local""",
    ),
    "rmf_cf_delay": (
        "r.system_name <> 'TOTAL' AND r.requests > 0",
        """raw.smf74_4_request AS s JOIN {74_4}
           WHERE s.r744snam = r.structure_name AND p.system = r.system_name
             AND p.start = r.interval_start_local""",
    ),
}  # fmt: skip
with Path(__file__).with_name("reports.csv").open(newline="") as _file:
    FIGURES = list(csv.DictReader(_file))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("reports") / "files"
    write(simulate(SCENARIO), folder)
    return folder


@pytest.fixture(scope="module")
def db(files):
    warehouse = Warehouse(files.parent / "w.duckdb")
    loads = ingest_paths(warehouse, [files])
    assert {load.status for load in loads} == {"loaded"}
    with warehouse.connect() as found:
        yield found


def test_each_lpar_and_the_sysplex_have_a_file(files) -> None:
    names = {path.stem for path in (files / "rmf").glob("*.txt")}
    assert names == {*SYSTEMS, SITE.name}
    assert all(parse(path.read_bytes()).rejected == [] for path in (files / "rmf").iterdir())


@pytest.mark.parametrize("case", FIGURES, ids=lambda case: case["figure"])
def test_a_report_agrees_with_the_records(case, db) -> None:
    table, figure, said, tolerance = case.values()
    rows, source = CASES[table]
    kinds = {k: RECORD.format(type=k[:2], subtype=k[3:]) for k in ("70_1", "72_3", "74_1", "74_4")}
    for kind, record in kinds.items():
        source = source.replace(f"{{{kind}}}", record)
    compared = db.execute(
        f"SELECT r.{figure}, (SELECT {said} FROM {source}) FROM raw.{table} AS r WHERE {rows}"
    ).fetchall()
    assert len(compared) >= 4
    assert any(record for _, record in compared)
    # Rounding of inexact figures may differ at halves.
    for report, record in compared:
        assert report == pytest.approx(float(record), abs=float(tolerance) * 1.001 + 1e-9)


def test_intervals_are_in_local_time(db) -> None:
    runs = db.execute("""
        SELECT count(*), count(r.record_no) FROM raw.bench_run AS b
        LEFT JOIN raw.rmf_cpu_machine AS r
          ON r.interval_start_local = b.start_utc - INTERVAL 5 HOURS
         AND r.interval_end_local = b.stop_utc - INTERVAL 5 HOURS
         AND r.interval_seconds = epoch(b.stop_utc - b.start_utc)
    """).fetchall()
    assert runs == [(4 * len(SYSTEMS),) * 2]


def test_processors_and_classes_add_up_to_the_frames(db) -> None:
    frames = simulate(SCENARIO).frames
    used = frames["processor"]["effective_us"].sum() / 1e6
    (printed,) = db.execute("""
        SELECT sum(effective_dispatch_seconds) FROM raw.rmf_partition
        WHERE name = mvs_partition_name
    """).fetchone()
    assert printed == pytest.approx(used, abs=0.0005 * 12)
    classes = frames["class_period"].filter(~pl.col("report"))
    seconds = classes.select(pl.sum_horizontal("tcb_us", "srb_us", "io_interrupt_us").sum()) / 1e6
    (printed,) = db.execute("""
        SELECT sum(service_time_cpu_s) FROM raw.rmf_workload WHERE service_class IS NOT NULL
    """).fetchone()
    assert printed == pytest.approx(seconds.item(), abs=0.0005 * 16)
