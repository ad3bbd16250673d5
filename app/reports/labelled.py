"""Names of rows: configurations by what tells them apart, metrics in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from app.results.labels import metric_label, short_labels, unit_label
from app.results.queries.runs import MAIN_METRICS

__all__ = ["Sizes", "by_metric", "first_names", "named", "sizes_of", "with_labels"]

Row = dict[str, Any]
_SIZE = re.compile(r"[\d,]+ MB")
_SHORT = 60  # letters of a name in a chart or table


class Sizes(NamedTuple):
    """A table by file size: its rows, and its columns with their headings."""

    rows: list[Row]
    columns: dict[str, str]


def named(rows: Iterable[Row], *, keep_size: bool = False) -> list[Row]:
    """Return rows with `name`: what tells their configurations apart.

    `keep_size`: with the file size, which otherwise has an axis or columns of its own.
    """
    found = list(rows)
    whole = [str(row["configuration"]) for row in found]
    labels = whole if keep_size else [_without_size(label) for label in whole]
    short = short_labels(labels)
    return [row | {"name": short[label]} for row, label in zip(found, labels, strict=True)]


def _without_size(label: str) -> str:
    return ", ".join(part for part in label.split(", ") if not _SIZE.fullmatch(part))


def first_names(rows: Iterable[Row], most: int) -> list[Row]:
    """Return the rows of the first `most` names."""
    found = list(rows)
    kept = set(list(dict.fromkeys(row["name"] for row in found))[:most])
    return [row for row in found if row["name"] in kept]


def with_labels(rows: Iterable[Row]) -> list[Row]:
    """Return rows with `label`, their metric in words, and `unit_label` if they have a unit."""
    return [
        row
        | {"label": metric_label(row["metric"])}
        | ({"unit_label": unit_label(row["unit"] or "")} if "unit" in row else {})
        for row in rows
    ]


def sizes_of(rows: Iterable[Row]) -> Sizes:
    """Return `named` rows as a table: a row per name, two columns per file size."""
    found = list(rows)
    sizes = sorted({row["file_size_mb"] for row in found if row["file_size_mb"] is not None})
    has_published = {
        size: any(row["published"] is not None for row in found if row["file_size_mb"] == size)
        for size in sizes
    }
    columns = {"name": "Configuration"}
    for size in sizes:
        columns[f"v{size}"] = f"{size:,} MB" if size < 1024 else f"{size / 1024:g} GB"
        if has_published[size]:
            columns[f"p{size}"] = "published"
    table: dict[str, Row] = {}
    for row in found:
        entry = table.setdefault(row["name"], dict.fromkeys(columns) | {"name": row["name"]})
        if row["file_size_mb"] is not None:
            entry[f"v{row['file_size_mb']}"] = row["value"]
            entry[f"p{row['file_size_mb']}"] = row["published"]
    return Sizes(list(table.values()), columns)


def by_metric(rows: Iterable[Row], width: int = 6) -> list[Sizes]:
    """Return tables of every median: a row per configuration, at most `width` metrics in each."""
    found = list(rows)
    units = {row["metric"]: row["unit"] for row in found}
    metrics = [m for m in MAIN_METRICS if m in units]
    metrics += sorted(units.keys() - set(metrics))
    values: dict[str, Row] = {}
    for row in found:
        entry = values.setdefault(row["configuration"], dict.fromkeys(units) | {"runs": 0})
        entry[row["metric"]] = row["value"]
        entry["runs"] = max(entry["runs"], row["runs"])
    short = short_labels(list(values))
    tables = []
    for place in range(0, len(metrics), width):
        part = metrics[place : place + width]
        columns = {"name": "Configuration", "runs": "Runs"} | {
            m: f"{metric_label(m)}, {unit_label(units[m] or '')}".rstrip(", ") for m in part
        }
        tables.append(
            Sizes(
                [
                    row | {"name": short[name]}
                    for name, row in values.items()
                    if any(row[m] is not None for m in part)
                ],
                columns,
            )
        )
    return tables
