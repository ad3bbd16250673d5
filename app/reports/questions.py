"""A question of a mart in a report: a sentence of its first row, a chart, a table.

mart       a table of marts, and columns: SQL = heading; where, order, most; section: a column
whose values are headings; says: a sentence of the first row, with {heading in c0, c1}
chart      its kind, title, and its columns by role (name, value, series, start, end)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.reports.cells import cell_text as as_cell
from app.reports.document import Block, Chart, Table, Text
from app.reports.presets import Row
from app.reports.tables import MOST_ROWS, table_of
from app.results.labels import unit_label
from app.results.metrics import figure
from ingest.base.extras import is_installed

__all__ = ["FEW", "chart_blocks", "question_blocks"]

FEW = 2  # configurations, which need no chart
_ROLES = ("name", "value", "series", "start", "end", "level", "moment", "low", "high")


def chart_blocks(
    kind: str,
    rows: Sequence[Row],
    title: str,
    *,
    about: str = "",
    half: bool = False,
    **options: Any,
) -> list[Block]:
    """Return a chart of rows, nothing if they have no value; without the extra, what it shows."""
    rows = [row for row in rows if row.get("value") is not None]
    if not rows:
        return []
    unit, name = options.get("unit", ""), "name"
    ends = sorted(rows, key=lambda row: row["value"])[:: max(len(rows) - 1, 1)]
    text = " to ".join(f"{figure(r['value'])} {unit_label(unit)} ({r.get(name, '')})" for r in ends)
    text = f"{about + ': ' if about else ''}{len(rows):,} value{'s' * (len(rows) > 1)}, {text}."
    spec = None
    if is_installed("charts"):
        from app.reports import charts

        half = half and charts.fits_half(kind, rows)
        spec = charts.chart_spec(kind, rows, half=half, **options)
        if spec is None:
            return []
    return [Chart(title, spec, text, half)]


# --- a question of a mart


def question_blocks(says_: Mapping[str, Any], result: Sequence[Sequence[Any]]) -> list[Block]:
    """Return the blocks of a question: a sentence of its first row, a chart, a table."""
    if not result:
        return [Text(f"Not recorded: {says_['needs']}.")] if says_.get("needs") else []
    columns = dict(says_["columns"])
    rows = [dict(zip(columns, row, strict=True)) for row in result]
    blocks: list[Block] = []
    if says_.get("chart"):
        chart = dict(says_["chart"])
        roles = {role: chart.pop(role) for role in _ROLES if role in chart}
        kind, title = chart.pop("kind"), chart.pop("title", says_.get("caption", ""))
        points = [{role: row[column] for role, column in roles.items()} for row in rows]
        points = [
            p | {"value": None if p.get("value") is None else float(p["value"])} for p in points
        ]
        if "series" in roles:
            chart["series"] = "series"
        blocks += chart_blocks(kind, points, title, **chart)
    shown = [heading for heading in columns.values() if heading]
    if len(rows) == 1 and len(shown) > FEW and "(" in next(iter(columns)):
        # totals read better from top to bottom
        rows = [
            {"what": heading.replace(": ", ", "), "value": rows[0][name]}
            for name, heading in columns.items()
            if heading and rows[0][name] not in {None, 0, ""}
        ]
        rows = [row | {"value": as_cell(row["value"])} for row in rows]
        columns = {"what": "What", "value": "Figure"} if len(rows) > 1 else {}
    table = (
        table_of(
            rows,
            columns,
            says_.get("caption", ""),
            most=MOST_ROWS,
            is_small=bool(says_.get("small")),
            section=str(says_.get("section", "")),
        )
        if any(columns.values())
        else None
    )
    return [*blocks, table] if isinstance(table, Table) else blocks
