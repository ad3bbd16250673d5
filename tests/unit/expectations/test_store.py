from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest

from expectations import store
from expectations.outcome import AuditResult, ExpectationOutcome
from tests.kit.cases import cases

KEPT = ExpectationOutcome("raw", "raw.t", "small", "i", True, "error", "0 found", "i is small")
BROKEN = ExpectationOutcome(
    "raw", "raw.t", "odd", "", False, "error", "2 found", "i is odd", "bad", 2, 9, ("a: 1", "b: 2")
)
FAULTY = ExpectationOutcome(
    "raw", "raw.t", "lost", "", False, "fault", "1", "x", "a row is lost", 1
)
WORSE = ExpectationOutcome("regressions", "m.t", "c", "", False, "error", "1", "x", "slower", 1)
DOUBT = ExpectationOutcome("marts", "marts.t", "new", "", False, "warning", "1", "x", "old", 1, 9)


def test_stored_result_is_read_back_unchanged(tmp_path: Path) -> None:
    result = AuditResult("20260101T000000-aa", "build1", (KEPT, BROKEN))
    path = store.write_result(result, tmp_path / "audit", "1.2.3")
    assert path == tmp_path / "audit" / "20260101T000000-aa.parquet"
    frame = pl.read_parquet(path)
    assert dict(frame.schema) == store.SCHEMA
    row = frame.row(1, named=True)
    assert row["message"] == "bad"
    assert row["sample"] == ["a: 1", "b: 2"]
    assert row["rows_total"] == 9
    assert frame["rows_total"][0] is None
    assert frame["code_version"].to_list() == ["1.2.3"] * 2


def test_one_view_reads_the_empty_schema_and_the_results(tmp_path: Path) -> None:
    store.write_schema(tmp_path)
    view = f"FROM read_parquet('{tmp_path}/*.parquet')"
    assert duckdb.sql(f"SELECT count(*) {view}").fetchone() == (0,)
    store.write_result(AuditResult("c1", "b1", (KEPT, BROKEN)), tmp_path, "1")
    store.write_result(AuditResult("c2", "b1", (KEPT,)), tmp_path, "1")
    assert duckdb.sql(f"SELECT check_id, count(*) {view} GROUP BY 1 ORDER BY 1").fetchall() == [
        ("c1", 2),
        ("c2", 1),
    ]
    kinds = {c: str(t) for c, t in zip(*_described(view), strict=True)}
    assert kinds["checked_at"] == "TIMESTAMP"
    assert kinds["sample"] == "VARCHAR[]"


def _described(view: str) -> tuple[list[str], list[object]]:
    relation = duckdb.sql(f"SELECT * {view}")
    return relation.columns, relation.types


def test_failed_write_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> None:
        self.write_text("PAR1")
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="disk full"):
        store.write_result(AuditResult("c1", "b1", (KEPT,)), tmp_path, "1")
    assert list(tmp_path.iterdir()) == []


@cases
def test_only_a_fault_prevents_publishing(
    results: tuple[ExpectationOutcome, ...], exit_status: int
) -> None:
    result = AuditResult("c", "b", results)
    assert (result.publishable, result.exit_status) == (exit_status < 2, exit_status)
    assert result.faults == tuple(r for r in results if r is FAULTY)
    assert result.errors == tuple(r for r in results if r is BROKEN)
    assert result.regressions == tuple(r for r in results if r is WORSE)
    assert result.warnings == tuple(r for r in results if r is DOUBT)


def test_what_an_audit_found_is_told_by_severity(tmp_path: Path) -> None:
    assert store.failed_in(tmp_path, "") == ("", [], [])
    results = (KEPT, BROKEN, DOUBT, FAULTY, WORSE)
    store.write_result(AuditResult("1", "b1", results), tmp_path, "1")
    assert store.failed_in(tmp_path, "1") == ("b1", [FAULTY.message], [BROKEN.message])
    assert store.failed_in(tmp_path, "of an audit that was removed") == ("", [], [])


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(hours=1), timedelta(days=9999)])
def test_audits_keep_their_order_when_the_clock_goes_back(tmp_path: Path, ahead: timedelta) -> None:
    moment = datetime.now(UTC) + ahead
    ids = [f"{moment:%Y%m%dT%H%M%S%f}-ffffff"]
    for _ in range(3):
        store.write_result(AuditResult(ids[-1], "b1", (KEPT,)), tmp_path, "1")
        assert store.ids(tmp_path) == ids
        ids.append(store.next_id(tmp_path))
    assert ids == sorted(set(ids))
