"""Figures of simulated runs as the marts of one build have them, for tables of statements."""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from pathlib import Path

import duckdb
import polars as pl

__all__ = ["Figures", "interval", "of", "space"]

#: Of a metric or a query, a campaign and factors: that figure of any Figures.
of, space, interval = (partial(methodcaller, name) for name in ("of", "space", "interval"))


class Figures:
    """The runs of a published warehouse by their factors, and what the marts say of them.

    A run is chosen by `campaign` and by factors, whose values are text; `x_` may be left out, and
    None stands for a factor that the run does not have.
    """

    def __init__(self, file: Path) -> None:
        self.db = duckdb.connect(str(file), read_only=True)
        named = self.db.sql("SELECT run_id, factor, value FROM raw.bench_run_factor").pl()
        names = named.with_columns(pl.col("factor").str.strip_prefix("x_"))
        factors = names.pivot("factor", index="run_id", values="value", aggregate_function="first")
        runs = self.db.sql("SELECT run_id, campaign, start_utc, stop_utc FROM marts.fct_run").pl()
        self.runs = runs.join(factors, on="run_id")

    def chosen(self, campaign: str, **factors: str | None) -> pl.DataFrame:
        """Return the runs of a campaign with these factors: at least one."""
        wanted = [pl.col(name).eq_missing(pl.lit(value)) for name, value in factors.items()]
        found = self.runs.filter(pl.col("campaign") == campaign, *wanted)
        assert found.height, (campaign, factors)
        return found

    def of(self, metric: str, campaign: str, **factors: str | None) -> float:
        """Return the mean of a metric over the runs."""
        runs = self.chosen(campaign, **factors)
        return self._mean(
            "SELECT avg(value) FROM marts.fct_measurement JOIN runs USING (run_id) "
            "WHERE metric = ?",
            runs, metric,
        )  # fmt: skip

    def space(self, metric: str, job: str, campaign: str, **factors: str | None) -> float:
        """Return the mean of a metric of one address space over the runs."""
        runs = self.chosen(campaign, **factors)
        return self._mean(
            "SELECT avg(value) FROM marts.fct_address_space_measurement JOIN runs USING (run_id) "
            "WHERE metric = ? AND address_space = ?",
            runs, metric, job,
        )  # fmt: skip

    def interval(self, select: str, campaign: str, **factors: str | None) -> float:
        """Return a figure of a mart of intervals, within the runs.

        `select` is a query of one value that ends in `FROM mart` or its joins.
        """
        runs = self.chosen(campaign, **factors)
        return self._mean(
            f"{select} JOIN runs ON interval_start_utc >= runs.start_utc "
            "AND interval_start_utc < runs.stop_utc",
            runs,
        )

    def expected(self, campaign: str, **factors: str | None) -> float:
        """Return the improvement in percent that is expected of newer runs' rate."""
        runs = self.chosen(campaign, **factors)
        return self._mean(
            "SELECT any_value(expected_improvement_percent_of_before) "
            "FROM marts.fct_machine_comparison JOIN marts.fct_run "
            "ON configuration_id = configuration_id_after JOIN runs USING (run_id) "
            "WHERE metric = 'transactions_per_second'",
            runs,
        )

    def share_of_class(self, nest: str, campaign: str, **factors: str | None) -> float:
        """Return the share of runs whose counters on the first LPAR show this nest intensity."""
        runs = self.chosen(campaign, **factors)
        return self._mean(
            "SELECT avg((rni_class = ?)::INT) FROM marts.fct_run_hardware "
            "JOIN runs USING (run_id) WHERE system_id = 'MVS1'",
            runs, nest,
        )  # fmt: skip

    def card_us(self, campaign: str, **factors: str | None) -> float:
        """Return the microseconds of a request to a coprocessor."""
        return self.interval(
            "SELECT 1e6 * sum(execution_seconds) / sum(operations) FROM "
            "(SELECT * FROM marts.fct_crypto_card_interval WHERE scope = 'the machine' "
            "AND card_kind = 'CCA coprocessor')",
            campaign, **factors,
        )  # fmt: skip

    def claims(self, document: str) -> tuple[int, set[int]]:
        """Return how many claims of a document runs decide, and those that do not hold."""
        found = self.db.execute(
            "SELECT DISTINCT claim_id, verdict FROM marts.fct_claim_on_runs "
            "WHERE document_id = ? AND verdict IN ('agrees', 'differs')",
            [document],
        ).fetchall()
        return len(dict(found)), {claim for claim, verdict in found if verdict != "agrees"}

    def value(self, query: str, campaign: str = "", **factors: str | None) -> float:
        """Return the one value of a query, which may read the chosen `runs`."""
        runs = self.chosen(campaign, **factors) if campaign else self.runs
        return self._mean(query, runs)

    def _mean(self, query: str, runs: pl.DataFrame, *values: object) -> float:
        self.db.register("runs", runs.select("run_id", "start_utc", "stop_utc"))
        (value,) = self.db.execute(query, values).fetchone() or (None,)
        assert value is not None, query
        return float(value)
