"""Retention removes old records, keeps their hours, and loses and doubles nothing."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.retention import POLICY, Policy, read_policy, removable, retain
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import SCHEMA, ids, last_result, merge_results, write_result, write_schema
from ingest.lake.warehouse import Warehouse
from tests.kit.lives import OLD, hours
from tests.kit.manifests import load, source_id_of
from tests.kit.processes import steps_of
from tests.kit.warehouses import copied

#: Records of this day and the next are old; those of the first day have no younger ones.
UNTIL = date(2026, 2, 14)


def keep_records_since(warehouse: Warehouse, day: date) -> None:
    days = (datetime.now(UTC).date() - day).days
    (warehouse.lake / POLICY).write_text(f"[keep_days]\nrecords = {days}\n")


def count(warehouse: Warehouse, sql: str) -> int:
    with warehouse.connect() as db:
        return int(db.execute(f"SELECT count(*) FROM {sql}").fetchall()[0][0])


@pytest.fixture
def warehouse(days: Path, tmp_path: Path) -> Warehouse:
    """A copy of a warehouse of days, some of which have no run."""
    copy = copied(days, tmp_path / "w")
    keep_records_since(copy, UNTIL)
    return copy


def test_a_dry_run_says_what_retention_removes_and_changes_nothing(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    before = warehouse.loads()
    assert main(["retain", "--dry-run", "--warehouse", str(warehouse.file)]) == 0
    said = capsys.readouterr().out
    removal = removable(warehouse)
    assert sorted(Path(one.path).parts[-3:] for one in removal.loads) == [
        ("30", "smf", f"MVS{number}.smf") for number in (1, 2, 3)
    ]
    rows = sum(one.rows for one in removal.loads)
    assert f": 3 loads, {rows:,} records and sections, about " in said
    assert "42 older loads are kept: they cover days of declared runs" in said
    assert "3 older loads are kept: they also have younger records" in said
    assert warehouse.loads() == before


def test_hours_are_the_same_when_their_records_are_removed(
    warehouse: Warehouse, days: Path
) -> None:
    before, records = hours(warehouse), count(warehouse, "raw.smf_record")
    old = source_id_of(warehouse, "30/smf/MVS1.smf")
    assert main(["retain", "--warehouse", str(warehouse.file)]) == 0
    assert hours(warehouse) == before  # readers see the marts as they were
    assert count(warehouse, "raw.smf_record") < records
    assert count(warehouse, f"raw.smf_record WHERE source_id = '{old}'") == 0

    again = steps.ingest_paths(warehouse, [days.parents[1] / "files/30/smf"])
    assert {one.status for one in again} == {"removed"}
    with pytest.raises(steps.StepError, match="have it back, forget hours-simulated-000001"):
        steps.forget_load(warehouse, old)
    assert not [one for one in steps.outdated(warehouse, everything=True) if not one.path]
    with pytest.raises(steps.StepError, match="does not show all loads"):
        retain(warehouse)  # marts have to follow first: see tests/kit/lives.py


def seen(warehouse: Warehouse) -> tuple[list[tuple[Any, ...]], ...]:
    """Return the hours and the days that readers see."""
    with warehouse.connect() as db:
        days = db.execute(
            "SELECT * EXCLUDE (source_id, record_no) FROM marts.fct_lpar_capacity_day ORDER BY ALL"
        ).fetchall()
    rounded = [tuple(float(f"{v:.9g}") if isinstance(v, float) else v for v in d) for d in days]
    return hours(warehouse), rounded


def published(warehouse: Warehouse) -> tuple[list[tuple[Any, ...]], ...]:
    steps.build(warehouse)
    warehouse.publish()
    return seen(warehouse)


def test_removed_files_that_come_again_in_another_change_nothing(
    warehouse: Warehouse, days: Path, tmp_path: Path
) -> None:
    before = seen(warehouse)
    retain(warehouse)
    files = sorted((days.parents[1] / "files/30/smf").glob("*.smf"))
    merged = tmp_path / "merged.smf"
    merged.write_bytes(b"".join(file.read_bytes() for file in files[:2]))
    loads = steps.ingest_paths(warehouse, [merged], origin="simulated")
    assert [load.status for load in loads] == ["loaded"]
    assert published(warehouse) == before
    retain(warehouse)
    assert published(warehouse) == before

    first, second = (f"hours-simulated-00000{number}" for number in (1, 2))
    with pytest.raises(steps.StepError, match=f"{first}: {second} counts on it"):
        steps.forget_load(warehouse, first)
    merged.unlink()
    with pytest.raises(steps.StepError, match=f"put back first: {merged}"):
        steps.forget_load(warehouse, second)


def test_a_roll_up_is_undone_and_its_files_are_loaded_again(warehouse: Warehouse) -> None:
    before, records = seen(warehouse), count(warehouse, "raw.smf_record")
    retain(warehouse)
    assert count(warehouse, "raw.smf_record") < records
    steps.forget_load(warehouse, "hours-simulated-000001")
    assert published(warehouse) == before
    assert count(warehouse, "raw.smf_record") == records


def test_what_readers_do_not_see_yet_is_not_removed(warehouse: Warehouse) -> None:
    source_id = source_id_of(warehouse, "30/smf/MVS1.smf")
    with warehouse.connect() as db:
        ((path,),) = db.execute(
            "SELECT path FROM raw.ledger WHERE source_id = $1", [source_id]
        ).fetchall()
    steps.forget_load(warehouse, source_id)
    with pytest.raises(steps.StepError, match="does not show all loads"):
        retain(warehouse)
    steps.ingest_paths(warehouse, [path])
    with pytest.raises(steps.StepError, match="does not show all loads"):
        retain(warehouse)


def test_a_killed_retention_loses_and_doubles_nothing(warehouse: Warehouse, tmp_path: Path) -> None:
    loads = len(warehouse.loads())
    last = steps_of(retain, copied(warehouse.file, tmp_path / "other"))
    for step in (last // 2, last):
        steps_of(retain, warehouse, killed_at=step)
        assert len(warehouse.loads()) == loads
        assert count(warehouse, "raw.ledger_rolled WHERE removed_at IS NOT NULL") == 0
    retain(warehouse)
    assert len(warehouse.loads()) == loads - 3 + 1


def test_a_lake_keeps_hours_too_and_a_killed_retention_changes_nothing(
    lake: Path, tmp_path: Path
) -> None:
    """tests/system/app/pipeline/test_ducklake.py builds it again."""
    warehouse = copied(lake, tmp_path / "w")
    keep_records_since(warehouse, OLD)
    before, loads = hours(warehouse), warehouse.loads()
    records = count(warehouse, "raw.smf_record")
    steps_of(retain, warehouse, killed_at=1)
    assert (warehouse.loads(), count(warehouse, "raw.smf_record")) == (loads, records)
    assert len(retain(warehouse).loads) == 3
    assert len(warehouse.loads()) == len(loads) - 3 + 1
    assert 0 < count(warehouse, "raw.smf_record") < records
    assert hours(warehouse) == before
    files = lake.parents[1] / "files/20/smf"
    assert {one.status for one in steps.ingest_paths(warehouse, [files])} == {"removed"}
    steps.forget_load(warehouse, "hours-simulated-000001")
    assert {one.status for one in steps.ingest_paths(warehouse, [files])} == {"loaded"}
    assert warehouse.loads().keys() == loads.keys()
    assert count(warehouse, "raw.smf_record") == records


# --- the policy, and what needs no build ---------------------------------------------------


def test_the_policy_is_read(tmp_path: Path) -> None:
    warehouse = load(tmp_path)
    assert read_policy(warehouse) == Policy()
    for written, policy in {
        "": Policy(),
        "[keep_days]\nrecords = 400": Policy(records=400),
        "[keep_days]\nverdicts = 1\ndamaged = 2\nreports = 3": Policy(None, 1, 2, 3),
    }.items():
        (warehouse.lake / POLICY).write_text(written)
        assert read_policy(warehouse) == policy


def test_a_policy_that_is_not_valid_removes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = load(tmp_path)
    for written, said in {
        "[keep_days]\nrecord = 400": "'record' is not known",
        "keep_days = 7": "'keep_days' is not known",
        "[keep_days]\nrecords = 0": "records is 0, not a whole number",
        "[keep_days]\nrecords = true": "records is True, not a whole number",
        "[keep_days]\nrecords = 999999999": "records is 999999999, not a whole number",
        "[keep_days": "Expected",
        "\xff": "codec",
    }.items():
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
    kept = pl.read_parquet(audits / "*.parquet").filter(suite="passed")
    assert kept["rows_failed"].to_list() == [0] * 4
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
