"""Verdicts: the worst interval of each figure beside limits that a site can change."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.dashboard.navigation import VIEWS
from app.results.queries.health import (
    Limit,
    alarms,
    findings,
    in_a_line,
    latest,
    limits,
    summary,
    verdicts,
)
from app.results.queries.owners import OWNERS
from app.results.queries.scope import Scope
from app.results.reader import Reader
from ingest.base.errors import SettingsError
from tests.kit.cases import cases
from tests.kit.dashboard import altered

MORNING = (datetime(2024, 2, 29, 13), datetime(2024, 2, 29, 15, 1))


def judged(file: Path, kind: str, label: str, span: tuple[datetime, datetime] = MORNING):
    scope = Scope("simulated", (label,), *span, OWNERS[kind].name)
    rows = verdicts(Reader(file), scope, kind)
    return {row["name"]: row for row in rows.iter_rows(named=True)}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a function that gives the site a file of limits."""

    def written(text: str) -> None:
        (tmp_path / "site.toml").write_text(text)
        monkeypatch.setenv("PERFHOUSE_HEALTH", str(tmp_path / "site.toml"))

    return written


@cases
def test_a_figure_beyond_a_limit_has_its_verdict(warning, alarm, is_below, value, verdict):
    of = Limit("name", warning, alarm, is_below, *(["text"] * 9))
    assert of.verdict(value) == verdict


def test_each_figure_has_limits_with_a_source_and_a_page_with_its_chart(bundled):
    known = limits().values()
    assert all(of.source and of.remedy and of.formula and of.needs for of in known)
    assert {of.page for of in known} <= {view.path for view in VIEWS}
    with duckdb.connect(str(bundled), read_only=True) as db:
        (sql,) = db.execute(
            "select sql from duckdb_views() where view_name = 'fct_health_interval'"
        ).fetchone()
    assert sorted(of.name for of in known) == sorted(re.findall(r"'([a-z-]+)' AS check_name", sql))


@cases
def test_the_verdict_is_on_the_worst_interval(bundled, kind, label, check, worst):
    with duckdb.connect(str(bundled), read_only=True) as db:
        (value,) = db.execute(f"select {worst}").fetchone()
    found = judged(bundled, kind, label)[check]["value"]
    assert found == (None if value is None else pytest.approx(value, abs=1e-6))


def test_a_verdict_says_of_what_when_and_how_often(bundled):
    row = judged(bundled, "queue manager", "SYN1/SYQ1")["buffers-free"]
    assert (row["verdict"], row["of"], row["parameter"]) == ("alarm", "BP 2", "pool")
    assert (row["beyond"], row["intervals"]) == (2, 24)
    assert f"{row['moment']:%H:%M}" == "13:55"


def test_usual_is_the_same_hour_of_the_weeks_before(bundled):
    last = (datetime(2026, 2, 16), datetime(2026, 2, 17))
    row = judged(bundled, "queue manager", "MVS1/MQA1", last)["dispatcher"]
    with duckdb.connect(str(bundled), read_only=True) as db:
        (usual,) = db.execute(
            "select quantile_cont(max_task_busy_percent, [0.1, 0.9])"
            " from marts.fct_channel_initiator_task_type_interval"
            " where queue_manager = 'MQA1' and task_type = 'dispatcher'"
            " and interval_start_utc between $1 and $2 and hour(interval_start_utc) = 14",
            [last[0] - timedelta(days=28), last[0]],
        ).fetchone()
    assert row["usual"] == pytest.approx(usual, abs=1e-6)
    assert judged(bundled, "queue manager", "SYN1/SYQ1")["dispatcher"]["usual"] is None


@pytest.mark.parametrize(("change", "hour"), [("2026-02-16 00:00", 15), ("2027-01-01", 14)])
def test_the_same_hour_is_that_of_the_local_clock(change, hour, bundled, tmp_path):
    """The worst interval is at 14:00 UTC, an hour that was 15:00 UTC before the change."""
    mart = "marts.fct_channel_initiator_task_type_interval"
    of = "queue_manager = 'MQA1' and task_type = 'dispatcher'"
    before = "interval_start_utc < '2026-02-16' and interval_start_utc >= '2026-01-19'"
    changed = f"""
        update marts.fct_usage_hour
        set utc_offset_minutes = if(hour_utc >= timestamp '{change}', -240, -300)
        where system_id = 'MVS1';
        insert into {mart} by name
        select * replace (
            interval_start_utc + interval 1 hour as interval_start_utc,
            interval_end_utc + interval 1 hour as interval_end_utc,
            max_task_busy_percent + 50 as max_task_busy_percent
        ) from {mart} where {of} and {before} and hour(interval_start_utc) = 14;
    """
    file = altered(bundled, tmp_path, [changed])
    with duckdb.connect(str(file), read_only=True) as db:
        (usual,) = db.execute(
            f"select quantile_cont(max_task_busy_percent, [0.1, 0.9]) from {mart}"
            f" where {of} and {before} and hour(interval_start_utc) = {hour}"
        ).fetchone()
    last = (datetime(2026, 2, 16), datetime(2026, 2, 17))
    row = judged(file, "queue manager", "MVS1/MQA1", last)["dispatcher"]
    assert row["moment"].hour == 14
    assert row["usual"] == pytest.approx(usual, abs=1e-6)


def test_without_records_nothing_is_judged(bundled):
    rows = judged(bundled, "system", "PLEX1/SY1", (datetime(1999, 1, 1), datetime(1999, 1, 2)))
    assert {row["verdict"] for row in rows.values()} == {"not judged"}
    assert all(row["needs"].startswith("SMF") for row in rows.values())


def test_a_site_changes_a_limit_and_keeps_the_others(bundled, site):
    site("[log-writer]\nwarning = 1\nalarm = 2\n")
    rows = judged(bundled, "queue manager", "SYN1/SYQ1")
    assert rows["log-writer"]["verdict"] == "alarm"
    assert rows["log-writer"]["source"] == "limit of this site (site.toml)"
    assert rows["buffers-free"]["warning"] == 15


@cases
def test_a_mistake_in_the_file_is_named(site, text, said):
    site(text)
    with pytest.raises(SettingsError, match=said.replace("[", r"\[")):
        limits()


def test_a_file_that_does_not_exist_is_named(monkeypatch):
    monkeypatch.setenv("PERFHOUSE_HEALTH", "/no/such.toml")
    with pytest.raises(SettingsError, match="no such file"):
        limits()


def test_findings_say_what_to_change_the_worst_first(bundled, site):
    kept = findings(Reader(bundled))
    assert {row["verdict"] for row in kept} == {"within", "not judged"}
    assert all(row["remedy"] and row["source"] for row in kept)
    assert summary(kept).startswith("0 alarms and 0 warnings in ")
    site("[buffers-free]\nalarm = 100.5\nwarning = 101\n[capture-ratio]\nwarning = 99\n")
    rows = findings(Reader(bundled))
    first = rows[0]
    assert (first["verdict"], first["limit"], first["unit"]) == ("alarm", ">= 100.5", "%")
    assert first["subject"].startswith("MVS")
    assert "raise BUFFERS" in first["remedy"]
    order = [row["verdict"] for row in rows]
    assert order == sorted(order, key=["alarm", "warning", "within", "not judged"].index)
    assert next(iter(alarms(rows).values())) == f"{in_a_line(first)}: {first['remedy']}"
    assert f"worst: {in_a_line(first)}" in summary(rows)


def test_the_command_says_it_as_json_and_by_its_status(bundled, site, capsys):
    command = ["health", "--format", "json", "--warehouse", str(bundled)]
    assert main(command) == 0
    capsys.readouterr()
    site("[buffers-free]\nalarm = 100.5\nwarning = 101\n")
    assert main(command) == 1
    first = json.loads(capsys.readouterr().out)[0]
    named = {"subject", "check", "value", "unit", "limit", "verdict", "remedy", "source"}
    assert named < first.keys()


def test_the_latest_day_has_the_owners_with_records_in_it(bundled):
    found = latest(Reader(bundled))
    assert {scope.labels for scope, _ in found} == {
        ("PERFPLEX/MVS1", "PERFPLEX/MVS2", "PERFPLEX/MVS3"), ("MVS1/MQA1", "MVS3/MQA3"),
    }  # fmt: skip
    assert all(scope.end - scope.start == timedelta(days=1) for scope, _ in found)
