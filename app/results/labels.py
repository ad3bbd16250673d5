"""Names of configurations, metrics and units as a page shows them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from app.results.metrics import sensible
from expectations.metrics import figure_label, metric_label, unit_label

__all__ = [
    "PLAIN",
    "as_shown",
    "brief_labels",
    "figure_label",
    "figure_of",
    "in_order",
    "issue_label",
    "metric_label",
    "short_labels",
    "unit_label",
]

#: What a configuration is called that has nothing of its own.
PLAIN = "common settings"
_NUMBERED = re.compile(r"([^\d]*)(\d+(?:\.\d+)?)? ?(B|KB|MB|GB)?\b")
_AS_WRITTEN = {word.lower(): word for word in ("CPU", "CSM", "zIIP")}
_BYTES = {"KB": 2**10, "MB": 2**20, "GB": 2**30}


def figure_of(row: Mapping[str, Any], runs: str = "Runs") -> str:
    """Return the metric of a regression with the part of the runs; runs: for one without metric."""
    if not row["metric"]:
        return runs
    return figure_label(row["metric"], row["system_id"], row["address_space"])


def issue_label(kind: str) -> str:
    """Return the kind of a data issue in words.

    >>> [issue_label(kind) for kind in ("cpu_exceeds_elapsed", "no_type_72", "ziip_boost")]
    ['CPU exceeds elapsed', 'No type 72', 'zIIP boost']
    """
    words = " ".join(_AS_WRITTEN.get(word, word) for word in kind.split("_"))
    return words if words.startswith("zIIP") else words[:1].upper() + words[1:]


def as_shown(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return rows whose `columns` are figures of `metric` in `unit` as tables show them.

    The figures have the digits that their noise allows; `label` is the metric in words.
    """
    return sensible(frame, columns).with_columns(
        label=pl.col("metric").map_elements(metric_label, return_dtype=pl.String),
        unit=pl.col("unit").map_elements(unit_label, return_dtype=pl.String),
    )


def in_order(labels: Iterable[str]) -> list[str]:
    """Return labels in the order in which people count: numbers by size, sizes by their unit.

    >>> in_order(["1 GB", "10 MB", "9 MB, TLS", "9 MB", "64 KB"])
    ['64 KB', '9 MB', '9 MB, TLS', '10 MB', '1 GB']
    """
    return sorted(labels, key=_place)


def _place(label: str) -> list[tuple[float, str]]:
    """Return the parts of a label, numbers as numbers; a size counts in bytes."""
    places: list[tuple[float, str]] = []
    for words, number, unit in _NUMBERED.findall(label):
        places.append((math.inf, words))
        if number:
            places.append((float(number) * _BYTES.get(unit, 1), ""))
    return places


def short_labels(labels: Sequence[str]) -> dict[str, str]:
    """Map labels to what is left without the comma-separated parts that all of them share.

    A label with nothing left is called "common settings". A single label stays as it is.

    >>> short_labels(["xLinux to z/OS, binary, 1Gb", "xLinux to z/OS, binary, 10Gb"])
    {'xLinux to z/OS, binary, 1Gb': '1Gb', 'xLinux to z/OS, binary, 10Gb': '10Gb'}
    """
    parts = {label: label.split(", ") for label in dict.fromkeys(labels)}
    if len(parts) < 2:
        return {label: label for label in parts}
    common = set.intersection(*(set(part) for part in parts.values()))
    return {
        label: ", ".join(p for p in part if p not in common) or PLAIN
        for label, part in parts.items()
    }


def brief_labels(labels: Sequence[str], keep: Iterable[str] = ()) -> dict[str, str]:
    """Map labels to short ones, also without the parts that most of them share.

    A part that most share is kept where names would be ambiguous without it; `keep`: parts
    that always are.

    >>> list(brief_labels(["direct, 4 KB", "zCX, 4 KB", "zCX, 4 KB, zHPF", "zCX, 32 KB"]).values())
    ['direct', 'zCX', 'zCX, zHPF', 'zCX, 32 KB']
    """
    short = short_labels(labels)
    if len(short) < 2:
        return short
    parts = {label: name.split(", ") for label, name in short.items()}
    kept = set(keep)
    counts = Counter(part for own in parts.values() for part in own)
    for part, count in counts.most_common():
        if 2 * count <= len(parts):
            break
        if part in kept:
            continue
        fewer = {label: [p for p in own if p != part] for label, own in parts.items()}
        if all(fewer.values()) and len(set(map(tuple, fewer.values()))) == len(parts):
            parts = fewer
    return {label: ", ".join(own) for label, own in parts.items()}
