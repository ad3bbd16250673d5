"""The report `capacity`: its tables are of the same hours, and its price is of their MSU hours."""

import duckdb
import pytest

from app.reports.presets import ask, choices, preset_of
from app.reports.report import Report
from app.reports.systems import what_if
from app.results.reader import Reader

#: Two systems of one name in two sysplexes, 11 hours ahead of UTC: hours of three local days, the
#: price of an MSU hour rises from 2.5 to 3 after the first. Of an hour half is not known.
ROWS = """
    create schema marts;
    create table marts.fct_system_hour as
    select
        'measured' as origin, sysplex, 'SY1' as system_id, 'L1' as partition_name,
        timestamp '2026-01-01 13:00' + to_hours(h::int) as hour_utc,
        cast(hour_utc + interval 11 hour as date) as local_date, hour_utc as hour_local,
        3600.0e0 as interval_seconds, if(h = 30, 1800.0e0, 3600.0e0) as consumed_seconds,
        if(h = 30, 5.0e0, 10.0e0) * size as msu_hours, 1000.0e0 * size as consumed_cp_seconds,
        if(local_date < '2026-01-03', 2.5e0, 3) * msu_hours as cost_money, 'EUR' as currency,
        3600.0e0 as class_seconds, 1.0e0 as highest_ziip_factor, 2.0e0 as highest_ziips_online,
        1.5e0 as highest_ziips_needed, 9.0e0 as highest_long_term_average_msu,
        8.0e0 as highest_four_hour_average_msu, null as lowest_defined_capacity_msu,
        0.0e0 as soft_capped_seconds, null as highest_latent_demand_msu
    from range(72) as t(h), (values ('P', 1), ('Q', 5)) as s(sysplex, size);
    create table marts.fct_lpar_capacity_day as
    select distinct
        origin, sysplex, system_id, local_date, 9 as highest_long_term_average_msu,
        8.0e0 as highest_four_hour_average_msu, 10.0e0 as busiest_hour_consumed_msu
    from marts.fct_system_hour;
    create table marts.fct_usage_hour as
    select
        *, unnest(['service class', 'address space']) as subject, 'N' as name,
        900e0 as general_purpose_seconds, 300e0 as eligible_seconds, 100e0 as ziip_on_cp_seconds,
        msu_hours / consumed_cp_seconds as msu_hours_per_cp_second
    from marts.fct_system_hour;
"""
DAYS = {"2026-01-02": 3, "2026-01-04": 1}  # first local day -> days from then on


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    file = tmp_path_factory.mktemp("capacity") / "c.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(ROWS)
    return Reader(file)


@pytest.mark.parametrize("since", DAYS)
def test_all_tables_are_of_the_same_hours(reader: Reader, since: str) -> None:
    hours = 24 * DAYS[since]
    options = {
        "origin": "measured",
        "sysplex": "P",
        "since": since,
        "ziips": 1.0,
        "share": 100.0,
        "growth": 0.0,
        "price": 0.0,
    }
    preset = preset_of("capacity")
    questions = [
        section.says
        for _, _, sections in preset.chapters
        for section in sections
        if section.kind == "mart" and section.says["mart"] in {"fct_system_hour", "fct_usage_hour"}
    ]
    lpar, potential = (
        dict(zip(says["columns"].values(), ask(reader, preset, says, options)[0], strict=True))
        for says in (questions[0], next(q for q in questions if q["mart"] == "fct_usage_hour"))
    )
    whole = since == "2026-01-02"
    assert lpar["Hours recorded"] == hours
    assert lpar["MSU hours"] == 10 * hours - 5 * whole
    assert lpar["Price"] == (24 * 25 + 23 * 30 + 15 + 24 * 30 if whole else 24 * 30)
    assert potential["On CPs, CPU h"] == hours / 4
    _, table = what_if(Report(reader, preset, options), {})
    rows = {row[0]: row[1:] for row in table.rows}  # type: ignore[union-attr]
    assert float(rows["CPU time on CPs, hours"][0]) == pytest.approx(hours / 4, rel=0.01)


def test_the_range_begins_with_the_last_days(reader: Reader) -> None:
    preset = preset_of("capacity")
    option = next(one for one in preset.options if one.name == "since")
    found = choices(reader, preset, option, {"origin": "measured", "sysplex": "P"})
    assert found == ["2024-12-01", "2025-12-05", "2025-12-29", "2026-01-04"]
