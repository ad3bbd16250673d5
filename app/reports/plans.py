"""A plan on two pages: what was asked, each figure for all alternatives, and what is uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl

from app.reports.document import Block, Chart, Column, Document, Heading, Table, Text
from app.reports.numbering import number_blocks
from app.reports.text import escaped
from app.results.labels import factor_label
from app.results.metrics import figure
from ingest.base.extras import is_installed
from models_sim.plan import Plan

__all__ = ["document_of"]

_DRAWN = ("elapsed", "CPU after offload", "MSU, peak four-hour average", "money")
_LABELS = {"gb": "GB", "msu_per_cp": "MSU of one CP", "cps": "CPs", "ziips": "zIIPs"}
_HEIGHT = 150  # pixels


def document_of(plan: Plan, workload: Mapping[str, Any]) -> Document:
    """Return the report of a planned workload."""
    blocks: list[Block] = [
        Heading(2, "Workload"),
        _table("", ("Setting", "Value"), [_workload_text(*item) for item in workload.items()
                                          if item[0] != "curve"]),
        Heading(2, "What it would take"),
        _figures(plan),
        *_charts(plan),
        Heading(2, "What limits it, and what is uncertain"),
        Text("Bands hold eight of ten cases (docs/plan.md).\n\n" + "\n".join(
            f"- {escaped(line)}." for line in plan.remarks()
        )),
    ]  # fmt: skip
    return Document("Plan", "Time, CPU, zIIPs, MSU and money of a workload", None,
                    datetime.now(UTC).replace(tzinfo=None), number_blocks(blocks, is_note=True),
                    is_note=True, figures=plan.frame().write_csv())  # fmt: skip


def _workload_text(name: str, value: Any) -> tuple[str, str]:
    if isinstance(value, dict):
        value = ", ".join(value["spaces"])
    given = value if isinstance(value, list | tuple) else [value]
    shown = ", ".join(
        f"{item:,g}" if isinstance(item, float | int) else str(item) for item in given
    )
    return _LABELS.get(name) or factor_label(name), shown


def _figures(plan: Plan) -> Table:
    names = dict.fromkeys(name for each in plan.alternatives for name in each.figures)
    rows = []
    for name in names:
        figures = [each.figures.get(name) for each in plan.alternatives]
        unit = next(item.unit for item in figures if item)
        cells = [
            "" if item is None
            else figure(item.value, 3) if item.low == item.high
            else f"{figure(item.value, 3)} ({figure(item.low, 3)} to {figure(item.high, 3)})"
            for item in figures
        ]  # fmt: skip
        rows.append((f"{name}, {unit}" if unit else name, *cells))
    heads = ("Figure", *(each.name for each in plan.alternatives))
    return _table("Expected, and the 10-90 % band", heads, rows)


def _table(caption: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    columns = tuple(Column(head, is_number=bool(at)) for at, head in enumerate(heads))
    return Table(caption, columns, tuple(rows), is_small=len(heads) > 4)


def _charts(plan: Plan) -> list[Block]:
    if not is_installed("charts"):
        return []
    from app.charts.band import banded
    from app.reports.charts import WIDTH, with_width

    frame = plan.frame().rename({"alternative": "at", "value": "predicted"})
    order = [each.name for each in plan.alternatives]
    blocks: list[Block] = []
    for name in _DRAWN:
        rows = frame.filter(pl.col("figure") == name)
        if rows.height > 1:
            chart = banded(rows, x="", unit=rows["unit"][0], order=order)
            spec = with_width(chart.to_dict() | {"height": _HEIGHT}, WIDTH)
            title = f"{name[0].upper()}{name[1:]}, {rows['unit'][0]}"
            blocks.append(Chart(title, spec, f"{title} of {', '.join(order)}"))
    return blocks
