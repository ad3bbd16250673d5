"""The marts of runs have the figures that follow from the raw records by other code.

PERFHOUSE_RECOMPUTE names another warehouse to work out again, such as that of a whole campaign.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from duckdb import DuckDBPyConnection

from tests.recompute.runs import Recomputed, known, recompute

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
    ["cost_per_GB", "cost_per_GB_after_offload", "cost_per_transaction_us",
     "cost_per_transaction_after_offload_us", "ziip_share_percent", "ziips_needed"]
)  # fmt: skip
FIGURES = USED | {name: name for name in COSTS}
CHARGED = {"captured_seconds": "captured", "uncaptured_seconds": "uncaptured"}
RUN, SYSTEM = ("run_id",), ("run_id", "sysplex", "system_id")


OTHER = os.environ.get("PERFHOUSE_RECOMPUTE", "")
#: Runs that can be worked out again: those of the network alone use no system.
OF_SYSTEMS = """
    origin = 'simulated' AND NOT list_contains($1, run_id)
    AND run_id IN (SELECT run_id FROM raw.bench_run_scope WHERE kind = 'lpar')
"""


@pytest.fixture(scope="module")
def published(request: pytest.FixtureRequest) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(OTHER or request.getfixturevalue("bundled")), read_only=True) as db:
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
    assert getattr(recomputed, frame).height > 70
    assert different(published, recomputed, frame, figures, mart=mart, key=key) == {}


def test_runs_without_records_of_a_system_are_unknown_for_a_reason(
    published: DuckDBPyConnection, recomputed: Recomputed
) -> None:
    unknown = published.sql(
        f"SELECT DISTINCT run_id FROM marts.fct_run_total WHERE {OF_SYSTEMS} "
        "AND (cpu_seconds IS NULL OR eligible_seconds IS NULL)", params=[[]]
    ).fetchall()  # fmt: skip
    assert sorted(run for (run,) in unknown) == recomputed.unseen
    explained = published.sql(
        "SELECT DISTINCT run_id FROM marts.fct_data_issue WHERE kind = 'not_covered'"
    ).fetchall()
    assert set(recomputed.unseen) == {run for (run,) in explained}


#: Runs that have a part of an interval, in which no address space tells what it used in the run.
PARTIAL = ("prt-1", "sht-1", "sht-2", "len-2")
BOUNDS = {
    f"{mine}_{bound}{unit}": f"{other} {bound}"
    for bound in ("low", "high")
    for mine, other, unit in (
        *((mine, other, "") for mine, other in USED.items() if mine != "ziip_on_cp_seconds"),
        ("cost_per_GB", "cost_per_GB", ""),
        ("cost_per_transaction", "cost_per_transaction_us", "_us"),
        ("ziip_share_percent", "ziip_share", ""),
        ("ziips_needed", "ziips", ""),
    )
}


def test_runs_of_whole_intervals_have_no_bounds(
    published: DuckDBPyConnection, recomputed: Recomputed
) -> None:
    assert not recomputed.bounds["partial"].any()
    assert different(published, recomputed, "bounds", BOUNDS) == {}


def test_bounds_of_runs_with_parts_of_intervals_are_the_recomputed_ones(cases: Path) -> None:
    with duckdb.connect(str(cases), read_only=True) as db:
        worked = recompute(db, PARTIAL)
        assert different(db, worked, "bounds", BOUNDS, PARTIAL) == {}
        partial = worked.bounds.filter("partial")
        assert sorted(partial["run_id"]) == sorted(PARTIAL)
        assert (partial["cpu low"] < 0.9 * partial["cpu high"]).all()


def test_what_is_missing_from_raw_makes_figures_unknown_and_nothing_else_does(
    cases: Path,
) -> None:
    names = {f"lst-{number}" for number in range(4)} | {f"out-{number}" for number in range(5)}
    with duckdb.connect(str(cases), read_only=True) as db:
        worked = known(db, names)
        shown = {
            run: (cpu, eligible)
            for run, cpu, eligible in db.execute(
                "SELECT run_id, cpu_seconds IS NOT NULL, eligible_seconds IS NOT NULL "
                "FROM marts.fct_run_total WHERE list_contains($1, run_id)", [list(names)]
            ).fetchall()
        }  # fmt: skip
    assert shown == worked
    assert set(worked.values()) == {(True, True), (True, False), (False, False)}


def test_the_speed_and_the_coverage_of_every_system_are_the_recomputed_ones(
    published: DuckDBPyConnection, recomputed: Recomputed
) -> None:
    columns = {"service_units_per_second": "su_second", "service_units": "service_units"}
    assert different(published, recomputed, "speed", columns) == {}
    machines = "machine_type || machine_model AS machine"
    shown = published.sql(f"SELECT run_id, system_id, {machines} FROM marts.fct_run_system "
                          f"WHERE {OF_SYSTEMS}", params=[recomputed.unseen]).pl()  # fmt: skip
    worked = recomputed.speed.select(
        "run_id", "system_id", machine=pl.col("machine_type") + pl.col("machine_model")
    )
    assert sorted(shown.rows()) == sorted(worked.rows())
    covered = published.sql(
        "SELECT run_id, sysplex, system_id, processor_coverage FROM marts.fct_run_coverage"
    ).pl()
    both = covered.join(recomputed.speed, on=SYSTEM, how="inner")
    assert both.height == recomputed.speed.height
    share = pl.col("covered") / pl.col("seconds")
    # Intervals overlap by the part of a second that their starts lack.
    assert both.filter((pl.col("processor_coverage") - share).abs() > 0.01).height == 0


def different(
    published: DuckDBPyConnection,
    recomputed: Recomputed,
    frame: str,
    columns: dict[str, str],
    names: tuple[str, ...] = (),
    mart: str = "fct_run_system",
    key: tuple[str, ...] = SYSTEM,
) -> dict[str, int]:
    """Return the columns of a mart that differ from the recomputed ones, and how often."""
    shown = published.sql(
        f"SELECT {', '.join([*key, *columns])} FROM marts.{mart} "
        f"WHERE {OF_SYSTEMS} AND (len($2) = 0 OR list_contains($2, run_id))",
        params=[recomputed.unseen, list(names)],
    ).pl()
    worked = getattr(recomputed, frame).rename({"job": "address_space"}, strict=False)
    renamed = worked.select(
        *key, *(pl.col(own).alias(f"{name} recomputed") for name, own in columns.items())
    )
    both = shown.join(renamed, on=key, how="full", nulls_equal=True, coalesce=True)
    assert both.height == shown.height == worked.height >= max(len(names), 1)
    found = {
        name: both.filter(_differs(pl.col(name), pl.col(f"{name} recomputed"))).height
        for name in columns
    }
    return {name: rows for name, rows in found.items() if rows}


def _differs(shown: pl.Expr, worked: pl.Expr) -> pl.Expr:
    """Return whether one of two figures is unknown, or they are apart by more than rounding."""
    apart = (shown - worked).abs() > NEAR * pl.max_horizontal(shown.abs(), worked.abs(), 1.0)
    return (shown.is_null() != worked.is_null()) | apart.fill_null(False)


@pytest.mark.skipif(bool(OTHER), reason="a campaign may have one kind of run")
def test_runs_with_files_and_runs_with_transactions_are_compared(
    recomputed: Recomputed,
) -> None:
    known = recomputed.total.select(
        pl.col("cost_per_GB", "cost_per_transaction_us").count(),
        eligible=(pl.col("eligible") > 0).sum(),
    )
    assert min(known.row(0)) > 3
