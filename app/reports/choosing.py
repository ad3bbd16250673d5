"""Which sentences suit rows of figures: along a level, or from one configuration to another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.reports.labelled import level_in_words
from app.reports.sentences import (
    WORK,
    Said,
    best_first,
    course,
    knee,
    last,
    leader,
    predicted,
    printed,
    range_of,
    reason,
    spread,
)
from app.results.labels import small

__all__ = ["about"]

Row = Mapping[str, Any]
_WORD = re.compile(r"[A-Z][a-z']*")


def about(
    rows: Sequence[Row],
    *,
    level: str = "",
    unit: str = "",
    parts: Sequence[Row] = (),
    most: int = 3,
) -> list[Said]:
    """Return the sentences that suit rows of figures, at most `most` for each metric.

    `level`: the factor that they go along, in `unit`; without it configurations are compared.
    """
    said: list[Said | None] = []
    for metric in dict.fromkeys(row["metric"] for row in rows):
        own = [row for row in rows if row["metric"] == metric]
        levels = {row[level] for row in own} if level else set()
        names = dict.fromkeys(row["name"] for row in own)
        found: list[Said | None] = []
        if len(levels) > 1:
            final = max(levels)
            top = [row for row in own if row[level] == final]
            best = (best_first(_rivals(top)[0]) or top)[0]["name"]
            line = [row for row in own if row["name"] == best]
            found = [course(line, level, unit), knee(line, level, unit)]
            if len(names) > 1:
                at = level_in_words(final, unit)
                found += [_at(leader(some), at, f"At {at}") for some in _rivals(top)]
        elif own[0]["more_is_better"] is None:
            found = [range_of(own)]
        else:
            groups = _rivals(own)
            found = [one for some in groups for one in _of_rivals(some, is_all=len(groups) == 1)]
            if not any(found):
                found = [spread(own)]
            ordered = best_first(groups[0])
            if parts and len(ordered) > 1 and "cost" in metric:
                found.append(reason(ordered[0], ordered[-1], parts))
        kept = [one for one in found if one is not None][:most]
        for one in (printed(own), predicted(own)):
            if one is not None and len(kept) < most:
                kept.append(one)
        said += kept
    return [one for one in said if one is not None]


def _rivals(rows: Sequence[Row]) -> list[list[Row]]:
    """Return rows by the size of their files and messages, those that most have first."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(column) for column in WORK), []).append(row)
    return sorted(groups.values(), key=len, reverse=True)


def _of_rivals(rows: Sequence[Row], *, is_all: bool) -> list[Said | None]:
    """Return which of some rivals leads and which is last; `is_all`: there are no others."""
    said = [leader(rows), last(rows)]
    for column, (words, unit) in WORK.items():
        size = rows[0].get(column)
        if size is None or is_all:
            continue
        at = level_in_words(size, unit)
        if not all(at in str(row["name"]) for row in rows):
            said = [_at(one, at, f"With {words} of {at}") for one in said]
    return said


def _at(said: Said | None, at: str, words: str) -> Said | None:
    """Return what is said of one level or size `at`, beginning with the words that say so."""
    if said is None:
        return None
    claims = tuple(claim | {"name": f"{claim['name']} at {at}"} for claim in said.claims)
    has_name = any(said.text.startswith(str(claim["name"])) for claim in said.claims)
    return Said(f"{words}, {said.text if has_name else _inside(said.text)}", claims)


def _inside(text: str) -> str:
    """Return a sentence as it goes on after other words; names keep their capitals."""
    word = text.split(" ", maxsplit=1)[0]
    return small(text) if _WORD.fullmatch(word) else text
