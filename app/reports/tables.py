"""Tables of a report, from rows of a question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.reports.cells import MISSING, cell_text, cells
from app.reports.document import Column, Table
from app.results.labels import (
    configuration_label,
    factor_label,
    issue_label,
    metric_label,
    unit_label,
)

__all__ = ["MOST_ROWS", "table_of", "table_of_cells"]

MOST_ROWS = 400
_NUMBER = re.compile(r"\(?[-+]?[\d,.]+\)?|[-+]?[\d,.]+ (?:%|times)|–")  # noqa: RUF001
_SHORT = 26  # letters that are kept on one line
_MANY, _WIDE = 14, 8  # rows and columns: more are in small print
#: Columns whose values have words of their own.
_WORDS = {
    "metric": metric_label,
    "unit": unit_label,
    "kind": issue_label,
    "configuration": configuration_label,
    "factor": factor_label,
}
Row = dict[str, Any]


def table_of(
    rows: Sequence[Row],
    columns: Mapping[str, str],
    caption: str,
    *,
    most: int = MOST_ROWS,
    is_small: bool = False,
    section: str = "",
) -> Table | None:
    """Return a table of rows, None if they say nothing; `columns`: their headings, with the unit.

    A column without a value, or whose numbers are all zero, is left out. A heading "Over: below"
    has the first part over all columns that share it. `section`: a column whose values are headings
    between the rows.
    """
    kept = [
        (name, heading)
        for index, (name, heading) in enumerate(columns.items())
        if heading
        and (not index or any(row[name] not in {None, 0, ""} for row in map(_hashable, rows)))
    ]
    if not rows or (len(kept) == 1 < sum(map(bool, columns.values()))):
        return None
    printed = []
    for name, heading in kept:
        values = [
            _WORDS[name](row[name]) if name in _WORDS and row[name] else row[name]
            for row in rows[:most]
        ]
        is_share = "%" in heading and not all(
            float(v).is_integer() for v in values if isinstance(v, float)
        )
        printed.append(cells(values, 1 if is_share else None))
    starts = [
        (index, cell_text(_WORDS.get(section, str)(row[section])))
        for index, row in enumerate(rows[:most])
        if section and (not index or row[section] != rows[index - 1][section])
    ]
    return table_of_cells(
        [heading for _, heading in kept],
        list(zip(*printed, strict=True)),
        caption,
        is_small=is_small,
        left_out=max(len(rows) - most, 0),
        sections=tuple(starts),
    )


def _hashable(row: Row) -> Row:
    return {name: str(v) if isinstance(v, list | dict) else v for name, v in row.items()}


def table_of_cells(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    *,
    is_small: bool = False,
    left_out: int = 0,
    sections: tuple[tuple[int, str], ...] = (),
) -> Table:
    """Return a table of cells as they are read; a heading "Over: below" has a heading over it."""
    parts = [heading.rpartition(": ") for heading in headings]
    groups: list[tuple[str, int]] = []
    for over, _, _ in parts:
        if groups and groups[-1][0] == over:
            groups[-1] = over, groups[-1][1] + 1
        else:
            groups.append((over, 1))
    heads = []
    for index, (_, _, heading) in enumerate(parts):
        texts = [row[index] for row in rows]
        is_number = bool(index) and all(_NUMBER.fullmatch(t) or t == "" for t in texts)
        is_number = is_number or all(_NUMBER.fullmatch(t) and t != MISSING for t in texts)
        heads.append(Column(heading, is_number, max(map(len, texts), default=0) <= _SHORT))
    return Table(
        caption,
        tuple(heads),
        tuple(tuple(row) for row in rows),
        left_out,
        tuple(groups) if any(over for over, _ in groups) else (),
        is_small or len(rows) > _MANY or len(headings) > _WIDE,
        sections=sections,
    )
