"""Changes of the environment: shifts that builds which ran before and after them have, too.

They are findings of their own, and taken off before builds are judged: what a machine does neither
is a regression of a build nor ends one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from expectations.detector import Change, find_changes_many
from expectations.detector.repeated import shown_by_repeats
from expectations.detector.significance import NIGHTLY
from expectations.regressions.finding import ENVIRONMENT, Finding, Key
from expectations.regressions.levels import is_worse, shift_finding
from expectations.regressions.present import Level, with_recovery
from expectations.regressions.series import Series

__all__ = ["without_environment"]


def without_environment(
    series: Sequence[Series], least_percent: float, level: float
) -> tuple[list[Series], list[Finding]]:
    """Return series as they would be if the environment was as at first, and its changes.

    level: false discovery rate over the series of a campaign; changes for the better are taken off,
    but not among the findings.
    """
    repeated = [item for item in series if len(set(item.build_nos)) < len(item.values)]
    in_time = [item.in_time() for item in repeated]
    searched = find_changes_many(
        [item.values for item in in_time],
        alpha=NIGHTLY,
        level=level,
        families=[item.key.of_campaign for item in in_time],
    )
    findings, rest = list[Finding](), dict[Key, Series]()
    for item, timed, changes in zip(repeated, in_time, searched, strict=True):
        shifts = [change for change in changes.changes if change.kind == "level"]
        moved, rest[item.key] = (
            _taken_off(item, timed, shifts, changes.noise) if shifts else ([], item)
        )
        findings += [finding for change, finding in moved
                     if is_worse(item, change.before, change.after, least_percent)]  # fmt: skip
    return [rest.get(item.key, item) for item in series], findings


def _taken_off(
    series: Series, in_time: Series, shifts: Sequence[Change], noise: float
) -> tuple[list[tuple[Change, Finding]], Series]:
    """Return the shifts of the environment among those in time, and the series without them.

    A shift back to the level before one is of the environment, too.
    """
    levels = [Level(change.index, change.after) for change in shifts]
    repeats = _repeats(series, in_time, shifts)
    shown = shown_by_repeats(
        [repeat for _, repeat in repeats],
        [change.after - change.before for change in shifts],
        noise,
    )
    moved, values, over = list[tuple[Change, Finding]](), series.values, set[datetime]()
    for index, (change, is_shown) in enumerate(zip(shifts, shown, strict=True)):
        start = in_time.ran[change.index]
        if not is_shown or start in over:
            continue
        builds = {build for build, (_, first, then) in repeats if first <= index < then}
        cause = f"{ENVIRONMENT} (builds that ran before it differ as much: {len(builds)})"
        finding = replace(shift_finding(in_time, change, levels), kind=ENVIRONMENT, cause=cause)
        moved.append((change, finding := with_recovery(finding, in_time, levels)))
        end = finding.recovery.start_utc if finding.recovery else series.ends[-1]
        over.add(end)
        before, after = change.before, change.after
        scale = before / after if min(before, after) > 0 else 1.0
        values = [before + scale * (value - after) if start <= at < end else value
                  for value, at in zip(values, series.ran, strict=True)]  # fmt: skip
    return moved, replace(series, values=values)


def _repeats(
    series: Series, in_time: Series, shifts: Sequence[Change]
) -> list[tuple[tuple[int, str], tuple[float, int, int]]]:
    """Return the build of each later run of it, how far it is off, and the levels then and now.

    Runs that may be on either side of a shift are left out.
    """
    values, repeats = [shifts[0].before, *(change.after for change in shifts)], []
    first: dict[tuple[int, str], int | None] = {}
    builds = zip(series.build_nos, series.builds, strict=True)
    for build, at, value in zip(builds, series.ran, series.values, strict=True):
        last, following = bisect_right(in_time.ran, at) - 1, bisect_left(in_time.ran, at)
        level = sum(last >= change.latest for change in shifts)
        begun = sum(following >= change.earliest for change in shifts)
        then = level if level == begun else None
        was = first.setdefault(build, then)
        if was is not None and then is not None and then > was:
            repeats.append((build, (value - values[was], was, then)))
    return repeats
