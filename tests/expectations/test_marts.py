from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import yaml

from expectations.audit import _describe
from expectations.limits import read_limits
from expectations.marts import MARTS, marts_suite
from expectations.outcome import ExpectationOutcome
from tests.conftest import ROOT
from tests.expectations.scratch import A, columns_of, make_marts, named_columns

INTERVAL = "epoch(interval_end_utc) - epoch(interval_start_utc)"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_marts(tmp_path_factory.mktemp("marts") / "w.duckdb")


def judge(
    good: Path, place: Path, *names: str, hurt: str = "", only: str = ""
) -> list[ExpectationOutcome]:
    """The outcomes of the marts `names`, or of one rule of them, after the statements `hurt`."""
    from expectations.gx import Auditor

    file = place / "w.duckdb"
    shutil.copyfile(good, file)
    if hurt:
        with duckdb.connect(str(file)) as connection:
            connection.execute(hurt)
    columns, _ = _describe(file)
    rules = marts_suite(read_limits(), columns, {name: MARTS[name] for name in names})
    with Auditor(file) as auditor:
        return auditor.judge_rules(rule for rule in rules if only in ("", rule.name))


def failed(outcomes: list[ExpectationOutcome]) -> dict[str, ExpectationOutcome]:
    return {o.expectation: o for o in outcomes if not o.passed}


def test_good_rows_pass_every_rule(good: Path, tmp_path: Path) -> None:
    outcomes = judge(good, tmp_path, *MARTS)
    assert [o.message for o in outcomes if not o.passed] == []
    assert {o.table for o in outcomes} == {f"marts.{m}" for m in MARTS} | {
        "intermediate.int_mq__record"
    }


def test_empty_marts_pass_every_rule(good: Path, tmp_path: Path) -> None:
    emptied = "; ".join(
        f"DELETE FROM {table}"
        for table, kind in duckdb_tables(good)
        if kind in ("marts", "raw", "intermediate")
    )
    outcomes = judge(good, tmp_path, *MARTS, hurt=emptied)
    assert [o.message for o in outcomes if not o.passed] == []
    assert {o.observed for o in outcomes} == {"0 found in 0 rows"}


def duckdb_tables(file: Path) -> list[tuple[str, str]]:
    with duckdb.connect(str(file), read_only=True) as connection:
        return connection.execute(
            "SELECT schema_name || '.' || table_name, schema_name FROM duckdb_tables()"
        ).fetchall()


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
            yield name, "shares_are_within_bounds", most, "full_percent = 101.5"
            least = f"UPDATE {table} SET hit_ratio = -0.2"
            yield name, "shares_are_within_bounds", least, "hit_ratio = -0.2"
        for one, other in mart.sums:
            column = columns_of(other)[0]
            statement = f"UPDATE {table} SET {column} = 7"
            yield name, "sums_hold", statement, f"{one} = {other}"
        if "interval_start_utc" in mart.grain:
            longer = f"UPDATE {table} SET interval_seconds = 61"
            yield name, "sums_hold", longer, f"interval_seconds = {INTERVAL}"
        if mart.parts:
            for measure in mart.parts[2]:
                yield (
                    name,
                    "totals_are_those_of_the_parts",
                    f"UPDATE marts.{mart.parts[0]} SET {measure} = 7",
                    f"{measure} 0.0 here and 7.0 there",
                )
        for feed in mart.feeds:
            yield (
                name,
                "no_record_is_lost",
                (
                    f"INSERT INTO raw.{feed} BY NAME SELECT '{A}' AS source_id, 77 AS record_no; "
                    f"INSERT INTO intermediate.int_mq__record VALUES ('{A}', 77, 115, 2, now())"
                ),
                f"record 77 of load aaaaaaaaaaaa: {feed}",
            )


@pytest.mark.parametrize("name", MARTS)
def test_hurt_rows_fail_their_rule_and_are_named(name: str, good: Path, tmp_path: Path) -> None:
    cases = [case for case in hurts() if case[0] == name]
    for _, rule, statement, words in cases:
        found = failed(judge(good, tmp_path, name, hurt=statement, only=rule))
        assert rule in found, statement
        outcome = found[rule]
        assert words in outcome.message, statement
        assert outcome.message.startswith(f"marts.{name}")
        assert "\n" not in outcome.message
        assert outcome.rows_failed > 0
    rules = {o.expectation for o in judge(good, tmp_path, name)} - {"statistics_have_an_interval"}
    assert rules == {rule for _, rule, _, _ in cases}


@pytest.mark.parametrize("statement", ["full_percent = 100.9", "hit_ratio = 1.005", "things = 0"])
def test_figures_within_the_tolerance_pass(statement: str, good: Path, tmp_path: Path) -> None:
    hurt = f"UPDATE marts.fct_buffer_pool_interval SET {statement}"
    assert failed(judge(good, tmp_path, "fct_buffer_pool_interval", hurt=hurt)) == {}


def test_a_record_that_was_dropped_as_a_duplicate_is_not_lost(good: Path, tmp_path: Path) -> None:
    hurt = f"INSERT INTO raw.smf116_wtas VALUES ('{A}', 77, 1)"
    assert failed(judge(good, tmp_path, "fct_task_accounting", hurt=hurt)) == {}


def test_statistics_without_an_interval_are_told(good: Path, tmp_path: Path) -> None:
    hurt = f"INSERT INTO intermediate.int_mq__record VALUES ('{A}', 78, 115, 6, NULL)"
    (outcome,) = failed(judge(good, tmp_path, hurt=hurt)).values()
    assert outcome.severity == "warning"
    assert "115.6, record 78 of load aaaaaaaaaaaa" in outcome.message


def test_a_mart_that_is_not_there_fails(good: Path, tmp_path: Path) -> None:
    found = failed(judge(good, tmp_path, "dim_load", hurt="DROP TABLE marts.dim_load"))
    assert set(found) == {"grain_is_unique"}
    assert "could not be judged" in found["grain_is_unique"].message


def test_every_rule_of_a_table_has_a_name_of_its_own(good: Path) -> None:
    columns, _ = _describe(good)
    keys = [(r.suite, r.table, r.name) for r in marts_suite(read_limits(), columns)]
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
