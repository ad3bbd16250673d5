"""Blocks and words that several parts of reports share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.reports.document import Block, Text
from app.reports.figures import Figure
from app.reports.judging import Answer
from app.reports.presets import Row
from app.reports.tables import table_of
from app.reports.text import escaped
from app.results.labels import unit_label
from app.results.metrics import measured
from app.results.queries.runs import MAIN_METRICS

__all__ = ["claim", "leading_metrics", "rank", "table", "value_with_unit"]


def claim(text: str) -> list[Block]:
    """Return a paragraph that figures made."""
    return [Text(escaped(text), is_claim=True)] if text else []


def table(
    rows: Sequence[Row], columns: Mapping[str, str], caption: str, **options: Any
) -> list[Block]:
    """Return a table, if it says something."""
    block = table_of(rows, columns, caption, **options)
    return [block] if block else []


def leading_metrics(figures: Sequence[Figure], most: int) -> list[str]:
    """Return the metrics that are judged first: two main ones, or those that should grow."""
    better = {f.metric: f.more for f in figures if f.more is not None}
    main = [name for name in MAIN_METRICS if name in better][:2]
    return main or sorted(better, key=lambda name: (not better[name], name))[:most]


def rank(answer: Answer) -> int:
    """Return where the metric of an answer stands among others: rates and costs first."""
    return MAIN_METRICS.index(answer.metric) if answer.metric in MAIN_METRICS else len(MAIN_METRICS)


def value_with_unit(figure: Figure, value: float) -> str:
    """Return a value of a metric with the unit that suits it."""
    text, unit = measured(figure.metric, value, figure.unit)
    return f"{text} {unit_label(unit)}".strip()
