"""The custom expectations: each judges the row that one SQL query returns.

The queries read the whole database; the batch that Great Expectations passes only stands for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.expectations.expectation import BatchExpectation

__all__ = ["NoOpenRegression", "RateNotBelowBaseline", "RowsKeepRule"]


class _QueryExpectation(BatchExpectation):
    """Base class: judges the one row that `query` returns.

    `details` in the result holds message, observed, rows_failed, rows_total and sample.
    """

    success_keys: ClassVar[tuple[str, ...]] = ("query",)
    query: str

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: Any = None,
    ) -> dict[str, Any]:
        # Not a metric of Great Expectations, which closes the connection before it reads the rows:
        # DuckDB's are gone then.
        with execution_engine.engine.connect() as connection:
            return self._judge(connection.exec_driver_sql(self.query).mappings().one())

    @abstractmethod
    def _judge(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return Great Expectations' result for the row of the query."""


class RowsKeepRule(_QueryExpectation):
    """No row breaks a rule; `query` returns the row of `rule.verdict_query`."""

    table: str
    column: str = ""
    problem: str
    advice: str

    def _judge(self, row: Mapping[str, Any]) -> dict[str, Any]:
        failed, total = int(row["rows_failed"]), int(row["rows_total"])
        sample = [" ".join(text.split()) for text in row["sample"] or []]
        where = f"{self.table}.{self.column}" if self.column else self.table
        details = {
            "message": "",
            "observed": f"{failed} found in {total} rows",
            "rows_failed": failed,
            "rows_total": total,
            "sample": sample,
        }
        if failed:
            details["message"] = (
                f"{where}: {self.problem}: {failed} found, first {sample[0]}. {self.advice}."
            )
        return {"success": failed == 0, "result": {"observed_value": failed, "details": details}}


class RateNotBelowBaseline(_QueryExpectation):
    """A rate is at most a tolerance below its baseline.

    `query` returns the row of `baselines.observed_query`. If it holds no rate, the expectation
    succeeds and its message says that nothing was judged.
    """

    metric: str
    key: str
    baseline: float
    unit: str
    tolerance_percent: float
    source: str

    def _judge(self, row: Mapping[str, Any]) -> dict[str, Any]:
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
        basis = (
            f"median of {count} row{'s' if count != 1 else ''} of load {row['source_id'][:12]}, "
            f"{row['first_at']} to {row['last_at']} UTC"
        )
        details["observed"] = f"{observed:.6g} {self.unit} ({change:+.1f} %), {basis}"
        details["message"] = ""
        if not success:
            details["rows_failed"] = count
            details["sample"] = [basis]
            details["message"] = (
                f"{self.metric} of {self.key}: {observed:.6g} {self.unit} is {-change:.1f} % below "
                f"the baseline of {self.baseline:.6g} (tolerance {self.tolerance_percent:g} %; "
                f"{basis}; baseline from {self.source}). Find the cause, or set a new baseline."
            )
        return {"success": success, "result": {"observed_value": observed, "details": details}}


class NoOpenRegression(_QueryExpectation):
    """A campaign has no open regression of one kind.

    `query` returns the row of `regressions.suite.open_query`. In `details`, rows_failed counts open
    regressions, rows_total the series judged, and sample holds the messages of the leading ones.
    """

    campaign: str
    subject: str

    def _judge(self, row: Mapping[str, Any]) -> dict[str, Any]:
        count, groups, series = (int(row[name]) for name in ("open", "groups", "series"))
        sample = list(row["sample"] or [])
        message = ""
        if count:
            more = f" (and {groups - 1} more)" if groups > 1 else ""
            message = f"{sample[0]}{more}."
        details = {
            "message": message,
            "observed": f"{count} open in {groups} groups, {series} series judged",
            "rows_failed": count,
            "rows_total": series,
            "sample": sample,
        }
        return {"success": count == 0, "result": {"observed_value": count, "details": details}}
