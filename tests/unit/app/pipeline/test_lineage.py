"""Comments on what a build made, whatever a team calls it and however dbt would make it."""

import json

import duckdb

from app.pipeline.lineage import FILE, note_lineage


def test_tables_and_columns_of_any_name_get_their_texts(tmp_path):
    row = {"layer": "team", "description": "It's theirs", "parents": [], "audit": None}
    columns = [{"name": "a b", "description": "in the currency of prices.toml"}]
    rows = [
        {"name": "team.my-model", "kind": "view", "path": "m.sql", "columns": columns, **row},
        {"name": "team.select", "kind": "table", "path": "s.sql", "columns": [], **row},
        {"name": "raw.t", "kind": "source", "path": None, "columns": columns, **row},
    ]
    (tmp_path / FILE).write_text(json.dumps(rows))
    with duckdb.connect() as db:
        db.execute("""
            CREATE SCHEMA meta; CREATE SCHEMA team; CREATE SCHEMA raw;
            CREATE TABLE meta.price AS SELECT 'EUR' AS currency;
            CREATE TABLE team."my-model" ("a b" INT); CREATE VIEW team."select" AS SELECT 1 AS x;
            CREATE TABLE raw.t ("a b" INT)
        """)
        for _ in range(2):
            note_lineage(db, tmp_path)
        assert db.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() "
            "WHERE schema_name IN ('team', 'raw') ORDER BY 1"
        ).fetchall() == [("my-model", "a b", "in EUR"), ("select", "x", None), ("t", "a b", None)]
        comments = (
            "SELECT comment FROM duckdb_tables() WHERE schema_name = 'team' "
            "UNION ALL SELECT comment FROM duckdb_views() WHERE schema_name = 'team'"
        )
        assert db.execute(comments).fetchall() == [("It's theirs",)] * 2
