"""RMF's reports of a campaign agree with its SMF records of the same intervals."""

from __future__ import annotations

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
UNIT = "w.r723madj / 1600"  # seconds per 10,000 service units; coefficients are times 10,000
CLASS = """
    FROM raw.smf72_3_service_report_class_period AS c
    JOIN raw.smf72_3_workload_manager_control AS w USING (source_id, record_no) JOIN {72_3}
    WHERE (w.r723mcnm = coalesce(r.service_class, r.report_class)
           AND w.r723mrcl = (r.report_class IS NOT NULL)
           AND p.start = r.interval_start_local)
"""
VOLUME = "avg({} / 1e-3 / d.smf74ssc)"
STRUCTURE = "1e6 * sum(epoch(s.r744{0}tm)) / nullif(sum(s.r744{0}rc), 0)"
#: Table of the report -> rows to compare, key of SMF's rows, and figure of the report -> SMF's
#: figure, and half of the last printed digit.
CASES = {
    "rmf_cpu": (
        "NOT r.is_total AND r.online_pct > 0",
        """raw.smf70_1_cpu_data AS d JOIN {70_1}
           JOIN raw.smf70_1_prsm_logical_processor AS l USING (source_id, record_no)
           JOIN raw.smf70_1_prsm_partition AS n USING (source_id, record_no)
           WHERE n.smf70lpm = p.system AND l.section_no > n.smf70bds
             AND l.section_no <= n.smf70bds + n.smf70bdn AND l.smf70vpa = d.smf70cid
             AND p.system = r.system_id AND p.start = r.interval_start_local
             AND d.smf70cid = CAST(r.cpu_num AS INT)""",
        {
            "online_pct": ("100 * sum(epoch(l.smf70ont)) / sum(p.seconds)", 0.005),
            "lpar_busy_pct": ("100 * sum(epoch(l.smf70pdt)) / sum(epoch(l.smf70ont))", 0.005),
            "mvs_busy_pct": ("100 * (1 - sum(epoch(d.smf70wat)) / sum(epoch(l.smf70ont)))", 0.005),
            "io_interrupt_rate": ("sum(d.smf70slh + d.smf70tpi) / sum(p.seconds)", 0.005),
            "io_interrupts_via_tpi_pct":
                ("100 * sum(d.smf70tpi) / sum(d.smf70slh + d.smf70tpi)", 0.005),
        },
    ),
    "rmf_partition": (
        "r.status = 'A' AND r.processor_type = 'CP'",
        """raw.smf70_1_prsm_logical_processor AS l JOIN {70_1}
           JOIN raw.smf70_1_prsm_partition AS n USING (source_id, record_no)
           WHERE n.smf70lpm = r.name AND l.section_no > n.smf70bds
             AND l.section_no <= n.smf70bds + n.smf70bdn AND l.smf70cix = 1
             AND p.system = r.system_id AND p.start = r.interval_start_local""",
        {
            "effective_dispatch_seconds": ("sum(epoch(l.smf70edt))", 0.0005),
            "total_dispatch_seconds": ("sum(epoch(l.smf70pdt))", 0.0005),
            "processor_num": ("sum(epoch(l.smf70ont)) / max(p.seconds)", 0.05),
            "physical_total_pct": ("100 * sum(epoch(l.smf70pdt)) / max(p.seconds) / 4", 0.005),
        },
    ),
    "rmf_workload": (
        "true",
        CLASS.removeprefix("\n    FROM "),
        {
            # The records count whole service units of about ten microseconds.
            "service_time_tcb_s": (f"sum((c.r723ccpu - c.r723csup) / w.r723mcpu * {UNIT})", 6e-4),
            "service_time_srb_s": (f"sum(c.r723csrb / w.r723msrb * {UNIT})", 6e-4),
            "service_time_iit_s": ("sum(c.r723ciit) / 1e6", 5.1e-4),
            "appl_iipcp_pct":
                (f"100 * sum(c.r723csuc / w.r723mcpu * {UNIT}) / max(p.seconds)", 0.0051),
            "service_tot": ("sum(c.r723ccpu + c.r723csrb)", 0.5),
            "dasd_sschrt": ("sum(c.r723circ) / max(p.seconds)", 0.05),
            "transactions_avg": ("sum(c.r723ctat) * 1024 / 1e6 / max(p.seconds)", 0.005),
        },
    ),
    "rmf_dasd": (
        "true",
        """raw.smf74_1_device_data AS d JOIN {74_1}
           WHERE d.smf74ser = r.volume_serial AND p.system = r.system_id
             AND p.start = r.interval_start_local""",
        {
            "device_activity_rate": ("sum(d.smf74ssc) / max(p.seconds)", 0.0005),
            "avg_conn_time_ms": (VOLUME.format("epoch(d.smf74cnn)"), 0.0005),
            "avg_pend_time_ms": (VOLUME.format("epoch(d.smf74pen)"), 0.0005),
            "avg_disc_time_ms": (VOLUME.format("epoch(d.smf74dis)"), 0.0005),
            "avg_cmr_dly_ms": (VOLUME.format("epoch(d.smf74cmr)"), 0.0005),
            "avg_iosq_time_ms": (VOLUME.format("d.smf74que / p.samples * p.seconds"), 0.0005),
        },
    ),
    "rmf_cf_request": (
        "r.request = 'SYNC' AND r.system_name <> 'TOTAL'",
        """raw.smf74_4_request AS s JOIN {74_4}
           WHERE s.r744snam = r.structure_name AND p.system = r.system_name
             AND p.start = r.interval_start_local""",
        {
            "service_time_avg_us": (STRUCTURE.format("ss"), 0.05),
            "requests": ("sum(s.r744ssrc)", 0.5),
            "system_requests_per_second": ("sum(s.r744strc) / max(p.seconds)", 0.05),
        },
    ),
    "rmf_cf_delay": (
        "r.system_name <> 'TOTAL' AND r.requests > 0",
        """raw.smf74_4_request AS s JOIN {74_4}
           WHERE s.r744snam = r.structure_name AND p.system = r.system_name
             AND p.start = r.interval_start_local""",
        {"delay_avg_us": (STRUCTURE.format("sq"), 0.05)},
    ),
}  # fmt: skip
FIGURES = [(table, figure) for table, (*_, figures) in CASES.items() for figure in figures]


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


@pytest.mark.parametrize(("table", "figure"), FIGURES)
def test_a_report_agrees_with_the_records(table, figure, db) -> None:
    rows, source, figures = CASES[table]
    said, tolerance = figures[figure]
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
        assert report == pytest.approx(float(record), abs=tolerance * 1.001 + 1e-9)


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
