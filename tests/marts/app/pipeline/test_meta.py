"""The columns of meta have comments, and each text is of a column."""

from pathlib import Path

import duckdb

from ingest.lake.meta_columns import TEXTS


def test_every_column_of_meta_is_described(bundled: Path) -> None:
    with duckdb.connect(str(bundled), read_only=True) as db:
        columns = db.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() "
            "WHERE schema_name = 'meta'"
        ).fetchall()
    assert [(table, column) for table, column, comment in columns if not comment] == []
    named = {name for table, column, _ in columns for name in (column, f"{table}.{column}")}
    assert set(TEXTS) <= named
