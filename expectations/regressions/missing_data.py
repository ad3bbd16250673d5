"""Faults of the data: incomplete runs, and metrics that are no longer measured."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from expectations.regressions.finding import DATA, Finding, Key, Recovery
from expectations.regressions.series import Break, Series

__all__ = ["find_breaks", "find_incomplete_runs", "find_missing_metrics"]

_KNOWN = 5  # minimum number of runs with a metric before its absence counts
_REGULAR = 0.8  # minimum share of the runs in that period with the metric
_SHOWN = 4  # number of names in a message

_BY = {"unit": "in", "source": "from"}
_CONFIGURATION = ["origin", "campaign", "configuration_id"]


def find_incomplete_runs(runs: pl.DataFrame) -> list[Finding]:
    """Find sequences of incomplete runs of a configuration; a complete run ends a sequence.

    runs: as series.read_runs returns them.
    """
    return [
        finding
        for _, part in runs.group_by(_CONFIGURATION, maintain_order=True)
        for finding in _stretches(part)
    ]


def _stretches(part: pl.DataFrame) -> Iterator[Finding]:
    rows = part.to_dicts()
    at = 0
    for whole, group in groupby(rows, key=lambda row: bool(row["is_compared"])):
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


def find_missing_metrics(
    series: Sequence[Series], runs: pl.DataFrame, quiet_runs: int
) -> list[Finding]:
    """Find configurations whose last `quiet_runs` complete runs lack metrics of earlier runs.

    A monitor that was switched off removes many metrics at once: one finding names them all.
    Metrics that earlier runs lacked occasionally are ignored.
    """
    whole = {
        key: part.to_dicts()
        for key, part in runs.filter("is_compared")
        .partition_by(_CONFIGURATION, as_dict=True)
        .items()
    }
    starts = {key: [row["start_utc"] for row in rows] for key, rows in whole.items()}
    lost: dict[tuple[tuple[str, str, str], int], list[Series]] = {}
    for one in series:
        key = (one.key.origin, one.key.campaign, one.key.configuration_id)
        times = starts.get(key, [])
        end = bisect_right(times, one.starts[-1])
        within = end - bisect_left(times, one.starts[0])
        regular = len(one.starts) >= _KNOWN and _REGULAR * within <= len(one.starts)
        if regular and len(times) - end >= quiet_runs:
            lost.setdefault((key, end), []).append(one)
    findings = []
    for (key, at), quiet in lost.items():
        findings.append(
            _of_run(
                whole[key][at],
                last_good=quiet[0].run_ids[-1],
                what=f"no figure for {_names([one.key for one in quiet])}",
                run_ids=tuple(row["run_id"] for row in whole[key][at:]),
                recovery=None,
                metric="quiet",
            )
        )
    return findings


def find_breaks(breaks: Sequence[Break], runs: pl.DataFrame) -> list[Finding]:
    """Return the breaks of series, one finding per place.

    breaks: as series.read_series returns them; runs: as series.read_runs does.
    """
    rows = {(row["origin"], row["run_id"]): row for row in runs.to_dicts()} if breaks else {}
    together: dict[tuple[str, str, str, str], list[Break]] = {}
    for one in breaks:
        place = (one.key.origin, one.run_ids[0], one.back or "", one.of)
        together.setdefault(place, []).append(one)
    findings = []
    for (origin, first, _, of), same in together.items():
        back = rows[origin, same[0].back] if same[0].back else None
        pairs, by = dict.fromkeys((one.before, one.after) for one in same), _BY[of]
        what = [
            f"{_names([one.key for one in same if (one.before, one.after) == pair])} "
            f"{by} {pair[1] or f'no {of}'} instead of {pair[0] or f'no {of}'}"
            for pair in pairs
        ]
        findings.append(
            _of_run(
                rows[origin, first],
                last_good=same[0].last_good,
                what=f"not comparable with the runs before: {'; '.join(what)}",
                run_ids=same[0].run_ids,
                recovery=Recovery(back["run_id"], back["start_utc"], 0.0) if back else None,
                metric=of,
            )
        )
    return findings


def _names(keys: Sequence[Key]) -> str:
    """Return every metric once, with its parts if the whole run still has it."""
    whole = {key.metric for key in keys if key.whole}
    names = sorted(whole)
    parts = sorted({_name(key) for key in keys if key.metric not in whole})
    return ", ".join([*names, *parts])


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
