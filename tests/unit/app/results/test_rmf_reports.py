"""Printed figures beside recorded ones, and their times."""

import re
from datetime import datetime

import duckdb
import pytest

from app.pipeline.dbt import DBT_PROJECT
from app.results.queries import rmf_reports
from app.results.reader import Reader

LOCAL, UTC, UTC_LATER = (datetime(2026, 3, 1, hour) for hour in (11, 14, 15))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    file = tmp_path_factory.mktemp("rmf") / "r.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute("""
            create schema marts;
            create table marts.fct_rmf_report_figure as
            select
                'measured' as origin, null::varchar as sysplex, 'SY1' as system_id,
                timestamp '2026-03-01' + to_hours(hour) as interval_start_local,
                timestamp '2026-03-01' + to_hours(utc) as interval_start_utc,
                900.0 as interval_seconds, 'volume' as subject_kind, subject,
                'average_response_us' as figure, 'microseconds' as unit, printed, recorded,
                printed - recorded as difference, abs(printed - recorded) < 1 as agrees
            from (values
                (9, 14, 'MQLOG1', 256.0, 256.4),
                (9, 14, 'OTHER', 128.0, null),
                (10, 15, 'MQLOG1', 256.0, 300.0),
                (11, null, 'MQLOG1', 64.0, null)
            ) as v(hour, utc, subject, printed, recorded)
        """)
        model = DBT_PROJECT / "models/marts/rmf_report/fct_rmf_report_day.sql"
        of_all = re.sub(r"\{\{.*\}\}", "marts.fct_rmf_report_figure", model.read_text())
        source = "select *, 'a' as source_id, 1 as record_no from marts.fct_rmf_report_figure"
        db.execute(f"create or replace table marts.fct_rmf_report_figure as {source}")
        db.execute(f"create table marts.fct_rmf_report_day as {of_all}")
    return Reader(file)


OF = ("measured", "SY1", "volume")


def test_kinds_are_counted(reader):
    assert rmf_reports.kinds(reader).rows() == [("measured", "SY1", "volume", 4, 2, 1)]
    assert rmf_reports.figures(reader, *OF).rows() == [("average_response_us", "microseconds")]
    assert rmf_reports.subjects(reader, *OF, "average_response_us") == ["MQLOG1", "OTHER"]


def test_an_interval_without_records_is_at_its_local_time(reader):
    times = rmf_reports.time_of(reader, *OF)
    start, end = times[:2]
    assert times == (datetime(2026, 3, 1, 11), datetime(2026, 3, 1, 15, 15), start)
    rows = rmf_reports.compared(
        reader, *OF, "average_response_us", "MQLOG1", start, end, only_differing=False
    )
    assert rows["interval_start_utc"].to_list() == [UTC_LATER, UTC, LOCAL]


@pytest.mark.parametrize(("only_differing", "printed"), [(False, [256, 256, 64]), (True, [256])])
def test_rows_are_the_latest_first(reader, only_differing, printed):
    whole = (datetime(2026, 1, 1), datetime(2027, 1, 1))
    rows = rmf_reports.compared(
        reader, *OF, "average_response_us", "MQLOG1", *whole, only_differing=only_differing
    )
    assert rows["printed"].to_list() == printed
    lines = rmf_reports.over_time(reader, *OF, "average_response_us", "MQLOG1", *whole)
    assert lines["series"].value_counts(sort=True).rows() == [("printed", 3), ("recorded", 2)]
