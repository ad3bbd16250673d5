"""One change, one story: what many series show at once, and when it began.

A change of the product moves many figures, each in its own noise. So the last runs of all
configurations are judged together, metric by metric, and what began together is dated together:
configurations by all of them, and the figures of each with them, as they are of the same runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, nan

from expectations.detector.dating import AS_LIKELY, WINDOW, Dates, as_likely_of, common_date
from expectations.detector.early import MOST_AFTER, Early, LastRuns, shift_at
from expectations.detector.pooled import LEAST_SERIES, common_shift
from expectations.regressions.finding import LEVEL, Finding, Key
from expectations.regressions.series import Series

__all__ = ["date_together", "dates_of", "find_early_together"]

_LEAST_SCORE = 1.0  # of a member


def find_early_together(
    series: Sequence[Series],
    starts: Sequence[int],
    runs: LastRuns,
    signs: Sequence[float],
    standing: Collection[Key],
) -> dict[int, tuple[Early, int]]:
    """Return the shifts that configurations have at once in their last runs, and their number.

    By index of the series. series: with the start of the last level of each, `runs` as
    `detector.early.last_runs` returns them; standing: suspicions that were told, which stay as long
    as there is evidence of a shift at all.
    """
    families: dict[tuple[str, ...], list[int]] = {}
    for i, item in enumerate(series):
        if item.key.whole:
            families.setdefault(item.key.of_metric, []).append(i)
    large = {name: of for name, of in families.items() if len(of) >= LEAST_SERIES}
    tests = Counter(name[:2] for name in large)
    shifts: dict[int, tuple[Early, int]] = {}
    for name, members in large.items():
        builds = sorted({no for i in members for no in series[i].build_nos[-MOST_AFTER:]})
        builds = builds[-MOST_AFTER:]
        places = [
            [len(series[i].values) - bisect_left(series[i].build_nos, build) for build in builds]
            for i in members
        ]
        rest = partial(_distances_before, series, starts, runs, signs, members, builds[0])
        shift = common_shift(runs, members, places, rest, tests[name[:2]])
        if shift is None:
            continue
        chosen = [
            n
            for n, (chance, score) in enumerate(zip(shift.likely, shift.scores, strict=True))
            if (chance >= 1 - chance and score >= _LEAST_SCORE)
            or (series[members[n]].key in standing and score > 0)
        ]
        for n in chosen:
            i, k = members[n], places[n][shift.place] - 1
            size, doubt = len(series[i].values), 1 - shift.likely[n]
            shifts[i] = shift_at(runs, i, k, size, signs[i], doubt), len(chosen)
    return shifts


def _distances_before(
    series: Sequence[Series],
    starts: Sequence[int],
    runs: LastRuns,
    signs: Sequence[float],
    members: Sequence[int],
    until: int,
) -> list[list[float]]:
    """Return how far each run before a build is off its level (series x builds)."""
    numbers = sorted({no for i in members for no in series[i].build_nos if no < until})
    rest = []
    for i in members:
        moving = series[i]
        k = max((k for k in range(MOST_AFTER) if isfinite(runs.score[i, k])), default=0)
        off = {
            no: (signs[i] * value - runs.before[i, k]) / runs.noise[i, k]
            for value, no in zip(
                moving.values[starts[i] :], moving.build_nos[starts[i] :], strict=True
            )
        }
        rest.append([float(off.get(no, nan)) for no in numbers])
    return rest


def date_together(findings: Sequence[Finding], series: Mapping[Key, Series]) -> list[Finding]:
    """Return level shifts with common dates where they can be of one change.

    The sharpest one, and those of its metric in other configurations, have the date that is
    likeliest for all of them, and no one counts more against it than the least likely of so many
    would. Other figures of these configurations follow, if it can be their date.
    """
    counts = Counter(key.of_metric for key in series if key.whole)
    shifts = [f for f in findings if f.kind == LEVEL]
    dated = [f for f in findings if f.kind != LEVEL]
    dates = {id(f): dates_of(f, series[f.key]) for f in shifts}

    def cost(finding: Finding, build: int) -> float:
        return dates[id(finding)].cost(bisect_left(series[finding.key].build_nos, build))

    left = sorted(shifts, key=lambda f: -(f.effect or 0.0))
    while left:
        lead, middle = left[0], left[0].onset_no
        most = as_likely_of(counts[lead.key.of_metric])
        near = {lead.key.of_configuration: lead}
        for item in left:
            if item.key.of_metric == lead.key.of_metric and abs(item.onset_no - middle) <= WINDOW:
                near.setdefault(item.key.of_configuration, item)
        builds = range(max(middle - WINDOW, 0), middle + WINDOW + 1)
        costs = [[min(cost(item, build), most) for build in builds] for item in near.values()]
        best, first, last = common_date(costs)
        members = [
            item
            for item, cost_by_build in zip(near.values(), costs, strict=True)
            if cost_by_build[best] < most
        ]
        date = builds[best], builds[first], builds[last]
        if lead not in members or len(members) == 1:
            members, date = [lead], (middle, middle - lead.uncertain[0], middle + lead.uncertain[1])
        keys = {member.key for member in members}
        of = {key.of_configuration for key in keys}
        for item in left:
            of_them = item.key.of_configuration in of and item.key not in keys
            if of_them and cost(item, date[0]) <= AS_LIKELY:
                members.append(item)
                keys.add(item.key)
        most = as_likely_of(len(near))
        for item in members:
            likely = dates[id(item)].likely(most)
            dated.append(_with_date(item, series[item.key], likely, *date))
        left = [item for item in left if all(item is not member for member in members)]
    order = {key: index for index, key in enumerate(series)}
    return sorted(dated, key=lambda f: (order[f.key], f.onset_utc))


def dates_of(finding: Finding, series: Series) -> Dates:
    """Return how likely other dates of a shift are."""
    assert finding.before is not None
    assert finding.after is not None
    onset = series.place(finding.onset_utc)
    first = max(onset - finding.runs_before, 0)
    levels = (finding.before, finding.after, finding.effect or 0.0)
    return Dates(series.values[first : _end(finding, series)], first, onset, *levels)


def _with_date(
    finding: Finding, series: Series, likely: Sequence[int], build: int, first: int, last: int
) -> Finding:
    """Return a finding that begins with a build, and at 95 % with one of the first to the last.

    likely: indexes where others may have begun that are told with it.
    """
    onset_index, earliest, latest = (
        bisect_left(series.build_nos, no) for no in (build, first, last)
    )
    was, end = series.place(finding.onset_utc), _end(finding, series)
    if not 0 < onset_index < end or series.build_nos[onset_index] == series.build_nos[was]:
        onset_index = was
    reach = [series.build_nos[min(at, end - 1)] for at in (*likely, onset_index)]
    onset = series.onset(onset_index, earliest, latest)
    onset["uncertain"] = onset["onset_no"] - min(reach), max(reach) - onset["onset_no"]
    return replace(
        finding,
        **onset,
        runs_before=max(finding.runs_before + onset_index - was, 1),
        runs_after=max(finding.runs_after + was - onset_index, 1),
        run_ids=series.run_ids_of(onset_index, end),
    )


def _end(finding: Finding, series: Series) -> int:
    """Return the index after the last entry of a finding."""
    return (series.index(finding.run_ids[-1]) or 0) + 1
