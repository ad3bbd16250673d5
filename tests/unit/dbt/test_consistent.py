"""dbt's generic test `consistent`, run on small tables without dbt."""

from __future__ import annotations

import re

import duckdb
import jinja2

from app.pipeline.places import ROOT
from tests.kit.cases import cases

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
        found = db.execute(module.consistent("model", **facts)).fetchall()  # type: ignore[attr-defined]
        for _, number, query in found:  # of rows with one key, one is not too many
            assert number <= len(db.sql(query)) <= 2 * number
        return {fact: number for fact, number, _ in found}


@cases
def test_facts_that_do_not_hold_are_counted(
    rows: str, facts: dict[str, object], expected: dict[str, int]
) -> None:
    assert broken(rows, **facts) == expected
