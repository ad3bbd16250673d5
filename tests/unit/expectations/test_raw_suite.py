from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from duckdb import DuckDBPyConnection

from expectations.audit import columns_in
from expectations.limits import read_limits
from expectations.rule import Rule
from expectations.suites.raw import EYECATCHERS, raw_suite
from tests.kit.databases import RECOUNT, broken, changed, make_raw

FAULTS = """
records_add_up counts_agree_with_records quarantine_agrees_with_ledger every_row_has_a_load
sections_agree_with_rows records_are_numbered_once
"""
#: Description -> the statements that damage good rows, and the words of each rule that then fails.
DAMAGE = {
    what: (statements, {rule: words.split(" | ")
                        for rule, words in re.findall(r"^(\w+): ?(.*)$", rules, re.MULTILINE)})
    for what, statements, rules in re.findall(
        r"^= (.*)\n((?: {4}.*\n)+)((?:\w.*\n)*)",
        Path(__file__).with_name("damage.txt").read_text(), re.MULTILINE,
    )
}  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(make_raw(tmp_path_factory.mktemp("raw") / "w.duckdb"))) as database:
        yield database


def rules_of(database: DuckDBPyConnection) -> list[Rule]:
    return list(raw_suite(read_limits(), columns_in(database)))


def failed(database: DuckDBPyConnection, *damage: str) -> dict[str, tuple[int, list[str]]]:
    """Return rule -> number of failing rows and the first of them, after `damage`."""
    with changed(database, "; ".join(damage)):
        found = {rule.name: broken(database, rule) for rule in rules_of(database)}
    return {name: rows for name, rows in found.items() if rows[0]}


def test_empty_tables_break_no_rule(tmp_path: Path) -> None:
    with duckdb.connect(str(make_raw(tmp_path / "w.duckdb", fill=False))) as empty:
        assert len(rules_of(empty)) > 15
        assert failed(empty) == {}


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_rows_break_their_rules_and_are_named(what: str, good: DuckDBPyConnection) -> None:
    statements, expected = DAMAGE[what]
    recount = "" if "sections_agree_with_rows" in expected else RECOUNT
    found = failed(good, statements, recount)
    assert set(found) == set(expected)
    for rule, words in expected.items():
        count, sample = found[rule]
        assert count >= len(sample) > 0
        assert [word for word in words if word not in sample[0]] == []


def test_every_rule_is_broken_by_some_case(good: DuckDBPyConnection) -> None:
    rules = {rule.name for rule in rules_of(good)}
    assert rules == {rule for _, expected in DAMAGE.values() for rule in expected}


def test_only_missing_or_changed_bytes_need_another_transfer(good: DuckDBPyConnection) -> None:
    advice = {rule.name: rule.advice for rule in rules_of(good) if "ransfer" in rule.advice}
    assert set(advice) == {"quarantine_is_small"}
    assert "if bytes are missing or changed" in advice["quarantine_is_small"]


def test_severities_are_those_of_the_limits(good: DuckDBPyConnection) -> None:
    severity = {rule.name: rule.severity for rule in rules_of(good)}
    assert severity["no_gaps_within_a_load"] == "error"
    assert severity["no_gaps_between_loads"] == "warning"
    assert severity["no_gaps_beside_quarantine"] == "warning"
    assert severity["records_come_once"] == "warning"


def test_only_rows_that_perfhouse_lost_or_doubled_are_its_fault(good: DuckDBPyConnection) -> None:
    faults = {rule.name for rule in rules_of(good) if rule.severity == "fault"}
    assert faults == {*FAULTS.split()}


def test_eyecatchers_are_those_of_the_layouts() -> None:
    from ingest.formats.layouts import LAYOUTS

    declared = {
        layout.table: layout.eyecatcher
        for layout in LAYOUTS
        # The eyecatcher of a repeated section precedes its entries and is in no column.
        if layout.eyecatcher and layout.repeat is None
    }
    assert {table: text for table, (_, text) in EYECATCHERS.items()} == declared
    fields = {(layout.table, f.name): f.offset for layout in LAYOUTS for f in layout.fields}
    assert all(fields[table, column] == 4 for table, (column, _) in EYECATCHERS.items())
