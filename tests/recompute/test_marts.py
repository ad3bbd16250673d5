"""The marts of runs have the figures that follow from the raw records by other code."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from duckdb import DuckDBPyConnection

from tests.recompute.runs import Recomputed, recompute

NEAR = 1e-9  # relative: the order of sums
# column of the marts -> recomputed
USED = {
    "cpu_seconds": "cpu",
    "general_purpose_seconds": "general_purpose",
    "ziip_seconds": "ziip",
    "ziip_cp_equivalent_seconds": "ziip_at_cp_speed",
    "ziip_on_cp_seconds": "ziip_on_cp",
    "eligible_seconds": "eligible",
    "after_offload_seconds": "after_offload",
}
COSTS = dict.fromkeys(
    ["cost_per_gb", "cost_per_gb_after_offload", "cost_per_transaction_us",
     "cost_per_transaction_after_offload_us", "ziip_share_percent", "ziips_needed"]
)  # fmt: skip
FIGURES = USED | {name: name for name in COSTS}
CHARGED = {"captured_seconds": "captured", "uncaptured_seconds": "uncaptured"}
RUN, SYSTEM = ("run_id",), ("run_id", "sysplex", "system_id")


@pytest.fixture(scope="module")
def published(full: Path) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(full), read_only=True) as db:
        yield db


@pytest.fixture(scope="module")
def recomputed(published: DuckDBPyConnection) -> Recomputed:
    return recompute(published)


@pytest.mark.parametrize(
    ("mart", "frame", "key", "figures"),
    [
        ("fct_run_total", "total", RUN, FIGURES | CHARGED),
        ("fct_run_system", "system", SYSTEM, FIGURES | CHARGED),
        ("fct_run_address_space", "address_space", (*SYSTEM, "address_space"), FIGURES),
    ],
)
def test_figures_of_every_run_are_the_recomputed_ones(
    published: DuckDBPyConnection,
    recomputed: Recomputed,
    mart: str,
    frame: str,
    key: tuple[str, ...],
    figures: dict[str, str],
) -> None:
    columns = ", ".join([*key, *figures])
    shown = published.sql(f"SELECT {columns} FROM marts.{mart} WHERE origin = 'simulated'").pl()
    worked = getattr(recomputed, frame)
    worked = worked.rename({"job": "address_space"}, strict=False).select(
        *key, *(pl.col(name).alias(f"{mine} recomputed") for mine, name in figures.items())
    )
    both = shown.join(worked, on=key, how="full", nulls_equal=True, coalesce=True)
    assert both.height == shown.height == worked.height > 80
    different = {
        name: both.filter(_differs(pl.col(name), pl.col(f"{name} recomputed"))).height
        for name in figures
    }
    assert {name: rows for name, rows in different.items() if rows} == {}


def _differs(shown: pl.Expr, worked: pl.Expr) -> pl.Expr:
    """Return whether one of two figures is unknown, or they are apart by more than rounding."""
    apart = (shown - worked).abs() > NEAR * pl.max_horizontal(shown.abs(), worked.abs(), 1.0)
    return (shown.is_null() != worked.is_null()) | apart.fill_null(False)


def test_runs_with_files_and_runs_with_transactions_are_compared(
    recomputed: Recomputed,
) -> None:
    known = recomputed.total.select(
        pl.col("cost_per_gb", "cost_per_transaction_us").count(),
        eligible=(pl.col("eligible") > 0).sum(),
    )
    assert min(known.row(0)) > 3
