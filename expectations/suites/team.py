"""The team suite: how the models and tests of a team's own dbt project went in the build.

They are rows of meta.team_result; none of them keeps the build from being published.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from expectations.outcome import ExpectationOutcome
from expectations.rule import ERROR, WARNING

__all__ = ["judge_team"]


def judge_team(connection: duckdb.DuckDBPyConnection) -> Iterator[ExpectationOutcome]:
    """Yield an outcome per model and test of a team's project; none if there is no project."""
    result = connection.execute(
        "SELECT 1 FROM duckdb_columns() WHERE database_name = current_database() "
        "AND schema_name = 'meta' AND table_name = 'team_result'"
    ).fetchall()
    if not result:
        return
    for name, kind, file, status, message, rows in connection.execute(
        "SELECT name, kind, file, status, message, rows_failed FROM meta.team_result ORDER BY name"
    ).fetchall():
        passed, is_test = status == "passed", kind == "test"
        text = "data test" if is_test else kind
        yield ExpectationOutcome(
            suite="team",
            table="" if is_test or kind == "project" else f"team.{name}",
            expectation=name,
            column="",
            passed=passed,
            severity=WARNING if status == "warning" else ERROR,
            observed=status,
            expected="the test finds no rows" if is_test else "dbt builds it",
            message="" if passed else f"{text} {name} of your own dbt project: {message} ({file})",
            rows_failed=0 if passed else rows or 0,
        )
