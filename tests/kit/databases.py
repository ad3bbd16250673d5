"""Small working databases with the columns that the audit reads; they break no rule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import duckdb
import yaml
from duckdb import DuckDBPyConnection

from app.pipeline.places import ROOT
from expectations.rule import Rule, verdict_query
from expectations.suites.known_marts import Mart


def _known_marts() -> dict[str, Mart]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    files = sorted((ROOT / "dbt/models/marts").rglob("*.yml"))
    models = [m for file in files for m in yaml.load(file.read_text(), loader).get("models", [])]
    return {
        model["name"]: Mart(
            tuple(meta["consistent"]["grain"]),
            tuple(meta.get("signed", ())),
            meta.get("printed", False),
            tuple(meta.get("compared", ())),
        )
        for model in models
        for meta in [model["config"]["meta"]]
    }


MARTS = _known_marts()
RAW, FILL, RECOUNT = (
    Path(__file__).with_name(f"raw_{part}.sql").read_text() for part in ("tables", "rows", "counts")
)


def make_raw(file: Path, *statements: str, fill: bool = True) -> Path:
    """Make a database with raw tables, then run `statements` on it."""
    with duckdb.connect(str(file)) as connection:
        connection.execute(RAW)
        if fill:
            connection.execute(FILL)
            connection.execute(RECOUNT)
        for statement in statements:
            connection.execute(statement)
    return file


A = "aaaaaaaaaaaaaaaa"
_TEXTS = set(Path(__file__).with_name("text_columns.txt").read_text().split())


def named_columns(mart_name: str) -> set[str]:
    """Return every column of a mart that the audit names."""
    mart = MARTS[mart_name]
    record = ("source_id", "record_no") if mart.is_unique_by_data else ()
    return {*mart.key, *mart.signed, *mart.compared, *record}


def make_marts(file: Path) -> Path:
    """Make a database with one row in every mart that breaks no rule."""
    make_raw(
        file,
        "CREATE SCHEMA marts",
        "CREATE SCHEMA intermediate",
        f"CREATE TABLE intermediate.int_mq__record AS SELECT '{A}' AS source_id, "
        "3::BIGINT AS record_no, 115 AS record_type, 2 AS record_subtype, "
        "TIMESTAMP '2026-02-27 10:00:00' AS interval_start_utc",
        f"CREATE TABLE intermediate.int_rmf__record AS SELECT '{A}' AS source_id, "
        "3::BIGINT AS record_no, 3::BIGINT AS logical_record, true AS usable, 70 AS record_type, "
        "1 AS record_subtype, true AS complete, false AS skipped, false AS monitor_iii, "
        "TIMESTAMP '2026-02-27 10:00:00' AS interval_start_utc",
    )
    with duckdb.connect(str(file)) as connection:
        for mart_name in MARTS:
            connection.execute(f"CREATE TABLE marts.{mart_name} AS SELECT {_row(mart_name)}")
            connection.execute(
                "INSERT INTO meta.lineage VALUES ($1, $2)",
                [f"marts.{mart_name}", asdict(MARTS[mart_name])],
            )
    return file


@contextmanager
def changed(database: DuckDBPyConnection, damage: str) -> Iterator[None]:
    """Run the statements `damage`, and undo them at the end."""
    database.execute("BEGIN")
    try:
        if damage:
            database.execute(damage)
        yield
    finally:
        database.execute("ROLLBACK")


def broken(database: DuckDBPyConnection, rule: Rule) -> tuple[int, list[str]]:
    """Return the number of rows that break a rule, and the first of them."""
    row = database.execute(verdict_query(rule)).fetchone()
    assert row
    return row[1], row[2] or []


def _row(mart_name: str) -> str:
    """Return the SELECT list of a row: the columns that the audit names, and some figures."""
    mart = MARTS[mart_name]
    values = dict.fromkeys(named_columns(mart_name), "0::DOUBLE")
    values |= {c: "'x'" for c in values if c in _TEXTS}
    values |= {"origin": "'published'" if mart.printed else "'measured'", "source_id": f"'{A}'"}
    if mart.compared:
        values["agrees"] = "true"
    if mart_name == "fct_data_issue":
        values |= {"severity": "'note'", "sysplex": "'P1'", "system_id": "'S1'", "done": "'kept'"}
        values |= {"start_utc": "TIMESTAMP '2026-02-27 10:00:00'"}
    values |= {
        "things": "1::DOUBLE",
        "interval_seconds": "900::DOUBLE",
        "full_percent": "50::DOUBLE",
    }
    values |= {"line_bytes_per_second": "0::DOUBLE", "log_mb_per_second": "0::DOUBLE"}
    return ", ".join(f"{value} AS {column}" for column, value in values.items())
