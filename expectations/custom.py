"""The custom expectations; importing this imports Great Expectations."""

from __future__ import annotations

from typing import Any, ClassVar

from great_expectations.expectations.core import UnexpectedRowsExpectation
from great_expectations.expectations.expectation import BatchExpectation

__all__ = ["RateNotBelowBaseline", "RowsKeepRule", "batch_query"]

_SAMPLE = 5


def batch_query(query: str) -> str:
    """`query`, which reads the table as `batch`, in the form that Great Expectations fills in."""
    escaped = query.replace("{", "{{").replace("}", "}}")
    return f"WITH batch AS (SELECT * FROM {{batch}}) SELECT * FROM ({escaped})"


class RowsKeepRule(UnexpectedRowsExpectation):
    """No row breaks a rule; says which rows do, and what to do.

    The query returns `place` and `observed` (see `rule.Rule`). In the result, `details` holds
    message, observed, rows_total and sample.
    """

    metric_dependencies: ClassVar[tuple[str, ...]] = (
        *UnexpectedRowsExpectation.metric_dependencies,
        "table.row_count",
    )
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
        failed = int(metrics["unexpected_rows_query.row_count"])
        total = int(metrics["table.row_count"])
        rows = metrics["unexpected_rows_query.table"][:_SAMPLE]
        sample = [f"{row['place']}: {row['observed']}" for row in rows]
        where = f"{self.table}.{self.column}" if self.column else self.table
        message = (
            f"{where}: {self.problem}: {failed} found, first {sample[0]}. {self.advice}."
            if failed
            else ""
        )
        return {
            "success": failed == 0,
            "result": {
                "observed_value": failed,
                "details": {
                    "message": " ".join(message.split()),
                    "observed": f"{failed} found in {total} rows",
                    "rows_failed": failed,
                    "rows_total": total,
                    "sample": sample,
                },
            },
        }


class RateNotBelowBaseline(BatchExpectation):
    """A rate is not more than a tolerance below its baseline.

    The query returns one row as `baselines.observed_query` says. No rows to judge is no failure:
    the message says that nothing was judged.
    """

    metric_dependencies: ClassVar[tuple[str, ...]] = ("query.table", "table.row_count")
    success_keys: ClassVar[tuple[str, ...]] = ("query",)
    query: str
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
            "rows_total": int(metrics["table.row_count"]),
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
