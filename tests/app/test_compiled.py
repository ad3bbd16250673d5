"""What dbt compiled is executed again as dbt would, and errors name the model."""

import json
from pathlib import Path

import duckdb
import pytest

from app.pipeline.compiled import create, read, refill, run_tests
from app.pipeline.dbt import DbtError

PYTHON = """
def model(dbt, session):
    return session.sql(f"SELECT 2 * n AS n FROM ({dbt.ref('seen').sql_query()})")

class dbtObj:
    def __init__(self, load):
        self.ref = lambda name: load(f'"w"."staging"."{name}"')
"""
TOTAL = 'SELECT sum(n)::BIGINT AS total FROM "w"."intermediate"."twice" -- of all'
SEEN = 'SELECT n FROM "w"."staging"."given"'
MODELS = {  # in an order in which none can be made
    "twice": ("table", "intermediate", ["model.p.seen"], PYTHON, "python"),
    "total": ("table", "marts", ["model.p.twice"], TOTAL, "sql"),
    "seen": ("view", "staging", ["seed.p.given", "source.p.raw.lines"], SEEN, "sql"),
}
TESTS = {"none_is_odd": ("twice", "n % 2 = 1", "ERROR"), "none_is_six": ("twice", "n = 6", "ERROR"),
         "none_is_two": ("twice", "n = 2", "warn")}  # fmt: skip


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """What dbt leaves of a seed, a view, a model in Python, one in SQL and three tests."""
    shared = {"database": "w", "tags": []}
    nodes: dict[str, object] = {
        "seed.p.given": shared
        | {"alias": "given", "resource_type": "seed", "schema": "staging", "depends_on": {}}
        | {"config": {"materialized": "seed"}}
    }
    for name, (kind, schema, parents, code, language) in MODELS.items():
        nodes[f"model.p.{name}"] = shared | {
            "alias": name, "resource_type": "model", "schema": schema, "language": language,
            "compiled_code": code, "depends_on": {"nodes": parents},
            "config": {"materialized": kind},
        }  # fmt: skip
    for name, (of, wrong, severity) in TESTS.items():
        nodes[f"test.p.{name}"] = shared | {
            "alias": name, "resource_type": "test", "schema": "audit", "language": "sql",
            "compiled_code": f"SELECT * FROM intermediate.{of} WHERE {wrong} -- wrong",
            "depends_on": {"nodes": [f"model.p.{of}"]},
            "config": {"materialized": "test", "severity": severity, "fail_calc": "count(*)",
                       "error_if": "!= 0"},
        }  # fmt: skip
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps({"nodes": nodes}))
    return file


@pytest.fixture
def db(tmp_path: Path) -> duckdb.DuckDBPyConnection:
    db = duckdb.connect(str(tmp_path / "w.duckdb"))
    db.execute("CREATE SCHEMA staging; CREATE SCHEMA intermediate; CREATE SCHEMA marts")
    db.execute("CREATE TABLE staging.given AS SELECT unnest([1, 2]) AS n")
    return db


def test_models_are_made_in_their_order_and_filled_again(
    manifest: Path, db: duckdb.DuckDBPyConnection
) -> None:
    models = [node for node in read(manifest, "w") if node.kind in ("table", "view")]
    assert [node.name for node in models] == ["seen", "twice", "total"]
    for node in models:
        create(db, node)
    db.execute(
        "COMMENT ON COLUMN marts.total.total IS 'stays'; INSERT INTO staging.given VALUES (3)"
    )
    for node in models[1:]:
        refill(db, node)
    assert db.sql("FROM intermediate.twice").fetchall() == [(2,), (4,), (6,)]
    assert db.sql("FROM marts.total").fetchall() == [(12,)]
    comments = "SELECT comment FROM duckdb_columns() WHERE table_name = 'total'"
    assert db.sql(comments).fetchall() == [("stays",)]


@pytest.mark.parametrize(
    ("given", "told"), [([1, 2], ""), ([3], "test none_is_six: 1 rows that should not be")]
)
def test_the_first_test_that_fails_a_build_is_named(
    given: list[int], told: str, manifest: Path, db: duckdb.DuckDBPyConnection
) -> None:
    db.execute("CREATE OR REPLACE TABLE staging.given AS SELECT unnest($1) AS n", [given])
    nodes = read(manifest, "w")
    for node in nodes:
        if node.kind in ("table", "view"):
            create(db, node)
    try:
        run_tests(db, nodes)  # one that only warns fails none
        failed = ""
    except DbtError as error:
        failed = str(error)
    assert failed == told


def test_an_error_names_the_model(manifest: Path, db: duckdb.DuckDBPyConnection) -> None:
    (total,) = (node for node in read(manifest, "w") if node.name == "total")
    with pytest.raises(DbtError, match=r"^table total: .*twice does not exist"):
        create(db, total)


@pytest.mark.parametrize("text", ["", None, '{"nodes"'])
def test_what_was_not_compiled_for_this_database_is_none(text: str | None, manifest: Path) -> None:
    assert read(manifest, "of_another_name") == []
    if text is None:
        manifest.unlink()
    else:
        manifest.write_text(text)
    assert read(manifest, "w") == []
