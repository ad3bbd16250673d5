"""Sections of pages on systems in a report: the same questions, drawn for paper.

page       the name of a page; of: the title of its section, without it the key figures
charts     titles of its charts: of a few intervals a table of the least, mean and most
columns    headings of its tables that are kept (default: all); most: rows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.reports.blocks import table
from app.reports.document import Block, Text
from app.reports.questions import chart_blocks
from app.reports.report import Report, option_of
from app.results.answers import answers, named_page, scope_of
from app.results.labels import unit_label
from app.results.metrics import figure, suited
from app.results.queries.lines import lines
from app.results.queries.owners import OWNERS
from app.results.queries.systems import whole
from app.results.suggest import did_you_mean

__all__ = ["page_section"]

_MOST, _WIDE = 16, 6  # rows of a table, and columns in letters of normal size
_FEW = 3  # intervals, which are no course


def page_section(report: Report, says: Mapping[str, Any]) -> list[Block]:
    """Return the blocks of a section of a page. Raises ValueError, RequestError, SettingsError."""
    page = named_page(str(says["page"]))
    if page.owner in OWNERS:
        scope = report.scope
        if scope is None or scope.owner != OWNERS[page.owner].name:
            raise ValueError(f"page {says['page']} needs the option {option_of(page.owner)}")
    else:
        name = report.values.get(page.owner) if page.owner else None
        scope = scope_of(report.reader, page.owner, str(name or ""))
    blocks: list[Block] = []
    part = replace(page, sections=())
    if "of" in says:
        section = _find_titled(page.sections, str(says["of"]))
        panels = [_find_titled(section.panels, str(title)) for title in says.get("charts", ())]
        about = whole(report.reader, scope, section.of) if section.of else scope
        courses = lines(report.reader, about, panels) if about else []
        if any(frame["start"].n_unique() > _FEW for frame, _ in courses):
            for panel, (frame, _) in zip(panels, courses, strict=True):
                rows = (
                    frame.rename({"series": "name"}).to_dicts()
                    if (frame["value"] != 0).any()
                    else []
                )
                blocks += chart_blocks("over_time", rows, panel.title, half=True, unit=panel.unit)
            panels = []
        part = replace(page, tiles=(), sections=(replace(section, panels=panels),))
    tables = answers(report.reader, part, scope)[1:]
    if "of" not in says:
        rows = [_key_figure(*row) for row in tables[0].frame.drop_nulls("Value").iter_rows()]
        missing = [Text(f"Not recorded: {page.records}.")]
        columns = {name: name for name in ("Figure", "Value", "Remark")}
        return [*table(rows, columns, f"{page.title}: key figures")] or [*missing]
    for title, frame in tables:
        kept = [name for name in says.get("columns", frame.columns) if name in frame.columns]
        blocks += table(
            frame.to_dicts(),
            {name: name for name in kept},
            title,
            most=int(says.get("most", _MOST)),
            is_small=len(kept) > _WIDE,
        )
    return blocks


def _key_figure(label: str, value: float, unit: str, remark: str) -> dict[str, str]:
    scale, suited_unit = suited(value, {"µs": "us", "bytes": "B"}.get(unit, unit))
    text = f"{figure(value / scale)} {unit_label(suited_unit)}".strip()
    return {"Figure": label, "Value": text, "Remark": remark}


def _find_titled(parts: Any, title: str) -> Any:
    titles = {part.title: part for part in parts}
    if title not in titles:
        near = did_you_mean(title, list(titles)) or f"; known: {', '.join(titles)}"
        raise ValueError(f"the page has no {title!r}{near}")
    return titles[title]
