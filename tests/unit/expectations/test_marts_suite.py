from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import pytest
import yaml
from duckdb import DuckDBPyConnection

from app.pipeline.places import ROOT
from expectations.audit import columns_in
from expectations.limits import read_limits
from expectations.rule import Rule
from expectations.suites.known_marts import known_marts
from expectations.suites.marts import marts_suite
from tests.kit.cases import cases
from tests.kit.databases import MARTS, A, broken, changed, make_marts, named_columns


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(make_marts(tmp_path_factory.mktemp("marts") / "w.duckdb"))) as database:
        yield database


def suite(database: DuckDBPyConnection, *names: str) -> list[Rule]:
    """Return the rules of some marts."""
    chosen = {name: MARTS[name] for name in names}
    rules = marts_suite(read_limits(), columns_in(database), chosen)
    return [rule for rule in rules if rule.table.startswith("marts.")]


def test_good_rows_break_no_rule(good: DuckDBPyConnection) -> None:
    rules = list(marts_suite(read_limits(), columns_in(good), known_marts(good)))
    assert {r.table for r in rules} == {f"marts.{m}" for m in MARTS} | {
        "intermediate.int_mq__record",
        "intermediate.int_rmf__record",
    }
    assert {(r.table, r.name): found for r in rules if (found := broken(good, r))[0]} == {}


def test_empty_marts_break_no_rule(good: DuckDBPyConnection) -> None:
    tables = good.execute("SELECT schema_name || '.' || table_name FROM duckdb_tables()").fetchall()
    with changed(good, "; ".join(f"DELETE FROM {table}" for (table,) in tables)):
        rules = suite(good, *MARTS)
        assert {(r.table, r.name): found for r in rules if (found := broken(good, r))[0]} == {}


#: Rule, what breaks it, and words of the message; the first holds for printed figures, too.
OUT_OF_BOUNDS = [
    line.split(" | ") for line in Path(__file__).with_name("bounds.txt").read_text().splitlines()
]


def damages() -> Iterator[tuple[str, str, str, str]]:
    """Yield (mart, rule, statement, words of the message) for every rule of every mart."""
    for name, mart in MARTS.items():
        table = f"marts.{name}"
        for rule, change, words in OUT_OF_BOUNDS[: 1 if mart.printed else None]:
            yield name, rule, f"UPDATE {table} SET {change}", words
        if "hour_utc" in mart.key:
            yield (name, "figures_are_within_bounds", f"UPDATE {table} SET interval_seconds = 7200",
                   "interval_seconds = 7200")  # fmt: skip
        if mart.compared:
            differ = f"UPDATE {table} SET agrees = false"
            yield name, "sources_agree", differ, f"{mart.compared[0]} 0.0, {mart.compared[1]} 0.0"
        if mart.is_unique_by_data:
            again = (
                f"INSERT INTO {table} SELECT * REPLACE (record_no + 1 AS record_no) FROM {table}"
            )
            yield name, "records_have_different_keys", again, ": 2 rows"


@pytest.mark.parametrize("name", MARTS)
def test_damaged_rows_break_their_rule_and_are_named(name: str, good: DuckDBPyConnection) -> None:
    rules = {rule.name: rule for rule in suite(good, name)}
    cases = [case for case in damages() if case[0] == name]
    for _, rule, statement, words in cases:
        with changed(good, statement):
            failed, sample = broken(good, rules[rule])
        assert failed > 0, statement
        assert any(words in text for text in sample), (statement, sample)
    assert set(rules) == {rule for _, rule, *_ in cases}


@cases
def test_figures_within_the_tolerance_pass(
    rule: str, change: str, good: DuckDBPyConnection
) -> None:
    (judged,) = (r for r in suite(good, "fct_buffer_pool_interval") if r.name == rule)
    with changed(good, f"UPDATE marts.fct_buffer_pool_interval SET {change}"):
        assert broken(good, judged) == (0, [])


def test_lists_of_figures_are_not_judged(good: DuckDBPyConnection) -> None:
    table = "marts.fct_buffer_pool_interval"
    with changed(
        good, f"ALTER TABLE {table} ADD COLUMN ends DOUBLE[]; UPDATE {table} SET ends=[-1]"
    ):
        rules = suite(good, "fct_buffer_pool_interval")
        assert {rule.name: found for rule in rules if (found := broken(good, rule))[0]} == {}


@cases
def test_statistics_without_an_interval_are_reported(
    subtype: int, count: int, good: DuckDBPyConnection
) -> None:
    rule = next(marts_suite(read_limits(), {}, {}))
    assert rule.severity == "warning"
    damage = f"INSERT INTO intermediate.int_mq__record VALUES ('{A}', 78, 115, {subtype}, NULL)"
    with changed(good, damage):
        failed, sample = broken(good, rule)
    assert failed == count
    assert not failed or sample == ["115.6, record 78 of load aaaaaaaaaaaa: no interval"]


@cases
def test_rmf_records_that_no_mart_includes_are_reported(
    values: str, reason: str | None, good: DuckDBPyConnection
) -> None:
    (rule,) = (
        r for r in marts_suite(read_limits(), {}, {}) if r.table == "intermediate.int_rmf__record"
    )
    assert rule.severity == "warning"
    with changed(good, f"INSERT INTO intermediate.int_rmf__record VALUES ('{A}', 5, 5, {values})"):
        failed, sample = broken(good, rule)
    expected = [f"72.3, record 5 of load aaaaaaaaaaaa: {reason}"] if reason else []
    assert (failed, sample) == (len(expected), expected)


def test_no_rule_on_the_figures_is_a_fault_of_perfhouse(good: DuckDBPyConnection) -> None:
    severities = {rule.severity for rule in marts_suite(read_limits(), columns_in(good), MARTS)}
    assert severities == {"error", "warning"}


def test_rules_of_a_table_have_distinct_names(good: DuckDBPyConnection) -> None:
    keys = [(rule.table, rule.name) for rule in suite(good, *MARTS)]
    assert len(keys) == len(set(keys))


@cache
def documented() -> dict[str, set[str]]:
    """Return mart -> columns, as documented in the dbt project."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    marts = {}
    for file in sorted((ROOT / "dbt/models/marts").rglob("*.yml")):
        for model in yaml.load(file.read_text(), loader).get("models", []):
            marts[model["name"]] = {column["name"] for column in model.get("columns", [])}
    return marts


@pytest.mark.parametrize("name", MARTS)
def test_columns_that_the_audit_names_are_in_the_mart(name: str) -> None:
    assert named_columns(name) <= documented()[name]
