"""What RMF's printed reports share: heading, lines in columns, and figures.

ingest/formats/rmf describes the pages. Intervals and dispatch times have milliseconds, the start of
an interval whole seconds. A figure that is too wide for its column is printed in K, M or G (powers
of 1000) and so rounded, as RMF does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import polars as pl

__all__ = ["Row", "Tables", "clock", "ends", "figure", "first_fit", "line", "page", "reports",
           "short"]  # fmt: skip

Row: TypeAlias = dict[str, Any]
Tables: TypeAlias = Mapping[str, pl.DataFrame]
_HEADING = ("system_id", "sysplex", "interval_start_local", "interval_end_local",
            "interval_seconds", "zos_version", "rmf_version")  # fmt: skip
_MOMENT = "%m/%d/%Y-%H.%M.%S"


def reports(tables: Tables, names: Sequence[str]) -> Iterator[tuple[Row, dict[str, list[Row]]]]:
    """Yield the heading of each system (or sysplex) and interval, with its rows by table."""
    by_heading: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for table in (name for name in names if name in tables):
        for row in tables[table].iter_rows(named=True):
            key = tuple(row[name] for name in _HEADING)
            by_heading.setdefault(key, {name: [] for name in names})[table].append(row)
    for key, rows in sorted(by_heading.items(), key=lambda item: item[0][2]):
        yield dict(zip(_HEADING, key, strict=True)), rows


def page(title: str, heading: Row) -> list[str]:
    """Return the first lines of a page: its title, printed s p a c e d, and its heading."""
    start, end = (heading[f"interval_{bound}_local"] for bound in ("start", "end"))
    system, sysplex = heading["system_id"], heading["sysplex"]
    subject = f"SYSTEM ID {system}" if system else f"SYSPLEX {sysplex}"
    first, version = f"START {start:{_MOMENT}}", f"RPT VERSION {heading['rmf_version']} RMF"
    interval = f"INTERVAL {clock(heading['interval_seconds'])}"
    return [
        "  ".join(" ".join(word) for word in title.split()).center(132).rstrip(),
        "",
        f"{'':12}{heading['zos_version']:<23}{subject:<28}{first:<30}{interval}",
        f"{'':35}{version:<28}END   {end:{_MOMENT}}",
        "",
    ]


def line(*cells: tuple[int, str]) -> str:
    """Join texts that each end at the end of their column, or one blank after the previous text.

    Empty texts are left out.
    """
    printed = ""
    for end, text in cells:
        if text:
            start = end - len(text)
            printed = printed.ljust(max(start, len(printed) + 1 if printed else 0)) + text
    return printed


def ends(heading: str, *words: str) -> list[int]:
    """Return where each of the `words` ends, which follow each other in a heading."""
    places, at = [], 0
    for word in words:
        at = heading.index(word, at) + len(word)
        places.append(at)
    return places


def figure(value: float | None, decimals: int, absent: str = "") -> str:
    """Return a figure with the given decimals, or `absent`."""
    return absent if value is None else f"{value:.{decimals}f}"


def first_fit(width: int, *candidates: str) -> str:
    """Return the first text that is no longer than `width`, or else the last one."""
    return next((text for text in candidates if len(text) <= width), candidates[-1])


def short(value: float, width: int, decimals: int = 0) -> str:
    """Return a figure in `width` characters, with as many decimals as fit, else in K, M or G."""
    plain = [f"{value:.{n}f}" for n in range(decimals, -1, -1)]
    prefixed = [f"{value / 1000**power:.0f}{prefix}" for power, prefix in enumerate("KMG", 1)]
    return first_fit(width, *plain, *prefixed)


def clock(seconds: float, *, hours: bool = False) -> str:
    """Return mm.ss.ttt, or hh.mm.ss.ttt from 100 minutes on or if `hours` are requested."""
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, rest = divmod(whole, 60)
    if not hours and minutes < 100:
        return f"{minutes:02d}.{rest:02d}.{milliseconds:03d}"
    return f"{minutes // 60:02d}.{minutes % 60:02d}.{rest:02d}.{milliseconds:03d}"
