"""What a build rebuilds; dbt itself is replaced by a record of what it was asked."""

import json

import duckdb
import pytest

from app.pipeline import build as module
from app.pipeline import empty, steps
from ingest.lake.warehouse import Warehouse

AFTER_PREDICTING = ("int_runs__rebuilt", "int_runs__predicted+")
EVERYTHING = {"select": [], "exclude": ()}
RUN = """
perfhouse_manifest = 1
campaign = "arrived"
[[run]]
start = 2026-06-01T10:00:00Z
stop = 2026-06-01T10:02:00Z
measurement = [{metric = "rate", value = 100.0, unit = "MB/s"}]
"""


TABLES = {
    "meta.build_day": "source_id VARCHAR, first_record_no BIGINT, last_record_no BIGINT, "
    "distance UTINYINT",
    "intermediate.int_runs__transfer_message": "source_id VARCHAR, record_no BIGINT, "
    "transfer_id VARCHAR",
    "intermediate.int_runs__transfer_item": "source_id VARCHAR, record_no BIGINT, "
    "transfer_id VARCHAR",
    "intermediate.int_runs__manifest": "source_id VARCHAR, record_no BIGINT, run_id VARCHAR",
    "intermediate.int_runs__given": "source_id VARCHAR, run_id VARCHAR",
}


LINEAGE = [
    {
        "name": name,
        "layer": name.split(".")[0],
        "kind": kind,
        "path": f"models/{path}.sql",
        "parents": parents,
        "columns": [],
    }
    for name, kind, path, parents in [
        ("staging.stg_run", "ephemeral", "staging/runs/stg_run", ["staging.bench__run"]),
        ("intermediate.int_run", "table", "intermediate/runs/int_run", ["staging.stg_run"]),
        ("marts.fct_run", "table", "marts/runs/fct_run", ["intermediate.int_run"]),
        ("marts.fct_puts", "incremental", "marts/mq/fct_puts", ["staging.mq__message_manager"]),
        ("marts.fct_load", "table", "marts/lake/fct_load", ["raw.ledger"]),
    ]
]


class Dbt:
    """Makes the tables that a plan of days reads, and notes how it was called."""

    def __init__(self):
        self.calls = []
        self.meanwhile = lambda: None

    def __call__(self, database, log, *, select=(), exclude=(), **_settings):
        self.calls.append({"select": select, "exclude": exclude})
        with duckdb.connect(str(database)) as db:
            db.execute("CREATE SCHEMA IF NOT EXISTS intermediate")
            for table, columns in TABLES.items():
                db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
        log.mkdir(exist_ok=True)
        (log / "lineage.json").write_text(json.dumps(LINEAGE))
        self.meanwhile()
        return 1


@pytest.fixture
def dbt(monkeypatch):
    dbt = Dbt()
    monkeypatch.setattr(module, "run_dbt", dbt)
    monkeypatch.setattr(empty, "kept", lambda: None)
    return dbt


@pytest.fixture
def warehouse(tmp_path, dumps):
    warehouse = Warehouse(tmp_path / "x.duckdb")
    steps.ingest_paths(warehouse, dumps)
    return warehouse


def test_a_first_build_builds_everything_and_a_second_nothing(warehouse, dbt):
    first = steps.build(warehouse)
    assert steps.build(warehouse) == first
    assert dbt.calls == [EVERYTHING]


def test_a_change_of_what_predicts_builds_what_depends_on_it(warehouse, dbt, monkeypatch):
    steps.build(warehouse)
    monkeypatch.setattr(module, "_predictions", lambda: "other models")
    steps.build(warehouse)
    assert dbt.calls[1:] == [{"select": AFTER_PREDICTING, "exclude": ()}]


def test_a_change_of_dbts_models_builds_everything(warehouse, dbt, monkeypatch):
    steps.build(warehouse)
    monkeypatch.setattr(module, "_models", lambda: "other models")
    steps.build(warehouse)
    assert dbt.calls[1:] == [EVERYTHING]


def test_a_load_that_comes_during_a_first_build_is_in_the_next(warehouse, dbt, tmp_path):
    late = tmp_path / "late.txt"
    late.write_text("not recognised")
    dbt.meanwhile = lambda: steps.ingest_paths(warehouse, [late])
    steps.build(warehouse)
    dbt.meanwhile = lambda: None
    with warehouse.open_work() as db:
        ((loads,),) = db.execute("SELECT count(DISTINCT source_id) FROM meta.build_load").fetchall()
    assert loads == len(warehouse.loads()) - 1
    steps.build(warehouse)  # some models may have seen half of it
    assert dbt.calls == [EVERYTHING, EVERYTHING]


def test_a_new_load_builds_what_reads_its_tables_and_a_forgotten_one_everything_of_its_days(
    warehouse, dbt, tmp_path
):
    steps.build(warehouse)
    arrived = tmp_path / "run.toml"
    arrived.write_text(RUN)
    (load,) = steps.ingest_paths(warehouse, [arrived])
    steps.build(warehouse)
    steps.forget_load(warehouse, load.source_id)
    steps.build(warehouse)
    _, new, forgotten = dbt.calls
    assert sorted(new["select"]) == ["fct_load", "fct_run", "int_run", "source:staging.lake__*"]
    assert list(forgotten["select"]) == []
    assert new["exclude"] == forgotten["exclude"] != ()


def test_an_unfinished_build_is_followed_by_one_of_everything(warehouse, dbt):
    steps.build(warehouse)
    with warehouse.open_work() as db:
        db.execute("DROP TABLE meta.build")
    steps.build(warehouse)
    assert dbt.calls == [EVERYTHING, EVERYTHING]
