"""Names of rows: configurations by what tells them apart, metrics in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from app.reports.cells import cells
from app.results.labels import metric_label, short_labels, unit_label
from app.results.queries.runs import MAIN_METRICS
from expectations.metrics import dictionary

__all__ = [
    "Sizes",
    "along",
    "beside",
    "by_metric",
    "digits_of",
    "first_names",
    "named",
    "sizes_of",
    "with_labels",
]

Row = dict[str, Any]
# How the label of a configuration writes the factors that may have an axis of their own.
_PARTS = {
    "size": re.compile(r"[\d,]+ MB"),
    "latency": re.compile(r"[\d.]+ ms one way"),
    "loss": re.compile(r"[\d.]+ % loss"),
    "clients": re.compile(r"clients \d+"),
    "processors": re.compile(r"\d+ CPUs?"),
    "message": re.compile(r"\d+ B|messages \w+"),
    "path": re.compile(r"path \w+"),
    "machine": re.compile(r"z\d\d"),
}
_COLUMNS = 8  # of numbers in a table of small print


class Sizes(NamedTuple):
    """A table: rows, columns with their headings, headings over columns, significant digits."""

    rows: list[Row]
    columns: dict[str, str]
    groups: dict[str, str]
    digits: dict[str, int]


def named(
    rows: Iterable[Row], *, keep_size: bool = False, without: Iterable[str] = ()
) -> list[Row]:
    """Return rows with `name`: what tells their configurations apart.

    `keep_size`: with the file size, which otherwise has an axis or columns of its own. `without`:
    other factors that have: latency, loss, clients, processors, message, path, machine.
    """
    left_out = [_PARTS[factor] for factor in without] + ([] if keep_size else [_PARTS["size"]])
    found = list(rows)
    labels = [
        ", ".join(
            part
            for part in str(row["configuration"]).split(", ")
            if not any(pattern.fullmatch(part) for pattern in left_out)
        )
        for row in found
    ]
    short = short_labels(labels)
    return [row | {"name": short[label]} for row, label in zip(found, labels, strict=True)]


def first_names(rows: Iterable[Row], most: int) -> list[Row]:
    """Return the rows of the first `most` names."""
    found = list(rows)
    kept = set(list(dict.fromkeys(row["name"] for row in found))[:most])
    return [row for row in found if row["name"] in kept]


def along(rows: Iterable[Row], level: str) -> list[Row]:
    """Return the rows of names that have several levels of a factor: those that make a line."""
    found = [row for row in rows if row[level] is not None]
    levels: dict[str, set[object]] = {}
    for row in found:
        levels.setdefault(row["name"], set()).add(row[level])
    return [row for row in found if len(levels[row["name"]]) > 1]


def with_labels(rows: Iterable[Row]) -> list[Row]:
    """Return rows with `label`, their metric in words, and `unit_label` if they have a unit."""
    return [
        row
        | {"label": metric_label(row["metric"])}
        | ({"unit_label": unit_label(row["unit"] or "")} if "unit" in row else {})
        for row in rows
    ]


def sizes_of(
    rows: Iterable[Row],
    *,
    with_published: bool = True,
    level: str = "file_size_mb",
    unit: str = "",
) -> Sizes:
    """Return `named` rows as a table: a row per name, a column per metric and file size.

    `with_published`: with a row of published figures below each that has any. `level`: another
    factor than the file size, in `unit`.
    """
    found = [row for row in rows if row[level] is not None]
    levels = {
        metric: sorted({row[level] for row in found if row["metric"] == metric})
        for metric in sorted({row["metric"] for row in found}, key=_place)
    }
    columns: dict[str, str] = {"name": "Configuration"}
    groups: dict[str, str] = {}
    digits: dict[str, int] = {}
    for metric, present in levels.items():
        metric_unit = next(row["unit"] for row in found if row["metric"] == metric)
        columns |= {
            f"{metric} {one}": f"{_shown(one)} {unit}" if unit else _size(one) for one in present
        }
        groups |= {f"{metric} {one}": _heading(metric, metric_unit) for one in present}
        digits |= {f"{metric} {one}": digits_of(metric) for one in present}
    table: dict[tuple[str, bool], Row] = {}
    for row in found:
        for is_published, value in ((False, row["value"]), (True, row["published"])):
            if not is_published or (with_published and value is not None):
                name = f"{row['name']}, published" if is_published else row["name"]
                empty = dict.fromkeys(columns) | {"name": name}
                entry = table.setdefault((row["name"], is_published), empty)
                entry[f"{row['metric']} {row[level]}"] = value
    order = {name: place for place, name in enumerate(dict.fromkeys(row["name"] for row in found))}
    ordered = sorted(table, key=lambda key: (order[key[0]], key[1]))
    return Sizes([table[key] for key in ordered], columns, groups, digits)


def beside(rows: Iterable[Row]) -> Sizes:
    """Return `named` rows as a table: a row per name; median, range and published by metric."""
    found = list(rows)
    columns: dict[str, str] = {"name": "Configuration", "runs": "Runs"}
    groups: dict[str, str] = {}
    digits: dict[str, int] = {}
    for metric in sorted({row["metric"] for row in found}, key=_place):
        unit = next(row["unit"] for row in found if row["metric"] == metric)
        parts = {"": "median", " range": "range", " published": "published"}
        columns |= {metric + part: heading for part, heading in parts.items()}
        groups |= {metric + part: _heading(metric, unit) for part in parts}
        digits |= {metric + part: digits_of(metric) for part in parts}
    table: dict[str, Row] = {}
    for row in found:
        entry = table.setdefault(
            row["name"], dict.fromkeys(columns) | {"name": row["name"], "runs": 0}
        )
        entry["runs"] = max(entry["runs"], row["runs"])
        entry[row["metric"]] = row["value"]
        entry[f"{row['metric']} published"] = row["published"]
        if row["runs"] > 1:
            low, high = cells([row["low"], row["high"]], digits=digits_of(row["metric"]))
            entry[f"{row['metric']} range"] = f"{low} to {high}"
    return Sizes(list(table.values()), columns, groups, digits)


def _shown(level: float) -> str:
    return f"{level:g}" if level < 10_000 else f"{level:,.0f}"


def _size(size: int) -> str:
    return f"{size:,} MB" if size < 1024 else f"{size / 1024:g} GB"


def digits_of(metric: str) -> int:
    """Return the significant digits of a metric that its usual noise allows."""
    known = dictionary().get(metric)
    return (known.digits if known else None) or 3


def _heading(metric: str, unit: str | None) -> str:
    return f"{metric_label(metric)}, {unit_label(unit or '')}".rstrip(", ")


def _place(metric: str) -> tuple[int, str]:
    """Return where a metric stands among others: rates and costs first."""
    return (MAIN_METRICS.index(metric) if metric in MAIN_METRICS else len(MAIN_METRICS), metric)


def by_metric(rows: Iterable[Row]) -> list[Sizes]:
    """Return tables of every median: a row per configuration, a few metrics in each.

    Files of several sizes have a column each.
    """
    found = list(rows)
    metrics = sorted({row["metric"] for row in found}, key=_place)
    sizes = {row["file_size_mb"] for row in found if row["file_size_mb"] is not None}
    if len(sizes) > 1:
        sized = named(row for row in found if row["file_size_mb"] is not None)
        each = max(_COLUMNS // len(sizes), 1)
        tables = [
            sizes_of([row for row in sized if row["metric"] in part], with_published=False)
            for part in _parts(metrics, each)
        ]
        rest = [row for row in found if row["file_size_mb"] is None]
        return tables + _by_configuration(rest, metrics)
    return _by_configuration(found, metrics)


def _by_configuration(found: list[Row], metrics: list[str]) -> list[Sizes]:
    units = {row["metric"]: row["unit"] for row in found}
    values: dict[str, Row] = {}
    for row in found:
        entry = values.setdefault(row["configuration"], dict.fromkeys(units) | {"runs": 0})
        entry[row["metric"]] = row["value"]
        entry["runs"] = max(entry["runs"], row["runs"])
    short = short_labels(list(values))
    return [
        Sizes(
            [
                row | {"name": short[name]}
                for name, row in values.items()
                if any(row[m] is not None for m in part)
            ],
            {"name": "Configuration", "runs": "Runs"} | {m: _heading(m, units[m]) for m in part},
            {},
            {m: digits_of(m) for m in part},
        )
        for part in _parts([m for m in metrics if m in units], _COLUMNS)
    ]


def _parts(metrics: list[str], width: int) -> list[list[str]]:
    return [metrics[place : place + width] for place in range(0, len(metrics), width)]
