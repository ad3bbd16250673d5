from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from expectations.outcome import ExpectationOutcome
from expectations.rule import ERROR, FAULT, WARNING, Rule
from tests.kit.cases import cases


def rule(query: str, table: str = "raw.t", name: str = "small", severity: str = ERROR) -> Rule:
    return Rule(
        suite="raw",
        table=table,
        name=name,
        severity=severity,
        expected="i is small",
        problem="large numbers",
        advice="Take smaller ones",
        query=query,
        column="i",
    )


LARGE = "SELECT 'row ' || i AS place, i::VARCHAR AS observed FROM batch WHERE i > {}"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "w.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE SCHEMA raw; CREATE TABLE raw.t AS FROM range(1000) AS r(i)")
    return file


def judge(file: Path, *rules: Rule) -> list[ExpectationOutcome]:
    from expectations.gx.auditor import Auditor

    with Auditor(file) as auditor:
        return list(auditor.judge_rules(rules))


def test_rule_without_failing_rows_passes_and_counts_the_rows(database: Path) -> None:
    (outcome,) = judge(database, rule(LARGE.format(1000)))
    assert outcome.passed
    assert (outcome.rows_failed, outcome.rows_total) == (0, 1000)
    assert outcome.message == ""


def test_broken_rule_has_a_one_line_message_with_place_count_and_advice(database: Path) -> None:
    (outcome,) = judge(database, rule(LARGE.format(299)))
    assert not outcome.passed
    assert (outcome.rows_failed, outcome.rows_total) == (700, 1000)
    assert outcome.message == (
        "raw.t.i: large numbers: 700 found, first row 300: 300. Take smaller ones."
    )
    assert outcome.sample[1] == "row 301: 301"
    assert len(outcome.sample) == 5


def test_braces_and_joins_reach_the_database_unchanged(database: Path) -> None:
    query = (
        "SELECT 'row ' || b.i AS place, {'a': 1}.a::VARCHAR AS observed "
        "FROM batch AS b JOIN raw.t AS t USING (i) WHERE b.i = 7"
    )
    (outcome,) = judge(database, rule(query))
    assert outcome.sample == ("row 7: 1",)


@cases
def test_rule_that_cannot_be_judged_has_failed(
    query: str, table: str, reason: str, database: Path
) -> None:
    good = rule(LARGE.format(1000), name="good")
    outcomes = {o.expectation: o for o in judge(database, rule(query, table), good)}
    assert outcomes["good"].passed
    outcome = outcomes["small"]
    assert not outcome.passed
    assert outcome.rows_total is None
    assert outcome.message.startswith(f"{table}: small could not be judged: ")
    assert reason in outcome.message
    assert "\n" not in outcome.message


def test_failing_row_without_description_is_counted_and_shown(database: Path) -> None:
    (outcome,) = judge(database, rule("SELECT NULL AS place, NULL AS observed FROM batch"))
    assert outcome.rows_failed == 1000
    assert outcome.sample[0] == "?: NULL"


def test_severities_are_kept(database: Path) -> None:
    outcomes = judge(
        database,
        rule(LARGE.format(1), name="a", severity=WARNING),
        rule(LARGE.format(1), name="b", severity=ERROR),
        rule(LARGE.format(1), name="c", severity=FAULT),
    )
    found = {o.expectation: o.severity for o in outcomes}
    assert found == {"a": "warning", "b": "error", "c": "fault"}


def test_database_can_be_written_afterwards(database: Path) -> None:
    judge(database, rule(LARGE.format(1)))
    with duckdb.connect(str(database)) as connection:
        connection.execute("DROP TABLE raw.t")


def test_audit_can_be_imported_without_great_expectations() -> None:
    code = "import sys, expectations.audit; sys.exit('great_expectations' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
