"""Numbers for people: few digits, grouped by thousands, with their unit."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from app.results import metrics
from app.results.labels import unit_label
from app.results.metrics import MISSING, figure
from ingest.base.visible import visible

__all__ = [
    "MB",
    "MISSING",
    "byte_count",
    "duration",
    "measured",
    "moment",
    "number",
    "plain",
    "quantity",
    "since",
    "width",
]

MB = 1 << 20  # bytes, as in the marts
_MARKDOWN = re.compile(r"[\\`*_\[\]<>$~|]|:(?=[\w/+-])")  # a colon: emojis, colours, links


def plain(text: str) -> str:
    """Escape a text that Streamlit takes as Markdown, so that it is shown as it is, on one line.

    Names come from records and manifests: one such as ![x](http://host/y) would be fetched by the
    viewer's browser, and one that turns the direction of writing would turn what follows it.
    """
    return _MARKDOWN.sub(r"\\\g<0>", visible(" ".join(text.split())))


def number(value: float | None) -> str:
    """Format with three significant digits, or all before the point: 1,185 or 21.4 or 0.0613."""
    return figure(value)


def quantity(value: float | None, unit: str) -> str:
    """Format a number with its unit: 1,185 get/s."""
    text = number(value)
    return text if text == MISSING else f"{text} {unit}"


def measured(metric: str, value: float | None, unit: str) -> str:
    """Format a figure of a metric with its digits, in the unit that suits it: 10.47 CPU s."""
    text, unit = metrics.measured(metric, value, unit)
    return text if text == MISSING or unit in ("", "count") else f"{text} {unit_label(unit)}"


def duration(microseconds: float | None) -> str:
    """Format a duration in the unit that suits its size: 312 µs, 4.75 ms, 1.2 s."""
    if microseconds is None:
        return MISSING
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if abs(microseconds) >= size:
            return quantity(microseconds / size, unit)
    return quantity(microseconds, "µs")


def byte_count(value: float | None, suffix: str = "") -> str:
    """Format bytes in powers of 1024: 4.10 KB, 1.25 MB/s (suffix "/s")."""
    if value is None:
        return MISSING
    for size, unit in ((1 << 40, "TB"), (1 << 30, "GB"), (MB, "MB"), (1 << 10, "KB")):
        if abs(value) >= size:
            return quantity(value / size, unit + suffix)
    return quantity(value, "B" + suffix)


def moment(value: datetime | None) -> str:
    """Format a UTC time to the minute: 2026-03-01 14:05."""
    return MISSING if value is None else f"{value:%Y-%m-%d %H:%M}"


def width(value: timedelta) -> str:
    """Format a round length of time: 5 min, 8 h, 7 d."""
    minutes = value / timedelta(minutes=1)
    for size, unit in ((1440, "d"), (60, "h")):
        if minutes >= size:
            return f"{minutes / size:g} {unit}"
    return f"{minutes:g} min"


def since(value: datetime | None, now: datetime) -> str:
    """Format how long ago a time was, in its largest unit: 3 min ago."""
    if value is None:
        return MISSING
    seconds = (now - value).total_seconds()
    for size, unit in ((86_400 * 365, "y"), (86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} ago"
    return "just now"
