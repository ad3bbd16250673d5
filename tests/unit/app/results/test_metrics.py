"""The dictionary of metrics, and the digits of figures."""

import csv
import doctest

import polars as pl
import pytest

from app.pipeline.places import ROOT
from app.results import metrics
from app.results.labels import metric_label
from app.results.metrics import alike, figure, sensible, suited
from expectations import metrics as names
from expectations.metrics import dictionary
from tests.kit.cases import cases

SEEDS = [ROOT / "dbt/seeds" / name for name in ("runs/run_metric.csv",
                                                "published/published_metric.csv")]  # fmt: skip


def rows(file):
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("module", [metrics, names])
def test_examples_hold(module):
    assert doctest.testmod(module).failed == 0


def test_every_metric_of_the_seeds_has_one_name_of_its_own():
    own, published = map(rows, SEEDS)
    computed = {row["metric"] for row in own}
    assert {row["metric"] for row in published if not row["label"]} == computed & {
        row["metric"] for row in published
    }
    assert dictionary().keys() == computed | {row["metric"] for row in published}
    for name in ("label", "description"):
        said = [getattr(metric, name) for metric in dictionary().values()]
        assert all(said)
    labels = [metric.label for metric in dictionary().values()]
    assert len(set(labels)) == len(labels)
    assert all(metric.symbol for metric in dictionary().values())


@cases
def test_label(metric, label):
    assert metric_label(metric) == label


@cases
def test_figure_has_the_digits_of_its_interval(interval, text):
    assert figure(157.31274, 4, interval=interval) == text


@cases
def test_figure(value, digits, text):
    assert figure(value, digits) == text


def test_figures_of_a_table_have_sensible_digits_and_units():
    table = pl.DataFrame(
        {
            "metric": ["bytes", "rate", "log_physical_rate", "files", "weight"],
            "unit": ["B", "MB/s", "B/s", "files", "kg"],
            "value": [10_490_000_000.0, 157.31274, None, 123456.0, 0.123456],
            "median": [None, 15001.27, 1e6, 1.5, None],
        }
    )
    shown = sensible(table, ("value", "median"))
    assert shown.rows() == [
        ("bytes", "GB", 9.77, None),
        ("rate", "MB/s", 157.3, 15001.0),
        ("log_physical_rate", "KB/s", None, 977.0),
        ("files", "files", 123456.0, 1.5),
        ("weight", "kg", 0.1235, None),
    ]


@cases
def test_a_figure_is_shown_in_the_unit_that_suits_it(size, unit, scale, suits):
    found, name = suited(size, unit)
    assert (found, name) == (pytest.approx(scale), suits)


def test_each_row_has_its_own_unit_and_a_chart_has_one():
    rows = pl.DataFrame({
        "metric": ["cpu_per_get", "cpu_per_get", "queue_time"], "unit": ["CPU us", "CPU us", None],
        "value": [123.456, 1.23456e7, None], "low": [None, 1.1e7, 3.0],
    })  # fmt: skip
    shown = sensible(rows, ("value", "low"))
    assert shown["unit"].to_list() == ["CPU us", "CPU s", None]
    assert shown["value"].to_list() == [pytest.approx(123), pytest.approx(12.3), None]
    assert shown["low"].to_list() == [None, pytest.approx(11.0), pytest.approx(3.0)]
    drawn, unit = alike(rows.head(2), ("value", "low"), "CPU us")
    assert unit == "CPU s"
    assert drawn["value"].to_list() == [pytest.approx(0.000123456), pytest.approx(12.3456)]
    assert sensible(rows.clear(), ("value",)).is_empty()
