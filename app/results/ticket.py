"""A regression as Markdown, for a bug tracker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import urlencode

from app.results.labels import figure_of, unit_label
from app.results.markdown import code, plain, table
from app.results.next_runs import NextRuns, bisect_command, in_words
from expectations.metrics import four_digits
from expectations.regressions.store import Row

__all__ = ["page_of", "ticket"]

_LISTED = 12


def ticket(rows: Sequence[Row], hint: NextRuns | None, address: str = "") -> str:
    """Return a regression and the others of its group.

    rows: as in meta.regression, the one that is asked for first; hint: what to run next for it;
    address: of the dashboard, for a link, '' without one.
    """
    first = rows[0]
    change = "" if first["change_percent"] is None else f" {first['change_percent']:+.1f} %"
    name = figure_of(first, "Data")
    since = f" since {first['onset_build']}" if first["onset_build"] else ""
    parts = [f"### {plain(name + change + since)}", f"{plain(first['message'])}."]
    marks = [f"{key} {first[key]}" for key in ("owner", "bug") if first.get(key)]
    state = ", ".join([first["state"], *([first["note"]] if first["note"] else []), *marks])
    parts.append(f"{code(first['regression_id'])}: {plain(state)}")
    if hint:
        parts.append(f"**Next runs.** {plain(' '.join(in_words(hint)))}")
        if command := bisect_command(hint):
            parts.append(code(command))
    if split := json.loads(first["parts"] or "[]"):
        parts.append(_parts(split, first["unit"] or ""))
    if len(rows) > 1:
        parts.append(f"The same change in {len(rows) - 1} more figures:")
        parts.append(table(("figure", "change, %"), (1,), map(_figure, rows[1 : _LISTED + 1])))
        if len(rows) > _LISTED + 1:
            parts.append(f"{len(rows) - _LISTED - 1} more are not listed.")
    if page := page_of(first, address):
        parts.append(f"[The regression in the dashboard](<{page}>)")
    return "\n\n".join(parts) + "\n"


def page_of(row: Row, address: str) -> str:
    """Return the address of a regression in the dashboard, '' if the dashboard has none."""
    if not address:
        return ""
    return f"{address.rstrip('/')}/regressions?{urlencode({'id': row['regression_id']})}"


def _parts(split: Sequence[Row], unit: str) -> str:
    rows = [
        (
            part["what"],
            part["dimension"],
            *(four_digits(part[side]) for side in ("before", "after")),
            unit_label(part.get("unit") or unit),
        )
        for part in split[:_LISTED]
    ]
    return table(("part", "of", "before", "after", "unit"), (2, 3), rows)


def _figure(row: Row) -> tuple[str, str]:
    change = row["change_percent"]
    return (
        f"{figure_of(row, 'Data')}, {row['configuration']}",
        "" if change is None else f"{change:+.1f}",
    )
