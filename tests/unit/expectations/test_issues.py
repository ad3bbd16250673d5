"""The issues suite, on findings written by hand."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from expectations.audit import columns_in
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.suites.issues import judge_issues
from tests.kit.cases import queries

MART, FINDINGS = queries(__file__).values()


@pytest.fixture
def db() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def judged(db: duckdb.DuckDBPyConnection) -> list[ExpectationOutcome]:
    return list(judge_issues(db, columns_in(db)))


def test_findings_are_counted_by_severity_and_kind_errors_first(
    db: duckdb.DuckDBPyConnection,
) -> None:
    db.execute(MART + FINDINGS)
    outcomes = judged(db)
    assert [(o.severity, o.expectation, o.passed, o.rows_failed) for o in outcomes] == [
        ("error", "overlapping_intervals", False, 2),
        ("warning", "boost", False, 1),
        ("note", "duplicate_records", True, 0),
    ]
    assert [o.message for o in outcomes] == [
        (
            "overlapping_intervals: 2 found, first PLEX1 SY1, 2026-03-01 10:00:00 UTC: 1 and 15 "
            "minutes; the shorter are used"
        ),
        "boost: 1 found, first PLEX1 SY1, run r1, 2026-03-01 10:00:00 UTC: zIIP boost; flagged",
        "duplicate_records: 1 found, first a.smf: 3 records are twice; counted once",
    ]
    assert outcomes[0].sample[1].startswith("PLEX1 SY2, ")
    assert {o.rows_total for o in outcomes} == {4}


def test_errors_among_the_findings_are_published_with_status_1(
    db: duckdb.DuckDBPyConnection,
) -> None:
    db.execute(MART + FINDINGS)
    audit = AuditResult("c", "b", tuple(judged(db)))
    assert (audit.publishable, audit.exit_status) == (True, 1)
    assert [len(found) for found in (audit.errors, audit.warnings, audit.notes)] == [1, 1, 1]
    db.execute("DELETE FROM marts.fct_data_issue WHERE severity = 'error'")
    assert AuditResult("c", "b", tuple(judged(db))).exit_status == 0


def test_a_build_without_findings_passes(db: duckdb.DuckDBPyConnection) -> None:
    assert judged(db) == []
    db.execute(MART)
    (outcome,) = judged(db)
    assert outcome.passed
    assert outcome.message == ""
