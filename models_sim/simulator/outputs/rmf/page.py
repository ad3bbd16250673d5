"""What RMF's printed reports share: heading, lines in columns, and figures.

ingest/formats/rmf describes the pages. Intervals and dispatch times have milliseconds, the start of
an interval whole seconds. A figure that is too wide for its column is printed in K, M or G (powers
of 1000) and so rounded, as RMF does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from models_sim.simulator.outputs.text import Row, Tables, dicts, fitting

__all__ = ["HEADING", "clock", "ends", "figure", "line", "page", "reports", "short"]

HEADING = ("system_id", "sysplex", "interval_start_local", "interval_end_local",
           "interval_seconds", "zos_version", "rmf_version")  # fmt: skip
_MOMENT = "%m/%d/%Y-%H.%M.%S"


def reports(
    tables: Tables, columns: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Row, dict[str, list[Row]]]]:
    """Yield the heading of each system (or sysplex) and interval, with its rows by table."""
    found: dict[tuple[object, ...], dict[str, list[Row]]] = {}
    for table, names in columns.items():
        for row in dicts(tables, table, (*HEADING, *names)):
            key = tuple(row[name] for name in HEADING)
            found.setdefault(key, {name: [] for name in columns})[table].append(row)
    for key, rows in found.items():
        yield dict(zip(HEADING, key, strict=True)), rows


def page(title: str, heading: Row) -> list[str]:
    """Return the first lines of a page: its title, printed s p a c e d, and its heading."""
    start, end = heading["interval_start_local"], heading["interval_end_local"]
    of = ("SYSTEM ID", heading["system_id"]) if heading["system_id"] else (
        "SYSPLEX", heading["sysplex"])  # fmt: skip
    first, second = (f"DATE {start:%m/%d/%Y}", f"TIME {start:%H.%M.%S}")
    if end is not None:
        first, second = f"START {start:{_MOMENT}}", f"END   {end:{_MOMENT}}"
    version = "" if heading["rmf_version"] is None else f"RPT VERSION {heading['rmf_version']} RMF"
    interval = f"INTERVAL {clock(heading['interval_seconds'])}"
    return [
        "  ".join(" ".join(word) for word in title.split()).center(132).rstrip(),
        "",
        f"{'':12}{heading['zos_version'] or '':<23}{' '.join(of):<28}{first:<30}{interval}",
        f"{'':35}{version:<28}{second}",
        "",
    ]


def line(*cells: tuple[int, str]) -> str:
    """Join texts that each end at the end of their column, or one blank after the previous text."""
    printed = ""
    for end, text in cells:
        start = end - len(text)
        printed = printed.ljust(max(start, len(printed) + 1 if printed else 0)) + text
    return printed


def ends(heading: str, *words: str) -> list[int]:
    """Return where each of the `words` ends, which follow each other in a heading."""
    found, at = [], 0
    for word in words:
        at = heading.index(word, at) + len(word)
        found.append(at)
    return found


def figure(value: float | None, decimals: int, absent: str = "") -> str:
    """Return a figure with the given decimals, or `absent`."""
    return absent if value is None else f"{value:.{decimals}f}"


def short(value: float, width: int, decimals: int = 0, base: int = 1000) -> str:
    """Return a figure in `width` characters, with as many decimals as fit, else in K, M or G."""
    text = f"{value:.{decimals}f}"
    if len(text) <= width:
        return text
    plain = [f"{value:.{n}f}" for n in range(decimals - 1, -1, -1)]
    prefixed = [f"{value / base**power:.0f}{prefix}" for power, prefix in enumerate("KMGT", 1)]
    return fitting(width, *plain, *prefixed)


def clock(seconds: float | None, hours: bool = False) -> str:
    """Return mm.ss.ttt, or hh.mm.ss.ttt from 100 minutes on or if `hours` are requested."""
    if seconds is None:
        return ""
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, rest = divmod(whole, 60)
    if not hours and minutes < 100:
        return f"{minutes:02d}.{rest:02d}.{milliseconds:03d}"
    return f"{minutes // 60:02d}.{minutes % 60:02d}.{rest:02d}.{milliseconds:03d}"
