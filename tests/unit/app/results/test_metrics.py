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


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        ("ziip_share", "zIIP share"),
        ("cf_service_time", "CF service time"),
        ("dasd_response_time", "DASD response time"),
        ("cpu_per_get", "CPU time per MQGET"),
        ("weight_of_queue", "Weight of queue"),  # of a site's own harness
    ],
)
def test_label(metric, label):
    assert metric_label(metric) == label


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((155.1, 159.5), "157.3"),
        ((150.0, 165.0), "157.3"),
        ((100.0, 250.0), "157"),
        ((157.30, 157.33), "157.313"),
        ((None, 159.5), "157.3"),
        ((157.3, 157.3), "157.3"),
    ],
)
def test_figure_has_the_digits_of_its_interval(interval, text):
    assert figure(157.31274, 4, interval=interval) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1e-9, 3, "1e-09"), (-0.00001, 3, "-0.0000100"), (float("inf"), 3, metrics.MISSING),
        (-0.0, 3, "0"), (1048576.0, None, "1,048,576"), (0.5, None, "0.5"),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("size", "unit", "scale", "suits"),
    [
        (9_999, "us", 1, "us"), (10_000, "us", 1e3, "ms"), (10_470_000, "us", 1e6, "s"),
        (-10_470_000, "CPU us", 1e6, "CPU s"), (12_000_000, "s", 1, "s"), (0.05, "s", 1e-3, "ms"),
        (0.00005, "s", 1e-6, "us"), (1e-9, "s", 1e-6, "us"), (0.1, "ms", 1, "ms"),
        (999.9, "ms", 1, "ms"), (50_000, "CPU s/GB", 1, "CPU s/GB"), (0, "us", 1, "us"),
        (None, "us", 1, "us"), (float("inf"), "us", 1, "us"), (1024, "B/s", 1024, "KB/s"),
        (512, "KB", 1, "KB"), (50_000, "count", 1, "count"), (5, "", 1, ""),
    ],
)  # fmt: skip
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
