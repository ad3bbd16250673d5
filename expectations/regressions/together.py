"""One change, one story: what many series show at once, and when it began.

A change of the product moves many figures, each in its own noise. So the last runs of all
configurations are judged together, metric by metric, and what began together is dated together: the
figures of one configuration by the sharpest of them, as they are of the same runs, and
configurations by all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import inf, isfinite, nan

from expectations.detector.dating import AS_LIKELY, WINDOW, Dates, as_likely_of, common_date
from expectations.detector.early import MOST_AFTER, Early, LastRuns, shift_at
from expectations.detector.pooled import LEAST_SERIES, common_shift
from expectations.regressions.finding import LEVEL, Finding, Key
from expectations.regressions.series import Series

__all__ = ["date_together", "dates_of", "find_early_together"]

_LEAST_SCORE = 1.0  # of a member
_LIKELY = 0.5  # probability of a member


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
    families: dict[tuple[str, str, str], list[int]] = {}
    for i, one in enumerate(series):
        if one.key.whole:
            key = one.key
            families.setdefault((key.origin, key.campaign, key.metric), []).append(i)
    large = {name: of for name, of in families.items() if len(of) >= LEAST_SERIES}
    found: dict[int, tuple[Early, int]] = {}
    for (origin, campaign, _), members in large.items():
        of_campaign = sum(name[:2] == (origin, campaign) for name in large)
        builds = sorted({no for i in members for no in series[i].build_nos[-MOST_AFTER:]})
        builds = builds[-MOST_AFTER:]
        places = [[_runs_since(series[i], build) for build in builds] for i in members]
        rest = partial(_rest, series, starts, runs, signs, members, builds[0])
        shift = common_shift(runs, members, places, rest, of_campaign)
        if shift is None:
            continue
        chosen = [
            n
            for n, (chance, score) in enumerate(zip(shift.likely, shift.scores, strict=True))
            if (chance >= _LIKELY and score >= _LEAST_SCORE)
            or (series[members[n]].key in standing and score > 0)
        ]
        for n in chosen:
            i, k = members[n], places[n][shift.place] - 1
            doubt = 1 - shift.likely[n]
            of_one = shift_at(runs, i, k, len(series[i].values), signs[i], doubt)
            found[i] = of_one, len(chosen)
    return found


def _runs_since(series: Series, build: int) -> int:
    return sum(no >= build for no in series.build_nos[-2 * MOST_AFTER :])


def _rest(
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
        one = series[i]
        k = max((k for k in range(MOST_AFTER) if isfinite(runs.score[i, k])), default=0)
        off = {
            no: (signs[i] * value - runs.before[i, k]) / runs.noise[i, k]
            for value, no in zip(one.values[starts[i] :], one.build_nos[starts[i] :], strict=True)
        }
        rest.append([float(off.get(no, nan)) for no in numbers])
    return rest


def date_together(findings: Sequence[Finding], series: Mapping[Key, Series]) -> list[Finding]:
    """Return the findings with common dates where they can be of one change.

    Within a configuration the sharpest change dates those that it can be the date of. Those of
    several configurations in one metric are dated by all, and the interval of builds is that of
    their common likelihood.
    """
    told = [f for f in findings if f.kind != LEVEL or f.is_early or f.key not in series]
    shifts = [f for f in findings if f.kind == LEVEL and not f.is_early and f.key in series]
    shifts.sort(key=_configuration)
    clusters: list[list[Finding]] = []
    for _, of in groupby(shifts, key=_configuration):
        clusters += _of_one_configuration(list(of), series)
    clusters.sort(key=lambda of: _metric_of(of[0].key))
    for _, same in groupby(clusters, key=lambda of: _metric_of(of[0].key)):
        told += _of_all(list(same), series)
    order = {key: place for place, key in enumerate(series)}
    told = [_with_reach(f, series) for f in told]
    return sorted(told, key=lambda f: (order.get(f.key, len(order)), f.onset_utc))


def _with_reach(finding: Finding, series: Mapping[Key, Series]) -> Finding:
    """Return a finding with the builds that it may have begun with, as another story would."""
    one = series.get(finding.key)
    if one is None or finding.kind != LEVEL or finding.is_early:
        return finding
    places = [*dates_of(finding, one).likely(), one.place(finding.onset_utc)]
    builds = [one.build_nos[min(at, len(one.build_nos) - 1)] for at in places]
    return replace(
        finding, uncertain=(finding.onset_no - min(builds), max(builds) - finding.onset_no)
    )


def dates_of(finding: Finding, series: Series) -> Dates:
    """Return how likely other dates of a shift are."""
    assert finding.before is not None
    assert finding.after is not None
    onset = series.place(finding.onset_utc)
    first = max(onset - finding.runs_before, 0)
    levels = (finding.before, finding.after, finding.effect or 0.0)
    return Dates(series.values[first : _end(finding, series)], first, onset, *levels)


def _end(finding: Finding, series: Series) -> int:
    """Return the index after the last entry of a finding."""
    return (series.index(finding.run_ids[-1]) or 0) + 1


def _first_since(series: Series, builds: Sequence[int]) -> list[int]:
    """Return the index of the first run of each build or of a later one."""
    ordered = sorted(series.build_nos)
    return [bisect_left(ordered, build) for build in builds]


def _configuration(finding: Finding) -> tuple[str, ...]:
    return finding.key.origin, finding.key.campaign, finding.key.configuration_id


def _metric_of(key: Key) -> tuple[str, ...]:
    return key.origin, key.campaign, key.metric


def _sharpness(finding: Finding) -> float:
    return -(finding.effect or 0.0)


def _of_one_configuration(
    findings: list[Finding], series: Mapping[Key, Series]
) -> list[list[Finding]]:
    """Return clusters of changes of a configuration, each dated by its first and sharpest one."""
    clusters: list[list[Finding]] = []
    for finding in sorted(findings, key=_sharpness):
        one = series[finding.key]
        dates = dates_of(finding, one)
        cost, nearest = min(
            (
                (dates.cost(one.place(of[0].onset_utc)), n)
                for n, of in enumerate(clusters)
                if all(member.key != finding.key for member in of)
            ),
            default=(inf, 0),
        )
        if cost > AS_LIKELY:
            clusters.append([finding])
            continue
        lead = clusters[nearest][0]
        moved = _moved(finding, one, one.place(lead.onset_utc))
        clusters[nearest].append(replace(moved, last_good=lead.last_good, uncertain=lead.uncertain))
    return clusters


def _of_all(clusters: list[list[Finding]], series: Mapping[Key, Series]) -> list[Finding]:
    """Return the changes, with the date of all where several configurations can share one.

    No change counts more against a date than the least likely one of so many configurations would:
    so the date is that of most of them, and what cannot have begun then keeps its own.
    """
    told: list[Finding] = []
    left = sorted(clusters, key=lambda of: _sharpness(of[0]))
    metric = _metric_of(left[0][0].key) if left else ()
    most = as_likely_of(sum(key.whole for key in series if _metric_of(key) == metric))
    dates = {id(of): dates_of(of[0], series[of[0].key]) for of in left}
    while left:
        lead, left = left[0], left[1:]
        middle = lead[0].onset_no
        near = [
            of
            for of in left
            if abs(of[0].onset_no - middle) <= WINDOW
            and _configuration(of[0]) != _configuration(lead[0])
        ]
        members, date = [lead], (middle, middle, middle)
        if near:
            numbers = range(max(middle - WINDOW, 0), middle + WINDOW + 1)
            each = [
                [
                    min(dates[id(of)].cost(place), most)
                    for place in _first_since(series[of[0].key], numbers)
                ]
                for of in (lead, *near)
            ]
            best, earliest, latest = common_date(each)
            together = zip((lead, *near), each, strict=True)
            members = [of for of, own in together if own[best] < most]
            date = numbers[best], numbers[earliest], numbers[latest]
        if lead not in members or len(members) == 1:
            told += lead
            continue
        for of in members:
            told += [_at_build(f, series[f.key], *date) for f in of]
        left = [of for of in left if of not in members]
    return told


def _at_build(finding: Finding, series: Series, build: int, first: int, last: int) -> Finding:
    """Return a finding that begins with a build, and may have begun with the first to the last."""
    place, after_first = _first_since(series, [build, first])
    if not 0 < place < len(series.values):
        return finding
    before = max(after_first - 1, 0)
    moved = _moved(finding, series, place)
    return replace(
        moved, last_good=series.runs[before][-1], uncertain=(build - first, last - build)
    )


def _moved(finding: Finding, series: Series, place: int) -> Finding:
    """Return a finding that begins at another run."""
    if not 0 < place < len(series.values) or finding.onset_run_id in series.runs[place]:
        return finding
    onset = series.place(finding.onset_utc)
    end = _end(finding, series)
    if place >= end:
        return finding
    return replace(
        finding,
        **series.onset(place),
        runs_before=max(finding.runs_before + place - onset, 1),
        runs_after=max(finding.runs_after + onset - place, 1),
        run_ids=series.run_ids_of(place, end),
    )
