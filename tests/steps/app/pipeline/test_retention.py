"""Retention removes old records, keeps their hours, and loses and doubles nothing."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.retention import POLICY, Policy, read_policy, removable, retain
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import SCHEMA, ids, last_result, merge_results, write_result, write_schema
from ingest.lake.warehouse import Warehouse
from tests.kit.tables import different_tables
from tests.steps.app.pipeline.test_backup import steps_of
from tests.steps.app.pipeline.test_incremental import (
    building,
    built_of_everything,
    source_id_of,
    write_day,
)
from tests.system.app.pipeline.test_ducklake import BUILDS_OF_CHANGES, PROFILE
from tests.unit.app.cli.test_what_next import load

FIRST_DAY, UNTIL = date(2026, 1, 12), date(2026, 1, 17)
DAYS = 6  # records of odd ones go on past midnight
OF_A_RUN, LATE = 1, 4
KEY = "origin, hour_utc, subject, sysplex, system_id, queue_manager, name"
Rows = list[tuple[Any, ...]]


def keep_records_since(warehouse: Warehouse, day: date) -> None:
    days = (datetime.now(UTC).date() - day).days
    (warehouse.lake / POLICY).write_text(f"[keep_days]\nrecords = {days}\n")


def hours(warehouse: Warehouse) -> Rows:
    """Return the published hours, without where they come from."""
    with warehouse.connect() as db:
        return db.execute(
            "SELECT * EXCLUDE (source_id, record_no, rolled_intervals) FROM marts.fct_usage_hour "
            f"ORDER BY {KEY}"
        ).fetchall()


def count(warehouse: Warehouse, sql: str) -> int:
    with warehouse.connect() as db:
        return int(db.execute(f"SELECT count(*) FROM {sql}").fetchall()[0][0])


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Small days of three LPARs, as folders."""
    folder = tmp_path_factory.mktemp("dumps")
    return [write_day(folder, day) for day in range(DAYS)]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, dumps: list[Path]) -> Warehouse:
    """A warehouse of these days, one of which has a declared run; a file comes late."""
    warehouse = Warehouse(tmp_path_factory.mktemp("published") / "x.duckdb")
    files = [file for day in dumps for file in sorted(day.rglob("*.smf"))]
    late = dumps[LATE] / "smf/MVS1.smf"
    steps.ingest_paths(warehouse, [file for file in files if file != late])
    steps.ingest_paths(warehouse, [dumps[OF_A_RUN] / "manifest.json"])
    with pytest.MonkeyPatch.context() as patch:
        building(patch)
        steps.build(warehouse)
    warehouse.publish()
    keep_records_since(warehouse, UNTIL)
    return warehouse


@pytest.fixture
def warehouse(published: Warehouse, tmp_path: Path) -> Warehouse:
    """A copy of it, for a test that changes it."""
    copy = Warehouse(tmp_path / "w" / published.file.name)
    shutil.copytree(published.file.parent, copy.file.parent, symlinks=True)
    copy.point_views_at_own_lake()
    keep_records_since(copy, UNTIL)  # again, as midnight may have passed
    return copy


def test_a_dry_run_says_what_retention_removes_and_changes_nothing(
    published: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    before = published.loads()
    assert main(["retain", "--dry-run", "--warehouse", str(published.file)]) == 0
    said = capsys.readouterr().out
    removal = removable(published)
    assert [Path(one.path).parts[-3:] for one in removal.loads] == [
        ("00", "smf", f"MVS{number}.smf")
        for number in sorted((1, 2, 3), key=lambda n: source_id_of(published, f"00/smf/MVS{n}.smf"))
    ]
    rows = sum(one.rows for one in removal.loads)
    assert f"2026-01-12 to 2026-01-12: 3 loads, {rows:,} records and sections, about " in said
    assert "6 older loads are kept: they cover days of declared runs" in said
    assert "3 older loads are kept: they also have younger records" in said
    assert published.loads() == before


@pytest.mark.timeout(900)
def test_hours_are_the_same_when_their_records_are_removed(
    warehouse: Warehouse, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    building(monkeypatch)
    before, records = hours(warehouse), count(warehouse, "raw.smf_record")
    old = source_id_of(warehouse, "00/smf/MVS1.smf")
    assert main(["retain", "--warehouse", str(warehouse.file)]) == 0
    assert hours(warehouse) == before  # readers see the marts as they were
    assert count(warehouse, "raw.smf_record") < records
    assert count(warehouse, f"raw.smf_record WHERE source_id = '{old}'") == 0

    # Old files are not loaded again, but late ones are, and added.
    assert steps.merge_loads(warehouse) > 10
    again = steps.ingest_paths(warehouse, [dumps[0] / "smf"])
    assert {one.status for one in again} == {"removed"}
    with pytest.raises(steps.StepError, match="cannot be rebuilt"):
        steps.forget_load(warehouse, "hours-simulated-000001")
    assert not [one for one in steps.outdated(warehouse, everything=True) if not one.path]
    assert steps.ingest_paths(warehouse, [dumps[LATE] / "smf"])[0].status == "loaded"
    steps.build(warehouse)
    warehouse.publish()
    assert count(warehouse, "marts.fct_usage_hour WHERE rolled_intervals > 0") > 100
    with_late = hours(warehouse)
    assert set(before) < set(with_late)
    more = set(with_late) - set(before)
    assert {row[4] for row in more} == {"MVS1"}
    assert {row[1].date() for row in more} == {FIRST_DAY + timedelta(days=LATE)}

    # The next time, hours that are kept already are kept as they are, and late ones with them.
    keep_records_since(warehouse, UNTIL + timedelta(days=4))
    removal = retain(warehouse)
    assert {Path(one.path).parts[-3] for one in removal.loads} == {"04", "05"}
    steps.build(warehouse)
    warehouse.publish()
    assert hours(warehouse) == with_late
    assert different_tables(warehouse, built_of_everything(warehouse, tmp_path / "copy")) == []
    audit = steps.check(warehouse)
    assert audit.faults == ()
    assert not [found for found in audit.warnings if "gaps" in found.expectation]


def test_what_readers_do_not_see_yet_is_not_removed(
    warehouse: Warehouse, dumps: list[Path]
) -> None:
    steps.ingest_paths(warehouse, [dumps[LATE] / "smf"])
    with pytest.raises(steps.StepError, match="does not show all loads"):
        retain(warehouse)


def test_a_killed_retention_loses_and_doubles_nothing(warehouse: Warehouse, tmp_path: Path) -> None:
    def state() -> tuple[int, bool]:
        removed = count(warehouse, "raw.ledger_rolled WHERE removed_at IS NOT NULL")
        with_hours = count(warehouse, "raw.ledger WHERE kind = 'hours'")
        return count(warehouse, "raw.ledger"), bool(removed) == bool(with_hours)

    loads = len(warehouse.loads())
    other = Warehouse(tmp_path / "other" / warehouse.file.name)
    shutil.copytree(warehouse.file.parent, other.file.parent, symlinks=True)
    other.point_views_at_own_lake()
    seen = set()
    for step in range(1, steps_of(retain, other) + 1):
        steps_of(retain, warehouse, killed_at=step)
        seen.add(state())
        if state()[0] < loads:
            break
    else:
        retain(warehouse)
        seen.add(state())
    assert seen == {(loads, True), (loads - 3 + 1, True)}
    with pytest.raises(steps.StepError, match="does not show all loads"):
        retain(warehouse)  # marts have to follow first


def test_a_lake_keeps_hours_too_and_a_killed_retention_changes_nothing(
    dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    building(monkeypatch, "+fct_usage_hour", "+fct_run", *BUILDS_OF_CHANGES)
    (tmp_path / "w.toml").write_text(PROFILE)
    lake = Warehouse(tmp_path / "w.duckdb")
    steps.ingest_paths(lake, [dumps[0] / "smf", dumps[-1] / "smf"])
    steps.build(lake)
    lake.publish()
    keep_records_since(lake, FIRST_DAY + timedelta(days=3))
    before, loads = hours(lake), lake.loads()
    records = count(lake, "raw.smf_record")
    assert main(["retain", "--dry-run", "--warehouse", str(lake.file)]) == 0
    steps_of(retain, lake, killed_at=1)
    assert (lake.loads(), count(lake, "raw.smf_record")) == (loads, records)

    assert len(retain(lake).loads) == 3
    assert len(lake.loads()) == len(loads) - 3 + 1
    assert 0 < count(lake, "raw.smf_record") < records
    again = steps.ingest_paths(lake, [dumps[0] / "smf"])
    assert {one.status for one in again} == {"removed"}
    steps.build(lake)
    lake.publish()
    assert count(lake, "marts.fct_usage_hour WHERE rolled_intervals > 0") > 0
    assert hours(lake) == before


# --- the policy, and what needs no build ---------------------------------------------------


@pytest.mark.parametrize(
    ("written", "policy"),
    [
        ("", Policy()),
        ("[keep_days]\nrecords = 400", Policy(records=400)),
        ("[keep_days]\nverdicts = 1\ndamaged = 2\nreports = 3", Policy(None, 1, 2, 3)),
    ],
)
def test_the_policy_is_read(tmp_path: Path, written: str, policy: Policy) -> None:
    warehouse = load(tmp_path)
    assert read_policy(warehouse) == Policy()
    (warehouse.lake / POLICY).write_text(written)
    assert read_policy(warehouse) == policy


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[keep_days]\nrecord = 400", "'record' is not known"),
        ("keep_days = 7", "'keep_days' is not known"),
        ("records = 7", "'records' is not known"),
        ("[keep_days]\nrecords = 0", "records is 0, not a whole number"),
        ("[keep_days]\nrecords = true", "records is True, not a whole number"),
        ("[keep_days]\nrecords = 1.5", "records is 1.5, not a whole number"),
        ("[keep_days]\nrecords = 999999999", "records is 999999999, not a whole number"),
        ("[keep_days", "Expected"),
        ("\xff", "codec"),
    ],
)
def test_a_policy_that_is_not_valid_removes_nothing(
    tmp_path: Path, written: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = load(tmp_path)
    (warehouse.lake / POLICY).write_bytes(written.encode("latin-1"))
    assert main(["retain", "--warehouse", str(warehouse.file)]) == 2
    assert said in capsys.readouterr().err


def test_old_damaged_loads_and_reports_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path / "home"))
    warehouse = load(tmp_path)
    places = [warehouse.lake / "damaged" / "x", tmp_path / "home/reports/campaign.html"]
    places[0].mkdir(parents=True)
    places[1].parent.mkdir(parents=True)
    places[1].touch()
    os.utime(places[1], (0, 0))  # says nothing about when it came here
    (warehouse.lake / POLICY).write_text("[keep_days]\ndamaged = 10\nreports = 10")
    today = datetime.now(UTC).date()
    assert retain(warehouse, today + timedelta(days=9)).files == []
    assert retain(warehouse, today + timedelta(days=11)).files == places
    assert not any(place.exists() for place in places)


def verdict(*, passed: bool) -> ExpectationOutcome:
    text = "" if passed else "rows are lost"
    return ExpectationOutcome("raw", "raw.t", f"{passed}", "", passed, "fault", "", "", text)


@pytest.fixture
def audits(tmp_path: Path) -> Path:
    """Four audits of January 2026 and one of now, each with a passed verdict and a failed one."""
    write_schema(tmp_path)
    names = [f"202601{day:02}T000000000000-00000{day}" for day in (1, 2, 3, 4)]
    for name in [*names, f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-ffffff"]:
        result = AuditResult(name, f"b{name}", (verdict(passed=True), verdict(passed=False)))
        write_result(result, tmp_path, "1")
    return tmp_path


def verdicts(folder: Path) -> list[tuple[str, str, bool, int | None]]:
    import polars as pl

    rows = pl.concat([pl.read_parquet(file) for file in folder.glob("*.parquet")])
    assert rows.schema == pl.DataFrame(schema=SCHEMA).schema
    chosen = rows.select("check_id", "suite", "passed", "rows_total")
    return sorted(chosen.iter_rows(), key=str)


def test_old_audits_are_merged_and_no_verdict_is_lost(audits: Path) -> None:
    before, last = verdicts(audits), ids(audits)[-1]
    assert merge_results(audits, None, dry_run=True) == (4, 0)
    assert len(ids(audits)) == 5
    assert merge_results(audits, None) == (4, 0)
    assert verdicts(audits) == before
    assert ids(audits) == [last]
    assert last_result(audits, f"b{last}") is not None
    assert merge_results(audits, None) == (0, 0)


def test_the_numbers_of_passed_verdicts_stay_when_they_are_dropped(audits: Path) -> None:
    later = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=1)
    assert merge_results(audits, later) == (4, 4)
    old = [row for row in verdicts(audits) if row[0].startswith("202601")]
    assert [row[1:] for row in old] == [("passed", True, 1), ("raw", False, None)] * 4
    assert merge_results(audits, later) == (0, 0)
    assert len(verdicts(audits)) == 10


def test_a_merge_that_was_killed_is_finished_by_the_next(audits: Path, tmp_path: Path) -> None:
    singles = {file.name: file.read_bytes() for file in audits.glob("202601*.parquet")}
    before = verdicts(audits)
    merge_results(audits, None)
    for name, content in list(singles.items())[:2]:
        (audits / name).write_bytes(content)
    merge_results(audits, None)
    assert verdicts(audits) == before
    assert len(list(audits.glob("audits-*.parquet"))) == 1
