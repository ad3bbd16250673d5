"""The issues suite: what the build found wrong with the data, one verdict per kind and severity.

The findings are rows of marts.fct_data_issue; the audit only counts and shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import duckdb

from expectations.outcome import ISSUES, ExpectationOutcome
from expectations.rule import ERROR, WARNING

__all__ = ["judge_issues"]

_MART = "marts.fct_data_issue"
_SAMPLE = 5
_MOMENT = "'%Y-%m-%d %H:%M:%S'"

# Where a finding is, in words, then what was found.
_IN_WORDS = f"""
    coalesce(nullif(concat_ws(', ',
        nullif(concat_ws(' ', sysplex, system_id), ''), subject,
        'run ' || run_id, strftime(start_utc, {_MOMENT}) || ' UTC'
    ), '') || ': ', '') || found
"""


def judge_issues(
    connection: duckdb.DuckDBPyConnection, columns: Mapping[str, Mapping[str, str]]
) -> Iterator[ExpectationOutcome]:
    """Yield an outcome per severity and kind of finding; one that has passed if there is none.

    Yields nothing if the build has no such mart. A finding of severity "note" is no failure.
    """
    if _MART not in columns:
        return
    result = connection.execute(
        f"""
        SELECT severity, kind, count(*) AS findings, sum(findings) OVER ()::BIGINT,
            min_by({_IN_WORDS}, (start_utc, system_id, subject, found), {_SAMPLE}),
            mode(done)
        FROM {_MART}
        GROUP BY severity, kind
        ORDER BY array_position(['error', 'warning', 'note'], severity), kind
        """
    ).fetchall()
    if not result:
        yield _outcome("no_issues", ERROR, "none", rows_total=0)
    for severity, kind, findings, total, sample, done in result:
        is_failure = severity in (ERROR, WARNING)
        yield _outcome(
            kind,
            severity,
            f"{findings} found",
            passed=not is_failure,
            message=f"{kind}: {findings} found, first {sample[0]}; {done}",
            rows_failed=findings if is_failure else 0,
            rows_total=total,
            sample=tuple(sample),
        )


def _outcome(
    kind: str,
    severity: str,
    observed: str,
    *,
    rows_total: int,
    passed: bool = True,
    message: str = "",
    rows_failed: int = 0,
    sample: tuple[str, ...] = (),
) -> ExpectationOutcome:
    return ExpectationOutcome(
        suite=ISSUES,
        table=_MART,
        expectation=kind,
        column="kind",
        passed=passed,
        severity=severity,
        observed=observed,
        expected="no record contradicts itself or another one",
        message=message,
        rows_failed=rows_failed,
        rows_total=rows_total,
        sample=sample,
    )
