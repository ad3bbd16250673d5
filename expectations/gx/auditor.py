"""Run rules, baselines and regressions through Great Expectations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import great_expectations as gx
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.metadata_types import FailureSeverity
from sqlalchemy import event

from expectations.baselines import Baseline, observed_query
from expectations.gx.expectations import NoOpenRegression, RateNotBelowBaseline, RowsKeepRule
from expectations.outcome import REGRESSIONS, ExpectationOutcome
from expectations.regressions.series import MEASUREMENTS
from expectations.regressions.suite import Subject, open_query
from expectations.rule import ERROR, FAULT, WARNING, Rule, verdict_query
from ingest.lake.memory import bound
from ingest.lake.profile import attach_shown

__all__ = ["Auditor"]

_SEVERITY = {
    FAULT: FailureSeverity.CRITICAL,
    ERROR: FailureSeverity.CRITICAL,
    WARNING: FailureSeverity.WARNING,
}


class Auditor:
    """Great Expectations on one DuckDB file, opened read-only; use it in a `with` statement."""

    def __init__(self, database: Path) -> None:
        self._context = gx.get_context(mode="ephemeral")
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False)
        options: dict[str, Any] = {"kwargs": {"connect_args": {"read_only": True}}}
        self._source = self._context.data_sources.add_sql(
            "warehouse", connection_string=f"duckdb:///{database}", **options
        )
        engine = self._source.get_execution_engine().engine
        event.listen(engine, "connect", _attach)
        # One batch stands for the whole database: a batch per table would take longer than the
        # queries.
        asset = self._source.add_query_asset("database", "SELECT 1")
        self._batch = asset.add_batch_definition_whole_table("database").get_batch()

    def __enter__(self) -> Auditor:
        return self

    def __exit__(self, *_: object) -> None:
        # DuckDB keeps the file open until the last connection is closed.
        self._source.get_execution_engine().close()
        self._source.get_engine().dispose()

    def judge_rules(self, rules: Iterable[Rule]) -> list[ExpectationOutcome]:
        """Return one outcome per rule, in order; a rule that could not be judged has failed."""
        rules = list(rules)
        suite = rules[0].suite if rules else ""
        results = self._run(suite, [_rule_expectation(rule) for rule in rules])
        return [
            _outcome(
                result,
                suite=rule.suite,
                table=rule.table,
                expectation=rule.name,
                column=rule.column,
                severity=rule.severity,
                expected=rule.expected,
            )
            for rule, result in zip(rules, results, strict=True)
        ]

    def judge_baselines(self, baselines: Iterable[Baseline]) -> list[ExpectationOutcome]:
        """Return one outcome per baseline, in order; none for bundled data that are not there."""
        baselines = list(baselines)
        results = self._run("rates", [_rate_expectation(baseline) for baseline in baselines])
        return [
            _outcome(
                result,
                suite="rates",
                table=baseline.table,
                expectation=baseline.name,
                column=baseline.metric,
                severity=ERROR,
                expected=baseline.expected,
            )
            for baseline, result in zip(baselines, results, strict=True)
            if not (baseline.bundled and _has_no_rows(result))
        ]

    def judge_regressions(self, subjects: Iterable[Subject]) -> list[ExpectationOutcome]:
        """Return one outcome per subject, in order."""
        subjects = list(subjects)
        results = self._run(REGRESSIONS, [_regression_expectation(subject) for subject in subjects])
        return [
            _outcome(
                result,
                suite=REGRESSIONS,
                table=MEASUREMENTS,
                expectation=f"{subject.campaign}: {subject.name}",
                column="",
                severity=subject.severity,
                expected=subject.expected,
            )
            for subject, result in zip(subjects, results, strict=True)
        ]

    def _run(
        self,
        name: str,
        expectations: Sequence[RowsKeepRule | RateNotBelowBaseline | NoOpenRegression],
    ) -> list[Any]:
        """Return the results in order; Great Expectations puts those that raised first."""
        if not expectations:
            return []
        for number, expectation in enumerate(expectations):
            expectation.meta = {"number": number}
        suite = gx.ExpectationSuite(name, expectations=list(expectations))
        results = self._batch.validate(suite, result_format="COMPLETE").results
        by_number = {c.meta["number"]: r for r in results if (c := r.expectation_config)}
        return [by_number[number] for number in range(len(expectations))]


def _attach(connection: Any, _: object) -> None:
    """Attach the lake, if the marts are in one, to a new connection of SQLAlchemy, and bound it."""
    bound(connection)
    attach_shown(connection)


def _rule_expectation(rule: Rule) -> RowsKeepRule:
    return RowsKeepRule(
        query=verdict_query(rule),
        table=rule.table,
        column=rule.column,
        problem=rule.problem,
        advice=rule.advice,
        severity=_SEVERITY[rule.severity],
    )


def _rate_expectation(baseline: Baseline) -> RateNotBelowBaseline:
    return RateNotBelowBaseline(
        query=observed_query(baseline),
        metric=f"{baseline.table}.{baseline.metric}",
        key=baseline.key,
        baseline=baseline.value,
        unit=baseline.unit,
        tolerance_percent=baseline.tolerance_percent,
        source=baseline.source,
        severity=_SEVERITY[ERROR],
    )


def _regression_expectation(subject: Subject) -> NoOpenRegression:
    return NoOpenRegression(
        query=open_query(subject),
        campaign=subject.campaign,
        subject=subject.name,
        severity=_SEVERITY[subject.severity],
    )


def _has_no_rows(result: Any) -> bool:
    return bool(result.success) and result.result.get("observed_value") is None


def _outcome(result: Any, **known: Any) -> ExpectationOutcome:
    """Convert a result of Great Expectations; it has no details if the query raised."""
    details = result.result.get("details")
    if not details:
        text = f"{known['table']}: {known['expectation']}"
        return ExpectationOutcome(
            **known,
            passed=False,
            observed="not judged",
            message=f"{text} could not be judged: {_reason(result.exception_info)}",
        )
    return ExpectationOutcome(
        **known,
        passed=bool(result.success),
        observed=details["observed"],
        message=details["message"],
        rows_failed=details["rows_failed"],
        rows_total=details["rows_total"],
        sample=tuple(details["sample"]),
    )


def _reason(info: dict[str, Any]) -> str:
    """Return the first line of the exception that one of the metrics raised."""
    infos = [info] if "exception_message" in info else list(info.values())
    text = next((i["exception_message"] for i in infos if i["raised_exception"]), "no reason")
    return str(text).strip().splitlines()[0]
