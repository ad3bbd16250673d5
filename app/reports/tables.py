"""Tables of a report, from rows of a query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from app.reports import facts
from app.reports.cells import MISSING, cells, shown
from app.reports.document import Column, Table
from app.reports.labelled import suiting
from app.results.labels import configuration_label

__all__ = ["MOST_ROWS", "built", "crossed"]

_CHANGE = re.compile(r"\(?[-+][\d,.]+\)?|[-+]?[\d,.]+ (?:%|times)")  # as facts.percent writes it
MOST_ROWS = 400  # of a table, unless a template says otherwise
_DIGITS = 3  # significant, of figures whose metric is not known
_SHORT = 26  # letters that are kept on one line
Row = dict[str, Any]


def built(
    found: Sequence[Row],
    columns: Mapping[str, str],
    caption: str,
    *,
    most: int,
    is_small: bool,
    groups: Mapping[str, str],
    digits: Mapping[str, int],
    figures: Sequence[str],
    by_row: bool,
    section: str = "",
) -> Table | None:
    """Return a table of rows, None if they say nothing: see the call `table` of templates."""
    if not found:
        return None
    if columns.keys() & {"unit", "unit_label"}:  # otherwise a heading says one for all
        found = [suiting(row, figures) for row in found]
    if "configuration" in columns:
        said = [configuration_label(row["configuration"] or "") or None for row in found]
        found = [row | {"configuration": one} for row, one in zip(found, said, strict=True)]
    names = [
        name
        for place, name in enumerate(columns)
        if not place or _says_something([row[name] for row in found])
    ]
    if len(names) == 1 < len(columns):
        return None  # names of things of which nothing is known
    raw = [[row[name] for row in found[:most]] for name in names]
    printed = [
        [facts.of_metric(row[name], row["metric"]) for row in found[:most]]
        if name in figures
        else [shown(value) for value in values]
        if by_row
        # a change of a thousandth of a percent is noise
        else cells(
            values,
            1 if "%" in columns[name] and not _are_whole(values) else None,
            digits=digits.get(name, _DIGITS),
        )
        for name, values in zip(names, raw, strict=True)
    ]
    kept = [
        place for place, texts in enumerate(printed)
        if not place or not all(_is_zero(text) for text in texts)
    ]  # fmt: skip
    names = [names[place] for place in kept]
    raw, printed = [raw[place] for place in kept], [printed[place] for place in kept]
    heads = tuple(
        Column(columns[name], any(_is_number(v) for v in values), _is_short(texts))
        for name, values, texts in zip(names, raw, printed, strict=True)
    )
    rows = tuple(zip(*printed, strict=True))
    over = tuple(
        (heading, len(list(some)))
        for heading, some in groupby(names, lambda name: groups.get(name, ""))
    )
    left_out = max(len(found) - most, 0)
    parts = [
        (place, shown(row[section]))
        for place, row in enumerate(found[:most])
        if section and (not place or row[section] != found[place - 1][section])
    ]
    return Table(
        caption, heads, rows, left_out, over if groups else (), is_small,
        sections=tuple(parts),
    )  # fmt: skip


def crossed(
    what: Sequence[Row], down: str, across: str, value: str, heading: str
) -> tuple[list[Row], dict[str, str]]:
    """Return rows by the levels of one column with a column per level of another, and these."""
    columns = {down: heading} | {str(row[across]): str(row[across]) for row in what}
    table: dict[object, Row] = {}
    for row in what:
        if row[value]:
            entry = table.setdefault(row[down], dict.fromkeys(columns) | {down: row[down]})
            entry[str(row[across])] = row[value]
    return list(table.values()), columns


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return bool(_CHANGE.fullmatch(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _says_something(values: Sequence[object]) -> bool:
    """Whether a column has a value that is neither zero nor empty."""
    present = [value for value in values if value is not None]
    return any(isinstance(value, bool) or value not in (0, "") for value in present)


def _is_zero(text: str) -> bool:
    """Whether a cell is a number that is printed as zero, or empty."""
    return text == MISSING or not text.strip("0.")


def _are_whole(values: Sequence[object]) -> bool:
    return all(v.is_integer() for v in values if isinstance(v, float))


def _is_short(texts: Sequence[str]) -> bool:
    return max(map(len, texts)) <= _SHORT
