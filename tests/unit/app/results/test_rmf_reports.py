"""Printed figures beside recorded ones, and their times."""

import re
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from app.pipeline.dbt_parse import DBT_PROJECT
from app.results.queries import rmf_reports
from app.results.reader import Reader

LOCAL, UTC, UTC_LATER = (datetime(2026, 3, 1, hour) for hour in (11, 14, 15))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    file = tmp_path_factory.mktemp("rmf") / "r.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(Path(__file__).with_name("rmf_reports.sql").read_text())
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
