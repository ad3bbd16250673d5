"""What must hold in each model whatever the data are, and does not: rows of meta.broken_fact.

The build has left the tables that it concerns as last published, so it is no reason to keep the
others from readers.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from expectations.outcome import ExpectationOutcome
from expectations.rule import ERROR

__all__ = ["judge_facts"]


def judge_facts(connection: duckdb.DuckDBPyConnection) -> Iterator[ExpectationOutcome]:
    """Yield an outcome per fact that does not hold; none if all do."""
    try:
        result = connection.execute("FROM meta.broken_fact ORDER BY ALL").fetchall()
    except duckdb.CatalogException:
        return
    for test, models, fact, rows, kept in result:
        about = ", ".join(models)
        marts = [name for name in kept if name.startswith("marts.")]
        yield ExpectationOutcome(
            suite="marts",
            table=about,
            expectation=test,
            column="",
            passed=False,
            severity=ERROR,
            observed=f"rows that break it: {rows}",
            expected=fact,
            message=f"{about}: rows break a fact that all data must hold: {fact} ({rows}); as last "
            f"published because of it: {', '.join(marts) or 'nothing'}; a fault of perfhouse, "
            "please report it",
            rows_failed=rows,
        )
