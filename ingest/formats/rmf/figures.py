"""Numbers as RMF's reports print them, and which heading a number belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import polars as pl

__all__ = ["Cell", "align", "duration", "moment", "named_cells", "number", "numbers", "size",
           "stacked_cells"]  # fmt: skip

#: Prefixes of counts are powers of 1000, those of storage powers of 1024.
_PREFIXES = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_NUMBER = re.compile(r"([-+]?(?:\d[\d,]*\.?\d*|\.\d+))([KMGTP]?)(?:%|\*)?", re.IGNORECASE)
_DURATION = re.compile(r"\d+(?:[.:]\d+)*")
_MOMENT = re.compile(r"(\d\d)/(\d\d)/(\d{4}|\d\d)[- ](\d\d)[.:](\d\d)[.:](\d\d)")
_NEAR = 4  # a figure may be this far from its heading


class Cell(NamedTuple):
    """A heading: its text and the range of characters that it spans."""

    name: str
    start: int
    end: int


@lru_cache(maxsize=1 << 12)  # most figures of a report occur many times
def number(text: str | None, base: int = 1000) -> float | None:
    """Return a printed figure (126K, 51.0%, 1,234, 0.5*), or None for dashes, N/A and so on."""
    match = _NUMBER.fullmatch((text or "").strip())
    if not match:
        return None
    power = _PREFIXES[match[2].upper()]
    return round(float(match[1].replace(",", "")) * float(base) ** power, 6)


def numbers(values: pl.Expr) -> pl.Expr:
    """Apply `number` to a column of texts."""
    parts = values.str.strip_chars().str.extract_groups(f"(?i)^{_NUMBER.pattern}$")
    figure = parts.struct.field("1").str.replace_all(",", "", literal=True).cast(pl.Float64)
    prefix = parts.struct.field("2").str.to_uppercase()
    factors = {name: 1000.0**power for name, power in _PREFIXES.items()}
    return (figure * prefix.replace_strict(factors, default=None)).round(6)


def size(text: str | None) -> float | None:
    """Return printed storage in bytes: K, M, G and T are powers of 1024."""
    return number(text, 1024)


@lru_cache(maxsize=1 << 12)
def duration(text: str | None) -> float | None:
    """Return the seconds of hhh.mm.ss.ttt, mm.ss.ttt or ss.ttt (points or colons), hh.mm.ss, or 0.

    A last part of two digits after two others is seconds; one of three or more digits is a
    fraction.
    """
    text = (text or "").strip()
    if not _DURATION.fullmatch(text):
        return None
    parts = re.split(r"[.:]", text)
    fraction = parts.pop() if len(parts) > 1 and not _clock(parts) else ""
    seconds = 0.0
    for part in parts[-3:]:
        seconds = seconds * 60 + int(part)
    return seconds + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)


def moment(text: str | None) -> datetime | None:
    """Return mm/dd/yyyy-hh.mm.ss as a local time, or None if it is not one."""
    match = _MOMENT.fullmatch((text or "").strip())
    if not match:
        return None
    month, day, year, hour, minute, second = map(int, match.groups())
    try:
        return datetime(year + (2000 if year < 100 else 0), month, day, hour, minute, second)
    except ValueError:
        return None


@lru_cache(maxsize=64)  # every page of a report has the same heading
def named_cells(line: str, names: tuple[tuple[str, str], ...]) -> Sequence[Cell]:
    """Return the headings that are in `line`, in the order of `names` (column, pattern)."""
    cells, at = [], 0
    for name, pattern in names:
        if match := re.compile(pattern, re.IGNORECASE).search(line, at):
            cells.append(Cell(name, match.start(), match.end()))
            at = match.end()
    return tuple(cells)


@lru_cache(maxsize=64)
def stacked_cells(heading: tuple[str, ...]) -> Sequence[Cell]:
    """Return the columns of a heading of several lines: words above each other are one column.

    The words of one column are joined from the top.
    """
    words = [
        (row, match.start(), match.end(), match[0])
        for row, line in enumerate(heading)
        for match in re.finditer(r"\S+", line)
    ]
    groups: list[tuple[int, int, list[tuple[int, int, str]]]] = []
    for row, start, end, word in sorted(words, key=lambda item: item[1]):
        if groups and start < groups[-1][1]:
            first, last, members = groups[-1]
            groups[-1] = (first, max(last, end), [*members, (row, start, word)])
        else:
            groups.append((start, end, [(row, start, word)]))
    return tuple(Cell(" ".join(w for *_, w in sorted(ws)), start, end) for start, end, ws in groups)


def align(line: str, cells: Sequence[Cell]) -> dict[str, str] | None:
    """Return each figure of `line` by its heading, or None if that is not possible.

    If there are as many figures as headings, they are paired in order. Otherwise a figure belongs
    to the heading that it overlaps most, or that is nearest; it is an error if a figure is near
    none, or two figures belong to one.
    """
    words = line.split()
    if len(words) == len(cells):
        return {cell.name: word for cell, word in zip(cells, words, strict=True)}
    result: dict[str, str] = {}
    last, end = -1, 0
    for word in words:
        start = line.index(word, end)
        end = start + len(word)
        best, nearest = last, _NEAR + 1
        for at in range(max(last, 0), len(cells)):  # both are in order, so none before can be best
            _, first, behind = cells[at]
            ahead = first - end
            if ahead >= nearest:
                break
            gap = max(ahead, start - behind)  # negative: they overlap
            if gap < nearest:
                best, nearest = at, gap
        if best <= last:
            return None
        result[cells[best].name] = word
        last = best
    return result


def _clock(parts: Sequence[str]) -> bool:
    """Return whether the parts are hh.mm.ss: three parts, the last of two digits."""
    return len(parts) == 3 and len(parts[-1]) == 2
