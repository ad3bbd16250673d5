"""The custom expectations; importing this imports Great Expectations.

All judge what one SQL query says of the whole database, so the batch that they are given only
stands for it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from great_expectations.core import ExpectationValidationResult
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.render.components import LegacyDiagnosticRendererType
from great_expectations.render.renderer.renderer import renderer

__all__ = ["NoOpenRegression", "RateNotBelowBaseline", "RowsKeepRule"]


class _QueryExpectation(BatchExpectation):
    """Judges the one row that a query returns."""

    metric_dependencies: ClassVar[tuple[str, ...]] = ("query.table",)
    success_keys: ClassVar[tuple[str, ...]] = ("query",)
    query: str

    @classmethod
    @renderer(renderer_type=LegacyDiagnosticRendererType.OBSERVED_VALUE)
    def _diagnostic_observed_value_renderer(
        cls,
        configuration: ExpectationConfiguration | None = None,
        result: ExpectationValidationResult | None = None,
        runtime_configuration: dict[str, Any] | None = None,
    ) -> str:
        """What stands in a page's column of observed values: the message, if there is one."""
        details = (result.result.get("details") if result else None) or {}
        return str(details.get("message") or details.get("observed") or "not judged")


class RowsKeepRule(_QueryExpectation):
    """No row breaks a rule; says which rows do, and what to do.

    The query returns one row as `rule.verdict_query` says. In
    the result, `details` holds message, observed, rows_failed, rows_total and sample.
    """

    table: str
    column: str = ""
    problem: str
    advice: str

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: object = None,
    ) -> dict[str, Any]:
        row = metrics["query.table"][0]
        failed, total = int(row["rows_failed"]), int(row["rows_total"])
        sample = [" ".join(text.split()) for text in row["sample"] or []]
        where = f"{self.table}.{self.column}" if self.column else self.table
        message = (
            f"{where}: {self.problem}: {failed} found, first {sample[0]}. {self.advice}."
            if failed
            else ""
        )
        details = {
            "message": message,
            "observed": f"{failed} found in {total} rows",
            "rows_failed": failed,
            "rows_total": total,
            "sample": sample,
        }
        return {"success": failed == 0, "result": {"observed_value": failed, "details": details}}


class RateNotBelowBaseline(_QueryExpectation):
    """A rate is not more than a tolerance below its baseline.

    The query returns one row as `baselines.observed_query` says. No rows
    to judge is no failure: the message says that nothing was judged. `details` is as in
    `RowsKeepRule`; rows_failed are the rows behind a rate that failed.
    """

    metric: str
    key: str
    baseline: float
    unit: str
    tolerance_percent: float
    source: str

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: object = None,
    ) -> dict[str, Any]:
        row = metrics["query.table"][0]
        observed, count = row["observed"], int(row["row_count"])
        details: dict[str, Any] = {
            "rows_total": int(row["rows_total"]),
            "rows_failed": 0,
            "sample": [],
        }
        if observed is None:
            details["observed"] = "no rows"
            details["message"] = f"{self.metric} of {self.key}: not judged, no rows"
            return {"success": True, "result": {"observed_value": None, "details": details}}
        floor = self.baseline * (1 - self.tolerance_percent / 100)
        success = bool(observed >= floor)
        change = 100 * (observed / self.baseline - 1)
        behind = (
            f"median of {count} row{'s' if count != 1 else ''} of load {row['source_id'][:12]}, "
            f"{row['first_at']} to {row['last_at']} UTC"
        )
        details["observed"] = f"{observed:.6g} {self.unit} ({change:+.1f} %), {behind}"
        details["message"] = ""
        if not success:
            details["rows_failed"] = count
            details["sample"] = [behind]
            details["message"] = (
                f"{self.metric} of {self.key}: {observed:.6g} {self.unit} is {-change:.1f} % below "
                f"the baseline of {self.baseline:.6g} (tolerance {self.tolerance_percent:g} %; "
                f"{behind}; baseline from {self.source}). Find the cause, or set a new baseline."
            )
        return {"success": success, "result": {"observed_value": observed, "details": details}}


class NoOpenRegression(_QueryExpectation):
    """Nothing of a campaign got worse that nobody has accepted; says what did, since when.

    The query returns one row as `regressions.suite.open_query` says. `details` is as in
    `RowsKeepRule`: rows_failed counts open regressions, rows_total the series that were judged,
    sample has the messages of those that lead their groups.
    """

    campaign: str
    subject: str

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: object = None,
    ) -> dict[str, Any]:
        row = metrics["query.table"][0]
        count, groups, series = (int(row[name]) for name in ("open", "groups", "series"))
        sample = list(row["sample"] or [])
        message = ""
        if count:
            more = f" (and {groups - 1} more)" if groups > 1 else ""
            message = f"{sample[0]}{more}. See 'perfhouse regressions'."
        details = {
            "message": message,
            "observed": f"{count} open, of {groups} causes, in {series} series",
            "rows_failed": count,
            "rows_total": series,
            "sample": sample,
        }
        return {"success": count == 0, "result": {"observed_value": count, "details": details}}
