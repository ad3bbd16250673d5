"""Figures of pages of the documentation, and lines through published figures, worked out again."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from duckdb import DuckDBPyConnection

from app.pipeline.places import ROOT


@pytest.fixture(scope="module")
def marts(bundled: Path) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(bundled), read_only=True) as db:
        yield db


def test_the_figures_of_cpu_by_hand_are_those_of_its_diff_test() -> None:
    text = (ROOT / "docs/cpu-by-hand.md").read_text()
    printed = {
        first: [re.sub(" (s|us|%)$", "", cell) for cell in cells]
        for first, *cells in (line[2:].rstrip("| ").split(" | ") for line in text.splitlines())
    }
    expected = ROOT / "tests/marts/dbt/cpu-by-hand/expected.csv"
    figures = {row["name"]: row for row in csv.DictReader(expected.open())}
    for name in figures.keys() & printed.keys():
        by_hand, mart = figures[name]["by_hand"], figures[name]["mart"]
        assert printed[name][1:] in ([by_hand], [by_hand, mart]), name
    assert len(figures.keys() - printed.keys()) == 3  # records, and what is in the text:
    assert f"{figures['% is charged']['by_hand']} % is charged" in text
    assert f"by {figures['more']['by_hand']} s, because it" in text


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
