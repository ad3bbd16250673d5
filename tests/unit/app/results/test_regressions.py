"""The list of regressions: what matters most comes first."""

from __future__ import annotations

import duckdb
import pytest

from app.results.regressions import listed

# regression_id, leads, is_open, impact, onset
ROWS = [
    ("a.1", True, True, 3.0, "2026-01-04"),
    ("a.2", False, True, 3.0, "2026-01-04"),
    ("b.1", True, True, 12.0, "2026-01-01"),
    ("c.1", True, False, 0.0, "2026-01-09"),
    ("d.1", True, False, 4.0, "2026-01-02"),
    ("d.2", False, True, 4.0, "2026-01-02"),
    ("e.1", True, True, 3.0, "2026-01-08"),
]


@pytest.fixture
def db() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA meta")
    connection.execute(
        "CREATE TABLE meta.regression (regression_id VARCHAR, group_id VARCHAR, leads BOOLEAN, "
        "is_open BOOLEAN, impact DOUBLE, onset_utc TIMESTAMP)"
    )
    connection.executemany(
        "INSERT INTO meta.regression VALUES ($1, split_part($1, '.', 1), $2, $3, $4, $5)", ROWS
    )
    return connection


@pytest.mark.parametrize(
    ("everything", "expected"),
    [
        # One of each group that has something open; then the later ones.
        (False, ["b.1", "d.2", "e.1", "a.1"]),
        (True, ["b.1", "d.2", "e.1", "a.1", "a.2", "d.1", "c.1"]),
    ],
)
def test_the_greatest_open_regression_comes_first(
    db: duckdb.DuckDBPyConnection, everything: bool, expected: list[str]
) -> None:
    rows = db.sql(listed(everything=everything)).pl()
    assert rows["regression_id"].to_list() == expected


def test_a_file_of_an_earlier_release_has_no_impact(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("ALTER TABLE meta.regression DROP impact")
    rows = db.sql(listed(everything=False)).pl()
    assert rows["regression_id"].to_list() == ["e.1", "a.1", "d.2", "b.1"]
    assert rows["impact"].to_list() == [None] * 4
