"""The dictionary of metrics: the names that pages, reports and messages give them.

It is the seeds run_metric and published_metric, of which marts.dim_metric is made, and is read here
without a warehouse. A metric of both has its names in run_metric.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from expectations.verdicts.measure import COUNT, DIFFERENCE, RATIO, SHARE, Measure

__all__ = [
    "SPELLED",
    "Metric",
    "dictionary",
    "four_digits",
    "from_to",
    "measure_of",
    "metric_label",
    "seed",
    "spell",
    "unit_label",
]

_ROOT = Path(__file__).parents[1]
_SEEDS = ("dbt/seeds/published/published_metric.csv", "dbt/seeds/runs/run_metric.csv")
#: Words of names that are not written as others: how they are.
SPELLED = {
    word.lower(): word
    for word in ("AMS", "CF", "CHINIT", "CPU", "CPUs", "CSM", "CSV", "DASD", "GC", "ID", "JIT",
                 "JSON", "LSPR", "MD5", "MFT", "MQ", "MQSC", "MTU", "RMF", "SMDS", "SMF", "TLS",
                 "XML", "zCX", "zHPF", "zIIP", "zIIPs", "ZLIBFAST", "ZLIBHIGH")
} | {"fasp": "fasp.io", "tcp": "TCP/IP", "tls12": "TLS 1.2", "tls13": "TLS 1.3",
     "vs": "against", "zos": "z/OS"}  # fmt: skip

_KINDS = {"ratio": SHARE, "change": DIFFERENCE}  # by metric_kind of published_metric
_COUNTED = re.compile(r"\b(?:errors?|failures?|count|retries|timeouts)\b|_(?:errors|failures)\b")


class Metric(NamedTuple):
    """One metric: its name in words, in short, its unit, and what it means.

    digits: significant digits that its usual noise allows; None: it is counted or set, so all of
    them. more_is_better: None if neither is. kind: of its measure (expectations.verdicts.measure);
    least: smallest change that matters, as a share of it, None without one of its own.
    """

    label: str
    symbol: str
    unit: str
    digits: int | None
    more_is_better: bool | None
    description: str
    kind: str
    least: float | None


def seed(name: str) -> Path:
    """Return the file of a seed, in a checkout or in the package."""
    files = _ROOT if (_ROOT / "pyproject.toml").is_file() else _ROOT / "perfhouse" / "files"
    return files / name


@cache
def dictionary() -> dict[str, Metric]:
    """Return the metrics that perfhouse computes and that the documents print, by name."""
    result: dict[str, Metric] = {}
    for name in _SEEDS:
        with seed(name).open(newline="", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                text = result.get(row["metric"])
                result[row["metric"]] = Metric(
                    row["label"],
                    row["symbol"],
                    row.get("unit", ""),
                    int(row["digits"]) if row["digits"] else None,
                    {"true": True, "false": False}.get(row["more_is_better"]),
                    text.description if text else row.get("metric_description") or row["formula"],
                    row.get("kind") or _KINDS.get(row.get("metric_kind", ""), RATIO),
                    float(row["least"]) if row.get("least") else None,
                )
    return result


def measure_of(metric: str, unit: str, more_is_better: bool | None) -> Measure:
    """Return how figures of a metric are compared.

    What the dictionary does not know is a share if it is in percent and more of it is better (such
    as a success rate), a count if its unit or name says so, otherwise a ratio.
    """
    definition = dictionary().get(metric)
    if definition:
        return Measure(definition.kind, more_is_better, unit, definition.least)
    if unit == "%" and more_is_better:
        return Measure(SHARE, more_is_better, unit)
    is_count = _COUNTED.search(f"{metric} {unit}".lower()) is not None
    return Measure(COUNT if is_count else RATIO, more_is_better, unit)


def figure_label(metric: str, system_id: str = "", address_space: str = "") -> str:
    """Return the name of a metric in words, with the part of the runs that it describes.

    >>> figure_label("cf_service_time", "MVS1"), figure_label("cpu_seconds", "", "CHIN")
    ('CF service time on MVS1', 'CPU time of CHIN')
    """
    part = f" of {address_space}" if address_space else ""
    return f"{metric_label(metric)}{part}{f' on {system_id}' if system_id else ''}"


_PERCENTILE = re.compile(r"p\d+(?:\.\d+)?")
_SPELT = re.compile(r"[\w.%]+")  # not a path or a sentence
_WORDS = re.compile(r"[a-z]+(?:[ -](?:[A-Za-z]+|p\d+(?:\.\d+)?))+")  # not those of a command


def metric_label(metric: str) -> str:
    """Return the name of a metric in words: that of the dictionary, or what a name spells.

    '' names the runs themselves.

    >>> [metric_label(name) for name in ("cf_service_time", "cpu_seconds_of_batch", "p95", "")]
    ['CF service time', 'CPU seconds of batch', 'p95', 'Runs']
    >>> metric_label("fasp_vs_tcp"), metric_label("gc_time")
    ('fasp.io against TCP/IP', 'GC time')
    >>> [metric_label(name) for name in ("mean latency", "sleep 1 mean", "/new_order p95")]
    ['Mean latency', 'sleep 1 mean', '/new_order p95']
    """
    definition = dictionary().get(metric)
    if definition or not metric:
        return definition.label if definition else "Runs"
    if _WORDS.fullmatch(metric):
        return metric[0].upper() + metric[1:]
    if _PERCENTILE.fullmatch(metric) or not _SPELT.fullmatch(metric):  # written as people write it
        return metric
    return spell(metric)


def spell(name: str) -> str:
    """Return the words of a name that has underscores for blanks."""
    first, *rest = (SPELLED.get(word, word) for word in name.split("_"))
    return " ".join([first if first in SPELLED.values() else first[:1].upper() + first[1:], *rest])


def unit_label(unit: str) -> str:
    """Return a unit as a page shows it.

    >>> [unit_label(unit) for unit in ("CPU us", "1/s", "MB/s")]
    ['CPU µs', 'per second', 'MB/s']
    """
    return "per second" if unit == "1/s" else re.sub(r"\bus\b", "µs", unit)


def four_digits(value: float) -> str:
    """Return a number with four significant digits, written out if people write such numbers out.

    >>> [four_digits(value) for value in (0.012345, 998.04, 400_000, 1234567, 3e15)]
    ['0.01235', '998', '400,000', '1,235,000', '3e+15']
    """
    if 1e4 <= abs(value) < 1e12:
        return f"{float(f'{value:.4g}'):,.0f}"
    return f"{value:,.4g}"


def from_to(before: float, after: float) -> str:
    """Say from what to what; figures of one size have the same decimals.

    >>> from_to(98.704, 92.776), from_to(99.98, 100.12), from_to(100.0, 90.0)
    ('98.70 to 92.78', '99.98 to 100.1', '100 to 90')
    """
    texts = [four_digits(value) for value in (before, after)]
    whole, places = zip(*((len(text.partition(".")[0]), len(text.partition(".")[2]))
                          for text in texts), strict=True)  # fmt: skip
    if whole[0] == whole[1] and places[0] != places[1]:
        texts = [f"{value:,.{max(places)}f}" for value in (before, after)]
    return " to ".join(texts)
