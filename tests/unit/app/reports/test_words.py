"""Reports say factors, levels and figures in words, and never with the wrong unit."""

import re
from itertools import product

import polars as pl
import pytest

from app.reports.cells import cells
from app.reports.labelled import Sizes, alike, beside, settings, sizes_of, suiting
from app.reports.sentences import changed
from app.results.labels import configuration_label, factor_label, level_label, setting_label
from app.results.metrics import measured
from expectations.metrics import dictionary, unit_label
from ingest.formats.bench.factors import FACTORS
from tests.kit.cases import cases

RAW = re.compile(
    r"[a-z]_[a-z]|\b(?:mb|kb|pct|oneway|p2wg|compmsg|batchint|ziips?|cpus?|[A-Za-z]+ [YN])\b"
)
SIZES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
TIMES = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
MAGNITUDES = [m * 10.0**n for n, m in product(range(-4, 13), (9.0, 9.9996))] + [0.0009, 0.9, 1e12]
UNITS = sorted({one.unit for one in dictionary().values()} | {"us", "ms", "s", "B", "KB", "B/s"})


def levels(factor: str) -> list[str]:
    """Return levels such as a manifest has for a factor."""
    if FACTORS[factor].dtype in (pl.Int32, pl.Int64):
        return ["0", "1", "10", "1024", "8000", "262144"]
    if FACTORS[factor].dtype == pl.Float64:
        return ["0", "0.5", "40"]
    return ["Y", "N", "xLinux", "TLS 1.3", "9.10"]


@pytest.mark.parametrize("factor", [*FACTORS, "x_clients", "x_ziips", "x_think_time_ms", "tiers"])
def test_a_factor_and_its_levels_are_words(factor: str) -> None:
    for level in levels(factor) if factor in FACTORS else ["0", "1", "8000"]:
        said = settings([{"factor": factor, "levels": [level], "more": False}])[0]
        words = (said["factor"], said["levels"], setting_label(factor, level))
        assert not RAW.search(" ".join(words)), words
        if level.isdecimal() and said["levels"] != "none":
            number, _, unit = said["levels"].partition(" ")
            of = SIZES.get(unit, 1) / (2**20 if factor == "file_size_mb" else 1)
            assert float(number.replace(",", "")) * of == float(level), (factor, level, said)


@cases
def test_a_configuration_is_said_in_words_once_or_twice(raw: str, words: str) -> None:
    assert configuration_label(raw) == words
    assert configuration_label(words) == words


def test_names_of_factors_are_those_of_people() -> None:
    assert [factor_label(name) for name in ("p2wg", "loss_pct", "tls", "jit_level")] == [
        "Put to waiting getter", "Packet loss", "TLS", "JIT level"
    ]  # fmt: skip
    assert level_label("ams", "N") == "none"


def base(number: str, unit: str, of: str) -> float:
    """Return a printed figure in the unit `of` that it had before it was printed."""
    value = float(number.replace(",", ""))
    prefix = unit.removeprefix("CPU ").removesuffix("/s")
    own = unit_label(of).removeprefix("CPU ").removesuffix("/s")
    for table in (TIMES, SIZES):
        if prefix in table and own in table:
            return value * table[prefix] / table[own]
    assert unit == unit_label(of), (unit, of)
    return value


def is_near(printed: float, value: float, digits: int | None) -> bool:
    return abs(printed - value) <= value * (10.0 ** (1 - (digits or 9)) / 2 * 1.001)


@pytest.mark.parametrize("unit", UNITS)
def test_a_figure_keeps_its_size_in_every_unit(unit: str) -> None:
    """Every metric at every magnitude, in sentences and in rows with a unit of their own."""
    for (metric, known), value in product(dictionary().items(), MAGNITUDES):
        number, shown = measured(metric, value, unit)
        assert is_near(base(number, unit_label(shown), unit), value, known.digits), (metric, value)
        row = suiting({"metric": metric, "unit": unit, "value": value})
        assert base(str(row["value"]), unit_label(row["unit"]), unit) == pytest.approx(value)


def in_table(found: Sizes, column: str, digits: int) -> tuple[str, str]:
    """Return the first cell of a column and the unit of its heading."""
    heading = found.groups[column]
    texts = cells([row[column] for row in found.rows], digits=digits)
    return texts[0], heading.rpartition(", ")[2] if ", " in heading else ""


@pytest.mark.parametrize("unit", UNITS)
def test_a_column_says_the_unit_of_its_figures(unit: str) -> None:
    for metric, value in product(("rate", "NETTIME", "cpu_per_get", "bytes"), MAGNITUDES):
        row = {
            "metric": metric, "unit": unit, "value": value, "low": value, "high": value,
            "runs": 1, "published": None, "name": "a", "file_size_mb": 10,
        }  # fmt: skip
        for found, column in ((sizes_of([row]), f"{metric} 10"), (beside([row]), metric)):
            number, shown = in_table(found, column, found.digits[column])
            assert is_near(base(number, shown or unit_label(unit), unit), value, 3), (metric, value)


def test_a_regression_has_the_unit_of_its_level_and_not_of_its_change() -> None:
    row = {
        "metric": "NETTIME", "unit": "us", "heading": "Network time", "configuration": "a",
        "campaign": "c", "before": 900.0, "after": 960.0, "change_percent": 6.7, "low": 0.05,
        "high": 110.0, "runs_before": 5, "runs_after": 5, "onset_utc": None, "onset_build": "",
        "cause": "", "message": "",
    }  # fmt: skip
    assert "from 900 µs to 960 µs" in changed(suiting(row)).text
    (slow,) = alike([{"metric": "NETTIME", "unit": "ms", "value": 0.9}])
    assert (slow["value"], slow["unit"]) == (0.9, "ms")
