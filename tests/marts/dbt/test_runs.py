"""The marts of runs return the figures that went into simulated campaigns."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from duckdb import DuckDBPyConnection

from app.pipeline.bundled import CAMPAIGNS, SAMPLES_SEED
from app.pipeline.places import ROOT
from models_sim.simulator.campaigns import truth
from tests.bench.matrix import SHOWN

# Type 30 counts each kind of CPU time in hundredths of a second.
HUNDREDTHS = 0.03


@pytest.fixture(scope="module")
def marts(bundled: Path) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(bundled), read_only=True) as db:
        yield db


def found(marts: DuckDBPyConnection, campaign: str) -> pl.DataFrame:
    """Return one row per simulated figure of a campaign, with the figure that the marts show."""
    shown = (
        marts.sql(f"FROM ({SHOWN}) WHERE campaign = $1", params=[campaign]).pl().drop("campaign")
    )
    key = ["run_id", "metric", "address_space", "system_id"]
    # the marts have no number of files for runs that move none
    made = truth(campaign, SAMPLES_SEED).filter(
        (pl.col("metric") != "files") | (pl.col("value") > 0)
    )
    return made.join(shown, on=key, how="left", nulls_equal=True)


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_marts_return_the_simulated_figures_of_whole_runs(
    campaign: str, marts: DuckDBPyConnection
) -> None:
    whole = found(marts, campaign).filter(pl.col("address_space").is_null())
    costs = {"cost_per_GB", "rate"} if campaign == "smoke" else {"cost_per_transaction"}
    assert {*costs, "ziip_share", "cpu_seconds"} <= set(whole["metric"])
    assert whole["shown"].null_count() == 0
    assert whole["is_compared"].all()
    gap = (whole["shown"] - whole["value"]).abs()
    assert (gap <= 1e-3 * whole["value"].abs()).all()


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_marts_return_the_simulated_figures_of_address_spaces(
    campaign: str, marts: DuckDBPyConnection
) -> None:
    spaces = found(marts, campaign).filter(
        pl.col("address_space").is_not_null() & pl.col("metric").str.ends_with("_seconds")
    )
    assert spaces.height > 100
    assert spaces["shown"].null_count() == 0
    assert (spaces["shown"] - spaces["value"]).abs().max() <= HUNDREDTHS


def test_the_run_calculated_by_hand_has_the_figures_of_the_marts(marts: DuckDBPyConnection) -> None:
    text = (ROOT / "docs/cost-method.md").read_text()
    rows = re.findall(r"^\|.*\| `(\w+)` \| ([\d.]+) \|$", text, re.MULTILINE)
    assert len(rows) == 10
    shown = dict(
        marts.execute(
            "SELECT metric, value FROM marts.fct_measurement WHERE campaign = 'smoke' "
            "AND configuration_id IN "
            "(SELECT configuration_id FROM marts.dim_configuration WHERE file_size_mb = 10)"
        ).fetchall()
    )
    for metric, value in rows:
        decimals = len(value.partition(".")[2])
        assert f"{shown[metric]:.{decimals}f}" == value, metric


def test_the_overhead_per_file_is_the_intercept_of_a_weighted_line(
    marts: DuckDBPyConnection,
) -> None:
    lines = marts.sql(
        "SELECT * FROM marts.fct_per_file_overhead JOIN marts.fct_by_file_size"
        " USING (origin, document_id, section, configuration, metric)"
        " WHERE document_id = '000' AND sizes = 4 AND figures = 4"
    ).pl()
    assert lines.height > 50
    for line in lines.iter_rows(named=True):
        sizes = np.array([1, 10, 100, 1024])
        values = np.array([line[f"size_{size}_mb"] for size in sizes])
        ms = 1000 * sizes / values if line["metric"] == "rate" else 1000 * sizes * values / 1024
        (slope, intercept), covariance = np.polyfit(sizes, ms, 1, w=1 / ms, cov=True)
        assert line["ms_per_file"] == pytest.approx(intercept)
        assert line["ms_per_mb"] == pytest.approx(slope)
        assert line["ms_per_file_standard_error"] == pytest.approx(np.sqrt(covariance[1, 1]))
        left = (ms - intercept - slope * sizes) / ms
        assert line["scatter_percent"] == pytest.approx(100 * np.sqrt(left @ left / 2))
        spread = (ms - np.average(ms, weights=1 / ms**2)) / ms
        assert line["r2"] == pytest.approx(1 - left @ left / (spread @ spread))


def test_the_best_chunk_sizes_are_the_printed_ones(marts: DuckDBPyConnection) -> None:
    # only where the figures of all chunk sizes are printed
    printed = marts.execute(
        "SELECT connection, mode, md5, transfer, file_size_mb,"
        " max(value) FILTER (metric = 'best_chunk_size') AS chunk_size,"
        " max(value) FILTER (metric = 'best_transfer_time') AS seconds"
        " FROM marts.fct_published_measurement WHERE metric LIKE 'best_%'"
        " AND document_id = '002' GROUP BY ALL"
    ).fetchall()
    found = {
        row[0]: row[1:]
        for row in marts.execute(
            "SELECT configuration, best_level, best_value FROM marts.fct_by_factor"
            " WHERE document_id = '002' AND factor = 'chunk_size' AND metric = 'transfer_time'"
            " AND levels = 4"
        ).fetchall()
    }
    compared = 0
    for connection, mode, md5, transfer, size, chunk_size, seconds in printed:
        checksum = "MD5" if md5 else "no MD5"
        name = f"Linux > Linux, {connection}, {transfer}, {checksum}, {size} MB, {mode}, x86-64"
        if name in found:
            compared += 1
            assert (float(found[name][0]), found[name][1]) == (chunk_size, seconds), name
    assert compared > 20


def test_address_spaces_of_runs_are_matched_with_the_printed_ones(
    marts: DuckDBPyConnection,
) -> None:
    kinds = marts.execute(
        "SELECT kind, count(DISTINCT origin) FROM marts.fct_cost_by_address_space"
        " WHERE kind <> 'other' AND (campaign = 'zcx' OR document_id = '001') GROUP BY ALL"
    ).fetchall()
    both = {kind for kind, origins in kinds if origins == 2}
    assert both == {
        "total", "queue manager", "channel initiator", "TCP/IP", "zCX", "server application",
    }  # fmt: skip
    differences = marts.execute(
        "SELECT address_space, avg(abs(difference_percent_of_published))"
        " FROM marts.fct_run_against_published WHERE campaign = 'zcx'"
        " AND metric = 'cost_per_transaction' AND address_space IS NOT NULL GROUP BY ALL"
    ).fetchall()
    # TCP/IP also works for the rest of the system
    assert len(differences) == 5
    assert all(percent < (10 if space == "TCPIP" else 3) for space, percent in differences)
