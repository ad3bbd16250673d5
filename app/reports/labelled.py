"""Names of rows: configurations by what tells them apart, metrics in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from app.reports.cells import cells
from app.results.labels import (
    PLAIN,
    brief_labels,
    bytes_label,
    configuration_label,
    factor_label,
    issue_label,
    level_label,
    metric_label,
    short_labels,
    small,
    unit_label,
)
from app.results.metrics import suited
from app.results.queries.runs import MAIN_METRICS
from expectations.metrics import dictionary

__all__ = [
    "Sizes",
    "alike",
    "along",
    "beside",
    "by_metric",
    "called",
    "comparable",
    "digits_of",
    "fitting",
    "level_in_words",
    "named",
    "numbered",
    "panels",
    "settings",
    "size",
    "sizes_of",
    "suiting",
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
_ONE_NUMBER = re.compile(r"([a-z_]+) (\d+(?:\.\d+)?)")
# What configurations of transfers differ in.
_FACTORS = (
    "source", "target", "target_storage", "network", "queue", "zhpf", "tls", "ams", "compmsg",
    "p2wg", "batchint", "mode", "file_size_mb", "chunk_size", "md5", "connection", "transfer",
    "protocol", "latency_km", "latency_ms_oneway", "loss_pct", "channels", "jit_level",
    "block_size", "machine", "mq_level",
)  # fmt: skip
_COLUMNS, _SIZED_COLUMNS = 10, 12  # of numbers in a table of small print
_LONG = 36  # letters of a name
_DENSE = 0.6  # of the cells of a table by size that have a figure


class Sizes(NamedTuple):
    """A table: rows, columns with their headings, headings over columns, significant digits."""

    rows: list[Row]
    columns: dict[str, str]
    groups: dict[str, str]
    digits: dict[str, int]


def named(
    rows: Iterable[Row],
    *,
    keep_size: bool = False,
    without: Iterable[str] = (),
    plain: str = "",
    alone: str = "",
    brief: bool = False,
    keep: Iterable[str] = (),
) -> list[Row]:
    """Return rows with `name`: what tells their configurations apart.

    `keep_size`: with the file size, which otherwise has an axis or columns of its own. `without`:
    other factors that have: latency, loss, clients, processors, message, path, machine. `plain`:
    the name of the one that has nothing of its own; `alone`: of the only one. `brief`: names that
    are long leave out what most of them share, but not the parts to `keep`.
    """
    left_out = [_PARTS[factor] for factor in without] + ([] if keep_size else [_PARTS["size"]])
    found = list(rows)
    labels = [
        ", ".join(
            configuration_label(part)
            for part in str(row["configuration"]).split(", ")
            if not any(pattern.fullmatch(part) for pattern in left_out)
        )
        for row in found
    ]
    short = short_labels(labels)
    if brief and max(map(len, short.values()), default=0) > _LONG:
        short = brief_labels(labels, keep)
    if plain and len(short) > 1:
        short = {label: plain if name == PLAIN else name for label, name in short.items()}
    elif alone and len(short) == 1:
        short = dict.fromkeys(short, alone)
    return [row | {"name": short[label]} for row, label in zip(found, labels, strict=True)]


def comparable(rows: Iterable[Row], factor: str) -> list[Row]:
    """Return the rows of configurations that are alike but for a factor, and have levels of it.

    File sizes are not distinguished: a level that was run with some of them is comparable.
    """
    found = list(rows)
    levels: dict[tuple[str, ...], set[object]] = {}
    keys = []
    for row in found:
        own = [str(row.get(name)) for name in _FACTORS if name not in {factor, "file_size_mb"}]
        keys.append(tuple(own))
        levels.setdefault(keys[-1], set()).add(row[factor] or "N")
    return [row for row, key in zip(found, keys, strict=True) if len(levels[key]) > 1]


def numbered(rows: Iterable[Row]) -> list[Row]:
    """Return rows whose configurations have one factor of several numbers, with `number` and `of`.

    `of`: what is counted, such as clients; `name`: what else tells configurations apart. No rows
    without such a factor, or with several.
    """
    found = list(rows)
    split_ = [str(row["configuration"]).split(", ") for row in found]
    numbers = [
        {match[1]: float(match[2]) for part in parts if (match := _ONE_NUMBER.fullmatch(part))}
        for parts in split_
    ]
    shared = set.intersection(*map(set, numbers)) if numbers else set()
    words = [word for word in shared if len({own[word] for own in numbers}) > 1]
    if len(words) != 1:
        return []
    (word,) = words
    rest = [
        ", ".join(p for p in parts if not p.startswith(f"{word} ")) or PLAIN for parts in split_
    ]
    short = short_labels(rest)
    return [
        row
        | {
            "number": own[word],
            "of": small(factor_label(word)),
            "name": short[label] if len(short) > 1 else "all runs",
        }
        for row, own, label in zip(found, numbers, rest, strict=True)
    ]


def called(rows: Iterable[Row], name: str) -> list[Row]:
    """Return rows with one name."""
    return [row | {"name": name} for row in rows]


def panels(names: Sequence[str], most: int) -> list[list[str]]:
    """Return names in as many parts as there are charts, at most `most` in each.

    Names that differ in one factor of two levels alone stay together, as a reader compares them.

    >>> panels(["A, z15", "B, z15", "C, z15", "A, z16", "B, z16", "C, z16"], 5)
    [['A, z15', 'A, z16', 'B, z15', 'B, z16'], ['C, z15', 'C, z16']]
    >>> panels(["FASP", "FASP, 1 %", "TCP", "TCP, 1 %"], 2), panels(["a", "b", "c"], 2)
    ([['FASP', 'TCP'], ['FASP, 1 %', 'TCP, 1 %']], [['a', 'b'], ['c']])
    >>> panels([f"{way}, {n} KB" for way in ("no, 2 tiers", "zCX, 3 tiers") for n in (1, 2)], 2)
    [['no, 2 tiers, 1 KB', 'zCX, 3 tiers, 1 KB'], ['no, 2 tiers, 2 KB', 'zCX, 3 tiers, 2 KB']]
    """
    groups = _pairs_of(names) or [[name] for name in names]
    count = -(-len(names) // most)
    each = max(-(-len(names) // count), *map(len, groups))
    parts: list[list[str]] = [[]]
    for group in groups:
        if parts[-1] and len(parts[-1]) + len(group) > (most if len(group) > 1 else each):
            parts.append([])
        parts[-1] += group
    return parts


def _pairs_of(names: Sequence[str]) -> list[list[str]]:
    """Return names in pairs that differ in two levels of one factor, if most names have one.

    Factors that always change together are one.
    """
    parts = [name.split(", ") for name in names]
    named_by: dict[frozenset[str], list[str]] = {}
    for part in dict.fromkeys(part for own in parts for part in own):
        has = frozenset(name for name, own in zip(names, parts, strict=True) if part in own)
        named_by.setdefault(has, []).append(part)
    levels = list(named_by.values())
    best: list[list[str]] = []
    for place, one in enumerate(levels):
        for other in levels[place + 1 :]:
            groups: dict[tuple[str, ...], list[str]] = {}
            for name, own in zip(names, parts, strict=True):
                if (one[0] in own) != (other[0] in own):
                    rest = tuple(part for part in own if part not in {*one, *other})
                    groups.setdefault(rest, []).append(name)
            is_whole = sum(map(len, groups.values())) == len(names)
            pairs = sum(len(group) > 1 for group in groups.values())
            if is_whole and pairs > max(len(groups) / 2, sum(len(g) > 1 for g in best)):
                best = list(groups.values())
    return best


def along(rows: Iterable[Row], level: str) -> list[Row]:
    """Return the rows of names that have several levels of a factor: those that make a line."""
    found = [row for row in rows if row[level] is not None]
    levels: dict[str, set[object]] = {}
    for row in found:
        levels.setdefault(row["name"], set()).add(row[level])
    return [row for row in found if len(levels[row["name"]]) > 1]


#: Columns of rows that are figures of their metric, in their unit. The first that a row has says
#: which unit suits; the bounds of a change come after what changed.
_FIGURES = (
    "value", "middle", "before", "after", "low", "high",
    "published", "published_value", "predicted", "predicted_low", "predicted_high",
)  # fmt: skip


def suiting(row: Row, figures: Sequence[str] = _FIGURES) -> Row:
    """Return a row with its `figures` in the unit that suits the first of them.

    figures: the columns that are figures of the row's metric in its `unit`, and no changes in
    percent.
    """
    size = next((row[name] for name in figures if row.get(name) is not None), None)
    return _in_unit(row, *suited(size, row.get("unit") or ""), figures)


def alike(rows: Iterable[Row], figures: Sequence[str] = _FIGURES) -> list[Row]:
    """Return rows with the figures of a metric in one unit, which suits the median of them.

    The median is that of the first of the `figures`. A cost after offload has the unit of the cost.
    """
    found = list(rows)
    sizes: dict[tuple[str, str], list[float]] = {}
    for row in found:
        own = sizes.setdefault(_family(row), [])
        own += [] if row[figures[0]] is None else [abs(row[figures[0]])]
    units = {
        (metric, unit): suited(median(own) if own else None, unit)
        for (metric, unit), own in sizes.items()
    }
    return [_in_unit(row, *units[_family(row)], figures) for row in found]


def _family(row: Row) -> tuple[str, str]:
    """Return what has one unit in a table: a metric, also after offload, in the unit it came in."""
    return str(row["metric"]).removesuffix("_after_offload"), row["unit"] or ""


def _in_unit(row: Row, scale: float, unit: str, figures: Sequence[str] = _FIGURES) -> Row:
    if scale == 1:
        return row
    scaled = {name: row[name] / scale for name in figures if row.get(name) is not None}
    return row | scaled | {"unit": unit, "unit_label": unit_label(unit)}


def with_labels(rows: Iterable[Row]) -> list[Row]:
    """Return rows with what they have in words: `label` of metric, `unit_label`, `kind_label`."""
    return [
        row
        | ({"label": metric_label(row["metric"])} if "metric" in row else {})
        | ({"kind_label": issue_label(row["kind"])} if "kind" in row else {})
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
    found = alike(row for row in rows if row[level] is not None)
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
            f"{metric} {one}": level_in_words(one, "MB" if level == "file_size_mb" else unit)
            for one in present
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


def fitting(rows: Sequence[Row], level: str, most: int) -> list[list[str]]:
    """Return the metrics of rows in parts whose tables have at most `most` columns of levels.

    A metric with more has a part of its own.
    """
    parts: list[list[str]] = []
    width = 0
    for metric in dict.fromkeys(row["metric"] for row in rows):
        levels = {row[level] for row in rows if row["metric"] == metric} - {None}
        if not parts or width + len(levels) > most:
            parts.append([])
            width = 0
        parts[-1].append(metric)
        width += len(levels)
    return parts


def beside(rows: Iterable[Row]) -> Sizes:
    """Return `named` rows as a table: a row per name; median, range and published by metric."""
    found = alike(rows)
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
            entry[f"{row['metric']} range"] = low if low == high else f"{low} to {high}"
    for name in [name for name, heading in columns.items() if heading == "range"]:
        if not any(" to " in (entry[name] or "") for entry in table.values()):
            del columns[name]  # it repeats the median
    return Sizes(list(table.values()), columns, groups, digits)


def level_in_words(level: float, unit: str) -> str:
    """Return a level of an axis or column in its unit: 64 KB, 1 GB, 12,000 clients, 0.5 ms."""
    if unit in {"B", "MB"}:
        return bytes_label(int(level) * (2**20 if unit == "MB" else 1))
    return f"{level:,.12g} {unit}".strip()


def size(megabytes: int) -> str:
    """Return the size of a file: 100 MB, 1 GB."""
    return level_in_words(megabytes, "MB")


def settings(rows: Iterable[Row]) -> list[Row]:
    """Return rows of factors or labels of runs and their `levels` with both in words.

    `more`: whether there are further levels.
    """
    return [
        {
            "factor": factor_label(row["factor"]),
            "levels": ", ".join(level_label(row["factor"], level) for level in row["levels"])
            + (", …" if row["more"] else ""),
        }
        for row in rows
    ]


def digits_of(metric: str) -> int:
    """Return the significant digits of a metric that its usual noise allows."""
    known = dictionary().get(metric)
    return (known.digits if known else None) or 3


def _heading(metric: str, unit: str | None) -> str:
    label, shown = metric_label(metric), unit_label(unit or "")
    return label if not shown or label.endswith(f" {shown}") else f"{label}, {shown}"


def _place(metric: str) -> tuple[int, str]:
    """Return where a metric stands among others: rates and costs first."""
    return (MAIN_METRICS.index(metric) if metric in MAIN_METRICS else len(MAIN_METRICS), metric)


def by_metric(rows: Iterable[Row]) -> list[Sizes]:
    """Return tables of every median: a row per configuration, with as many metrics as fit.

    Sizes of files have columns of their own if most configurations have most of them.
    """
    found = list(rows)
    metrics = sorted({row["metric"] for row in found}, key=_place)
    sized = named(row for row in found if row["file_size_mb"] is not None)
    sizes = {row["file_size_mb"] for row in sized}
    names = {row["name"] for row in sized}
    pairs = {(row["name"], row["file_size_mb"]) for row in sized}
    if len(sizes) < 2 or len(pairs) < _DENSE * len(names) * len(sizes):
        return _by_configuration(found, metrics)
    tables = [
        sizes_of([row for row in sized if row["metric"] in part], with_published=False)
        for part in _parts(metrics, max(_SIZED_COLUMNS // len(sizes), 1))
    ]
    rest = [row for row in found if row["file_size_mb"] is None]
    return [*tables, *_by_configuration(rest, metrics)]


def _by_configuration(rows: list[Row], metrics: list[str]) -> list[Sizes]:
    found = alike(rows)
    units = {row["metric"]: row["unit"] for row in found}
    present = [metric for metric in metrics if metric in units]
    values: dict[str, Row] = {}
    for row in named(found, keep_size=True):
        entry = values.setdefault(
            row["configuration"], dict.fromkeys(present) | {"name": row["name"], "runs": 0}
        )
        entry[row["metric"]] = row["value"]
        entry["runs"] = max(entry["runs"], row["runs"])
    return [
        Sizes(
            [row for row in values.values() if any(row[m] is not None for m in part)],
            {"name": "Configuration", "runs": "Runs"} | {m: _heading(m, units[m]) for m in part},
            {},
            {m: digits_of(m) for m in part},
        )
        for part in _parts(present, _COLUMNS)
    ]


def _parts(metrics: list[str], most: int) -> list[list[str]]:
    """Return metrics in parts of nearly the same number, at most `most`."""
    count = -(-len(metrics) // most)
    ends = [len(metrics) * n // max(count, 1) for n in range(count + 1)]
    return [metrics[first:last] for first, last in pairwise(ends)]
