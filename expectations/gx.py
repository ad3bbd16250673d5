"""Runs rules and baselines in Great Expectations; importing this imports it (ten seconds)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

# Great Expectations reads these when it is imported.
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")

import great_expectations as gx
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.metadata_types import FailureSeverity
from sqlalchemy import event
from sqlalchemy.engine import ExceptionContext

from expectations.baselines import Baseline, observed_query
from expectations.custom import RateNotBelowBaseline, RowsKeepRule, batch_query
from expectations.duckdb_dialect import keep_duckdb_connections
from expectations.outcome import ExpectationOutcome
from expectations.rule import ERROR, WARNING, Rule

__all__ = ["Auditor"]

_SEVERITY = {ERROR: FailureSeverity.CRITICAL, WARNING: FailureSeverity.WARNING}


class Auditor:
    """An ephemeral context on one DuckDB file, opened read-only; close it by `with`."""

    def __init__(self, database: Path) -> None:
        keep_duckdb_connections()
        self._context = gx.get_context(mode="ephemeral")
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False)
        options: dict[str, Any] = {"kwargs": {"connect_args": {"read_only": True}}}
        self._source = self._context.data_sources.add_sql(
            "warehouse", connection_string=f"duckdb:///{database}", **options
        )
        event.listen(self._source.get_execution_engine().engine, "handle_error", _end_transaction)

    def __enter__(self) -> Auditor:
        return self

    def __exit__(self, *_: object) -> None:
        # DuckDB holds the file until the last connection to it is closed: the one that the
        # execution engine keeps, and those in the pool of the data source.
        execution = self._source.get_execution_engine()
        with execution.get_connection() as connection:
            connection.close()
        execution.close()
        self._source.get_engine().dispose()

    def judge_rules(self, rules: Iterable[Rule]) -> Iterator[ExpectationOutcome]:
        """One outcome for each rule; a rule that could not be judged failed."""
        by_table = sorted(rules, key=lambda rule: (rule.suite, rule.table))
        for (suite, table), group in groupby(by_table, key=lambda rule: (rule.suite, rule.table)):
            kept = {rule.name: rule for rule in group}
            results = self._run(suite, table, [_rule_expectation(r) for r in kept.values()])
            for key, rule in kept.items():
                yield _outcome(
                    results[key],
                    suite=suite,
                    table=table,
                    expectation=rule.name,
                    column=rule.column,
                    severity=rule.severity,
                    expected=rule.expected,
                )

    def judge_baselines(self, baselines: Iterable[Baseline]) -> Iterator[ExpectationOutcome]:
        """One outcome for each baseline."""
        by_table = sorted(baselines, key=lambda baseline: baseline.table)
        for table, group in groupby(by_table, key=lambda baseline: baseline.table):
            kept = {baseline.name: baseline for baseline in group}
            results = self._run("rates", table, [_rate_expectation(b) for b in kept.values()])
            for key, baseline in kept.items():
                yield _outcome(
                    results[key],
                    suite="rates",
                    table=table,
                    expectation=baseline.name,
                    column=baseline.metric,
                    severity=ERROR,
                    expected=(
                        f"at least {baseline.value:.6g} {baseline.unit} "
                        f"less {baseline.tolerance_percent:g} %"
                    ),
                )

    def _run(self, suite_name: str, table: str, expectations: list[Any]) -> dict[str, Any]:
        """Results by the name in each expectation's meta; an exception where the table is not."""
        schema, _, table_name = table.partition(".")
        unique = f"{suite_name} {table}"
        names = [expectation.meta["name"] for expectation in expectations]
        try:
            with warnings.catch_warnings():
                # For DuckDB there is no other way to name a schema than the deprecated one.
                warnings.simplefilter("ignore", DeprecationWarning)
                asset = self._source.add_table_asset(
                    unique, table_name=table_name, schema_name=schema
                )
            suite = self._context.suites.add(gx.ExpectationSuite(unique, expectations=expectations))
            definition = gx.ValidationDefinition(
                name=unique, data=asset.add_batch_definition_whole_table(unique), suite=suite
            )
            results = definition.run(result_format="COMPLETE").results
        except Exception as error:
            return dict.fromkeys(names, error)
        configs = [result.expectation_config for result in results]
        return {c.meta["name"]: r for c, r in zip(configs, results, strict=True) if c}


def _end_transaction(context: ExceptionContext) -> None:
    """A query that fails must not take with it those that come after it in the transaction."""
    if context.connection is not None:
        context.dialect.do_rollback(context.connection.connection)


def _rule_expectation(rule: Rule) -> RowsKeepRule:
    return RowsKeepRule(
        unexpected_rows_query=batch_query(f"SELECT * FROM ({rule.query}) ORDER BY place"),
        table=rule.table,
        column=rule.column,
        problem=rule.problem,
        advice=rule.advice,
        severity=_SEVERITY[rule.severity],
        meta={"name": rule.name},
    )


def _rate_expectation(baseline: Baseline) -> RateNotBelowBaseline:
    return RateNotBelowBaseline(
        query=batch_query(observed_query(baseline)),
        metric=f"{baseline.table}.{baseline.metric}",
        key=baseline.key,
        baseline=baseline.value,
        unit=baseline.unit,
        tolerance_percent=baseline.tolerance_percent,
        source=baseline.source,
        severity=_SEVERITY[ERROR],
        meta={"name": baseline.name},
    )


def _outcome(result: Any, **known: Any) -> ExpectationOutcome:
    """A result of Great Expectations, or the exception in its place, as an outcome."""
    details = {} if isinstance(result, Exception) else result.result.get("details", {})
    if not details:
        reason = _reason(result)
        return ExpectationOutcome(
            **known,
            passed=False,
            observed="not judged",
            message=f"{known['table']}: {known['expectation']} could not be judged: {reason}",
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


def _reason(result: Any) -> str:
    """The first line of what was raised, wherever Great Expectations put it."""
    if isinstance(result, Exception):
        text = str(result)
    else:
        info = result.exception_info
        infos = [info] if "exception_message" in info else list(info.values())
        text = next((i["exception_message"] for i in infos if i["raised_exception"]), "no reason")
    return text.strip().splitlines()[0]
