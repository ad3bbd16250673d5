"""Faults of the data: runs that are not whole, and figures that came no more."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from expectations.regressions.finding import DATA, Finding, Key, Recovery
from expectations.regressions.series import Series

__all__ = ["find_broken_runs", "find_quiet_figures"]

_KNOWN = 5  # runs that must have brought a figure for its absence to count
_REGULAR = 0.8  # of the runs in its time that must have brought it
_SHOWN = 4  # names that a message gives

_CONFIGURATION = ["origin", "campaign", "configuration_id"]


def find_broken_runs(runs: pl.DataFrame) -> list[Finding]:
    """Stretches of incomplete runs of a configuration; a complete one after them ends each.

    runs: as series.read_runs gives them.
    """
    return [
        finding
        for _, part in runs.group_by(_CONFIGURATION, maintain_order=True)
        for finding in _stretches(part)
    ]


def _stretches(part: pl.DataFrame) -> Iterator[Finding]:
    rows = part.to_dicts()
    at = 0
    for whole, group in groupby(rows, key=lambda row: bool(row["is_complete"])):
        stretch = list(group)
        end = at + len(stretch)
        if not whole:
            after = rows[end] if end < len(rows) else None
            why = list(dict.fromkeys(text for row in stretch for text in row["issues"] or ()))
            yield _of_run(
                stretch[0],
                last_good=rows[at - 1]["run_id"] if at else "",
                what="incomplete: " + ("; ".join(why[:_SHOWN]) or "no reason given"),
                run_ids=tuple(row["run_id"] for row in stretch),
                recovery=Recovery(after["run_id"], after["start_utc"], 0.0) if after else None,
            )
        at = end


def find_quiet_figures(
    series: Sequence[Series], runs: pl.DataFrame, quiet_runs: int
) -> list[Finding]:
    """Configurations whose last `quiet_runs` complete runs lack figures that they used to bring.

    A monitor that was switched off takes many figures with it: one finding names them. Figures
    that some runs lacked before are left out.
    """
    whole = {
        key: part.to_dicts()
        for key, part in runs.filter("is_complete")
        .partition_by(_CONFIGURATION, as_dict=True)
        .items()
    }
    starts = {key: [row["start_utc"] for row in rows] for key, rows in whole.items()}
    lost: dict[tuple[tuple[str, str, str], int], list[Series]] = {}
    for of in series:
        key = (of.key.origin, of.key.campaign, of.key.configuration_id)
        times = starts.get(key, [])
        end = bisect_right(times, of.starts[-1])
        within = end - bisect_left(times, of.starts[0])
        regular = len(of.starts) >= _KNOWN and _REGULAR * within <= len(of.starts)
        if regular and len(times) - end >= quiet_runs:
            lost.setdefault((key, end), []).append(of)
    findings = []
    for (key, at), quiet in lost.items():
        names = sorted({_name(of.key) for of in quiet})
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        findings.append(
            _of_run(
                whole[key][at],
                last_good=quiet[0].run_ids[-1],
                what=f"no figure for {', '.join(names[:_SHOWN])}{more}",
                run_ids=tuple(row["run_id"] for row in whole[key][at:]),
                recovery=None,
                metric="quiet",
            )
        )
    return findings


def _name(key: Key) -> str:
    return " of ".join(part for part in (key.metric, key.address_space, key.system_id) if part)


def _of_run(
    row: dict[str, Any],
    *,
    last_good: str,
    what: str,
    run_ids: tuple[str, ...],
    recovery: Recovery | None,
    metric: str = "",
) -> Finding:
    key = Key(row["origin"], row["campaign"], row["configuration_id"], metric)
    return Finding(
        kind=DATA,
        key=key,
        configuration=str(row["configuration"] or row["configuration_id"]),
        onset_run_id=str(row["run_id"]),
        onset_utc=row["start_utc"],
        onset_build=str(row["build"]),
        onset_no=int(row["build_no"]),
        last_good=last_good,
        runs_after=len(run_ids),
        run_ids=run_ids,
        what=what,
        recovery=recovery,
    )
