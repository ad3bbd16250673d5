from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
import yaml
from duckdb import DuckDBPyConnection

from expectations.audit import columns_in
from expectations.limits import read_limits
from expectations.marts import MARTS, marts_suite
from expectations.rule import Rule
from tests.conftest import ROOT
from tests.expectations.scratch import A, broken, changed, columns_of, make_marts, named_columns

INTERVAL = "epoch(interval_end_utc) - epoch(interval_start_utc)"
# The values of a row, after source_id, with which a model says that a record is kept.
KEPT = {
    "int_mq__record": "77, 115, 2, now()",
    "int_rmf__record": "77, 77, true, 70, 1, true, false, false, now()",
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(make_marts(tmp_path_factory.mktemp("marts") / "w.duckdb"))) as database:
        yield database


def suite(database: DuckDBPyConnection, *names: str) -> list[Rule]:
    """The rules of some marts."""
    chosen = {name: MARTS[name] for name in names}
    rules = marts_suite(read_limits(), columns_in(database), chosen)
    return [rule for rule in rules if rule.table.startswith("marts.")]


def test_good_rows_keep_every_rule(good: DuckDBPyConnection) -> None:
    rules = list(marts_suite(read_limits(), columns_in(good)))
    assert {r.table for r in rules} == {f"marts.{m}" for m in MARTS} | {
        "intermediate.int_mq__record",
        "intermediate.int_rmf__record",
    }
    assert {(r.table, r.name): found for r in rules if (found := broken(good, r))[0]} == {}


def test_empty_marts_keep_every_rule(good: DuckDBPyConnection) -> None:
    tables = good.execute("SELECT schema_name || '.' || table_name FROM duckdb_tables()").fetchall()
    with changed(good, "; ".join(f"DELETE FROM {table}" for (table,) in tables)):
        rules = suite(good, *MARTS)
        assert {(r.table, r.name): found for r in rules if (found := broken(good, r))[0]} == {}


def hurts() -> Iterator[tuple[str, str, str, str]]:
    """(mart, rule, statement, what the message must name): every rule of every mart."""
    for name, mart in MARTS.items():
        table = f"marts.{name}"
        needed = next(c for c in mart.grain if c not in mart.optional)
        yield name, "grain_is_unique", f"INSERT INTO {table} FROM {table}", "2 rows"
        yield name, "grain_is_unique", f"UPDATE {table} SET {needed} = NULL", f"{needed} NULL"
        if name != "dim_load":
            yield (
                name,
                "rows_are_traceable",
                f"UPDATE {table} SET record_no = 999",
                f"record 999 of load {('p' if mart.printed else 'a') * 12}",
            )
            yield (
                name,
                "rows_are_traceable",
                f"UPDATE {table} SET origin = 'simulated'",
                "origin simulated, the load's " + ("published" if mart.printed else "measured"),
            )
        yield name, "figures_are_plausible", f"UPDATE {table} SET things = 'inf'", "things = inf"
        if not mart.printed:
            minus = f"UPDATE {table} SET things = -0.5"
            yield name, "figures_are_plausible", minus, "things = -0.5"
            most = f"UPDATE {table} SET full_percent = 101.5"
            yield name, "figures_are_within_bounds", most, "full_percent = 101.5"
            fast = f"UPDATE {table} SET line_bytes_per_second = 2e10"
            yield name, "figures_are_within_bounds", fast, "line_bytes_per_second = 20000000000.0"
            fast = f"UPDATE {table} SET log_mb_per_second = 2e4"
            yield name, "figures_are_within_bounds", fast, "log_mb_per_second = 20000.0"
            least = f"UPDATE {table} SET hit_ratio = -0.2"
            yield name, "figures_are_within_bounds", least, "hit_ratio = -0.2"
        for one, other in mart.sums:
            column = columns_of(other)[0]
            statement = f"UPDATE {table} SET {column} = 7"
            yield name, "sums_hold", statement, f"{one} = {other}"
        if "interval_start_utc" in mart.grain:
            longer = f"UPDATE {table} SET interval_seconds = 61"
            yield name, "sums_hold", longer, f"interval_seconds = {INTERVAL}"
        if mart.beside:
            differ = f"UPDATE {table} SET agrees = false"
            yield name, "sources_agree", differ, f"{mart.beside[0]} 0.0, {mart.beside[1]} 0.0"
        if mart.parts:
            for measure in mart.parts[2]:
                yield (
                    name,
                    "totals_are_those_of_the_parts",
                    f"UPDATE marts.{mart.parts[0]} SET {measure} = 7",
                    f"{measure} 0.0 here and 7.0 there",
                )
        kept = KEPT.get(mart.records, "77")
        for feed in mart.feeds:
            yield (
                name,
                "no_record_is_lost",
                (
                    f"INSERT INTO raw.{feed} BY NAME SELECT '{A}' AS source_id, 77 AS record_no; "
                    f"INSERT INTO intermediate.{mart.records} VALUES ('{A}', {kept})"
                ),
                f"record 77 of load aaaaaaaaaaaa: {feed}",
            )


@pytest.mark.parametrize("name", MARTS)
def test_hurt_rows_break_their_rule_and_are_named(name: str, good: DuckDBPyConnection) -> None:
    rules = {rule.name: rule for rule in suite(good, name)}
    cases = [case for case in hurts() if case[0] == name]
    for _, rule, statement, words in cases:
        with changed(good, statement):
            failed, sample = broken(good, rules[rule])
        assert failed > 0, statement
        assert any(words in text for text in sample), (statement, sample)
    assert set(rules) == {rule for _, rule, *_ in cases}


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("figures_are_within_bounds", "full_percent = 100.9"),
        ("figures_are_within_bounds", "hit_ratio = 1.005"),
        ("figures_are_within_bounds", "line_bytes_per_second = 12.5e9"),
        ("figures_are_within_bounds", "log_mb_per_second = 12.5e3"),
        ("figures_are_plausible", "things = 0"),
        ("sums_hold", "page_gets = 1e9, page_gets_old = 1e9 + 1, page_gets_per_second = 1e9 / 60"),
    ],
)
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


def test_a_record_that_was_dropped_as_a_duplicate_is_not_lost(good: DuckDBPyConnection) -> None:
    (rule,) = (r for r in suite(good, "fct_task_accounting") if r.name == "no_record_is_lost")
    with changed(good, f"INSERT INTO raw.smf116_wtas VALUES ('{A}', 77, 1)"):
        assert broken(good, rule) == (0, [])


@pytest.mark.parametrize(("subtype", "count"), [(6, 1), (240, 0)])
def test_statistics_without_an_interval_are_told(
    subtype: int, count: int, good: DuckDBPyConnection
) -> None:
    rule = next(marts_suite(read_limits(), {}))
    assert rule.severity == "warning"
    hurt = f"INSERT INTO intermediate.int_mq__record VALUES ('{A}', 78, 115, {subtype}, NULL)"
    with changed(good, hurt):
        failed, sample = broken(good, rule)
    assert failed == count
    assert not failed or sample == ["115.6, record 78 of load aaaaaaaaaaaa: no interval"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ("false, 72, 3, false, false, false, now()", "lacks parts"),
        ("false, 72, 3, true, true, false, now()", "says itself that it is to be passed over"),
        ("false, 72, 3, true, false, false, NULL", "no interval in UTC"),
        ("false, 72, 3, true, false, true, now()", None),  # of Monitor III
    ],
)
def test_rmf_records_that_no_mart_counts_are_told(
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


def test_every_rule_of_a_table_has_a_name_of_its_own(good: DuckDBPyConnection) -> None:
    keys = [(rule.table, rule.name) for rule in suite(good, *MARTS)]
    assert len(keys) == len(set(keys))


def documented() -> dict[str, set[str]]:
    """Mart -> columns, as the dbt project documents them."""
    marts = {}
    for file in sorted((ROOT / "dbt/models/marts").rglob("*.yml")):
        for model in yaml.safe_load(file.read_text()).get("models", []):
            marts[model["name"]] = {column["name"] for column in model.get("columns", [])}
    return marts


def test_the_audit_knows_every_mart() -> None:
    models = {file.stem for file in (ROOT / "dbt/models/marts").rglob("*.sql")}
    assert models == set(MARTS)


@pytest.mark.parametrize("name", MARTS)
def test_the_columns_that_the_audit_names_are_in_the_mart(name: str) -> None:
    assert named_columns(name) <= documented()[name]
