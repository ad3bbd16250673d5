"""An audit judges a working database, stores its verdicts, and changes nothing."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl

from expectations.audit import run_audit, write_schema
from tests.kit.databases import make_marts


def test_audit_of_good_rows_passes_and_is_stored(tmp_path: Path) -> None:
    work = make_marts(tmp_path / "w.duckdb")
    with duckdb.connect(str(work)) as database:
        database.execute("CREATE TABLE meta.build AS SELECT '7.1' code_version")
    result = run_audit(work, tmp_path / "audit", "b1", baselines=tmp_path / "none.toml")
    assert [r.message for r in result.results if not r.passed] == []
    assert (result.publishable, result.exit_status) == (True, 0)
    assert {r.suite for r in result.results} == {"raw", "marts", "issues", "rates"}
    stored = pl.read_parquet(tmp_path / "audit" / f"{result.check_id}.parquet")
    assert stored.height == len(result.results)
    assert stored["code_version"].unique().to_list() == ["7.1"]


def test_audit_of_bad_rows_names_them_and_whose_fault_they_are(tmp_path: Path) -> None:
    work = make_marts(tmp_path / "w.duckdb")
    with duckdb.connect(str(work)) as database:
        database.execute("UPDATE raw.ledger SET records = 99")
        database.execute("UPDATE marts.fct_log_write_interval SET things = -1")
        database.execute("UPDATE marts.fct_page_set_interval SET full_percent = 130")
    result = run_audit(work, tmp_path / "audit", "b1", baselines=tmp_path / "none.toml")
    assert not result.publishable
    faults, errors = (
        [(r.table, r.expectation) for r in found] for found in (result.faults, result.errors)
    )
    assert faults == [("raw.ledger", "records_add_up")]
    assert errors == [("marts.fct_log_write_interval", "figures_are_plausible")]
    (doubt,) = result.warnings
    assert doubt.message.startswith(
        "marts.fct_page_set_interval: figures out of bounds: 1 found, first origin measured, "
    )


def test_each_audit_writes_its_own_file_and_changes_nothing_else(tmp_path: Path) -> None:
    work = make_marts(tmp_path / "w.duckdb")
    audit = tmp_path / "audit"
    write_schema(audit)
    before = work.read_bytes()
    ids = [
        run_audit(work, audit, "b1", baselines=tmp_path / "none.toml").check_id for _ in range(2)
    ]
    assert work.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit", "w.duckdb"]
    assert ids == sorted(ids)
    names = ["_schema.parquet", *(f"{check_id}.parquet" for check_id in ids)]
    assert sorted(p.name for p in audit.iterdir()) == sorted(names)
