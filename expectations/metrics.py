"""The dictionary of metrics: the names that pages, reports and messages give them.

It is the seeds run_metric and published_metric, of which marts.dim_metric is made, and is read here
without a warehouse. A metric of both has its names in run_metric.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Metric", "dictionary", "metric_label"]

_ROOT = Path(__file__).parents[1]
_SEEDS = ("dbt/seeds/published/published_metric.csv", "dbt/seeds/runs/run_metric.csv")
_SPELLED = {"cf": "CF", "cpu": "CPU", "dasd": "DASD", "ziip": "zIIP", "ziips": "zIIPs"}


class Metric(NamedTuple):
    """One metric: its name in words, in short, its unit, and what it means.

    digits: significant digits that its usual noise allows; None: it is counted or set, so all of
    them. more_is_better: None if neither is.
    """

    label: str
    symbol: str
    unit: str
    digits: int | None
    more_is_better: bool | None
    description: str


@cache
def dictionary() -> dict[str, Metric]:
    """Return the metrics that perfhouse computes and that the documents print, by name."""
    files = _ROOT if (_ROOT / "pyproject.toml").is_file() else _ROOT / "perfhouse" / "files"
    found: dict[str, Metric] = {}
    for name in _SEEDS:
        with (files / name).open(newline="", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                said = found.get(row["metric"])
                found[row["metric"]] = Metric(
                    row["label"],
                    row["symbol"],
                    row.get("unit", ""),
                    int(row["digits"]) if row["digits"] else None,
                    {"true": True, "false": False}.get(row["more_is_better"]),
                    said.description if said else row.get("metric_description") or row["formula"],
                )
    return found


def metric_label(metric: str) -> str:
    """Return the name of a metric in words: that of the dictionary, or what a name spells.

    '' names the runs themselves.

    >>> [metric_label(name) for name in ("cf_service_time", "cpu_seconds_of_batch", "")]
    ['CF service time', 'CPU seconds of batch', 'Runs']
    """
    known = dictionary().get(metric)
    if known or not metric:
        return known.label if known else "Runs"
    first, *rest = (_SPELLED.get(word, word) for word in metric.split("_"))
    return " ".join([first if first in _SPELLED.values() else first[:1].upper() + first[1:], *rest])
