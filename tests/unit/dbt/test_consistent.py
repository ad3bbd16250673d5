"""dbt's generic test `consistent`, run on small tables without dbt."""

from __future__ import annotations

import re

import duckdb
import jinja2
import pytest

from app.pipeline.places import ROOT

MACRO = ROOT / "dbt/macros/test_consistent.sql"


def broken(rows: str, **facts: object) -> dict[str, int]:
    """Return the facts that do not hold for the rows of a SQL query, and how many rows break them.

    facts: the test's arguments.
    """
    text = re.sub(r"{% (end)?test ", r"{% \1macro ", MACRO.read_text())
    dbt = jinja2.Environment(extensions=["jinja2.ext.do"])
    dbt.globals["modules"] = {"re": re}
    module = dbt.from_string(text).module
    with duckdb.connect() as db:
        db.execute("CREATE TABLE model AS " + rows)
        db.execute("CREATE TABLE known AS SELECT 1 AS id UNION ALL SELECT 2")
        return dict(db.execute(module.consistent("model", **facts)).fetchall())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("rows", "facts", "expected"),
    [
        ("VALUES (1), (2)", {"grain": ["col0"]}, {}),
        ("VALUES (1), (1), (1)", {"grain": ["col0"]}, {"one row per col0": 2}),
        ("VALUES (1, NULL), (1, NULL)", {"grain": ["col0", "col1"]}, {"one row per col0, col1": 1}),
        ("VALUES (1, NULL), (NULL, 1)", {"grain": ["col0", "col1"]}, {}),
        (
            "VALUES (1, 'a'), (2, 'a')",
            {"grain": ["col0"], "unique": [["col1"], ["col1", "col0"]]},
            {"one row per col1": 1},
        ),
        (
            "VALUES (1, NULL), (2, 3)",
            {"grain": ["col0"], "not_null": ["col0", "col1"]},
            {"col1 is not null": 1},
        ),
        (
            "VALUES (1, 'a'), (2, 'b'), (3, NULL)",
            {"grain": ["col0"], "values": {"col1": ["a", "c"]}},
            {"col1 in ('a', 'c')": 1},
        ),
        (
            "VALUES ('x', 1), ('y', 3), ('z', NULL)",
            {"grain": ["col0"], "references": {"col1": {"to": "known", "field": "id"}}},
            {"col1 in (select id from known)": 1},
        ),
        (
            "FROM (VALUES (5, 0.5, 10), (6, 0.7, 10)) t (puts, puts_per_second, interval_seconds)",
            {"grain": ["puts"], "rates": ["puts"]},
            {"puts_per_second * interval_seconds = puts": 1},
        ),
        (
            "VALUES (1, 3, 1, 2), (2, 4, 1, 2), (3, NULL, 1, 2), (4, 2000000000, 1, 2000000000)",
            {"grain": ["col0"], "identities": ["col1 = col2 + col3"]},
            {"col1 = col2 + col3": 1},
        ),
        (  # what is left of large numbers is not exact
            "VALUES (1, 0.25::DOUBLE, 1e13::DOUBLE, -1e13::DOUBLE), (2, 1e6, 1e13, -1e13)",
            {"grain": ["col0"], "identities": ["col1 = list_sum([col2, col3])"]},
            {"col1 = list_sum([col2, col3])": 1},
        ),
        (
            (
                "FROM (VALUES (1, 5.0, TIMESTAMP '2026-01-01'), (2, 0.0, TIMESTAMP '2026-01-01')) "
                "t (id, seconds, start_utc)"
            ),
            {"grain": ["id"], "identities": ["seconds = epoch(start_utc - start_utc)"]},
            {"seconds = epoch(start_utc - start_utc)": 1},
        ),
        (
            "VALUES (1, 'inf'::DOUBLE, 1), (2, 'nan', 1)",
            {"grain": ["col0"], "identities": ["col1 = col2"]},
            {},
        ),
        (  # records that contradict each other, and one record twice
            (
                "FROM (VALUES (1, 'a', 1), (1, 'a', 2), (1, 'b', 1), (2, 'a', 3), (2, 'a', 3)) "
                "t (interval_start_utc, source_id, record_no)"
            ),
            {"grain": ["interval_start_utc"]},
            {"one row of a record per interval_start_utc": 1},
        ),
        (
            "FROM (VALUES (1, 'x'), (1, 'x'), (1, 'y')) t (interval_start_utc, name)",
            {"grain": ["interval_start_utc", "name"]},
            {"one row of a record per interval_start_utc, name": 1},
        ),
    ],
)
def test_facts_that_do_not_hold_are_counted(
    rows: str, facts: dict[str, object], expected: dict[str, int]
) -> None:
    assert broken(rows, **facts) == expected
