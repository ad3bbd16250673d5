"""What a change is at present: over, smaller than it was, or as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from expectations.detector.step import last_step
from expectations.regressions.finding import LEVEL, PAIR, SLOPE, Finding, Key, Recovery
from expectations.regressions.series import Series, mean_of

__all__ = ["Judged", "Level", "current_level", "with_recovery"]

_LEAST_BACK = 3  # smallest number of runs of a recovery
_LESS = 1e-3  # probability that noise alone has the step from which a part is gone
_SURE = 1.645  # one-sided, standard normal: 5 %
_BACK = 1e-5  # as _LESS, of the step from which runs are back
_MOST_LEFT = 1 / 3  # largest share of a shift that a level counting as back can keep
_LEFT_OF_NOISE = 1.5  # standard deviations of the noise that it can be above the level before
_LEFT = 0.01  # of the level before: a smaller remainder does not matter
_LEFT_OF_SLOPE = 0.1  # of the change along a slope: where it began is not quite known
_SMALLER = 0.8  # share of a shift: a level that keeps less is a new size of it
_LEAST_NOISE = 1e-3  # of a shift


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a series: index of its first run, and its value in the series' unit."""

    start: int
    value: float


#: Each series as it was judged, and its levels.
Judged = dict[Key, tuple[Series, list[Level]]]


class _Shift:
    """A shift and its runs, on a scale on which 0 is the level before and 1 the one after.

    left: of each run; noise: standard deviation of a run; margin: what a level that counts as back
    can keep; onset: index of the first run.
    """

    def __init__(self, finding: Finding, series: Series) -> None:
        assert finding.before is not None
        assert finding.after is not None
        shift = finding.after - finding.before
        least = max(_LEFT * abs(finding.before / shift), _LEFT_OF_SLOPE * (finding.kind == SLOPE))
        self.left = [(value - finding.before) / shift for value in series.values]
        self.noise = max(1 / max(finding.effect or 0.0, 1e-9), _LEAST_NOISE)
        self.margin = min(_MOST_LEFT, max(_LEFT_OF_NOISE * self.noise, least))
        self.onset = series.place(finding.onset_utc)
        self._before = max(finding.runs_before, 1)

    def tail(self, start: int, end: int, level: float) -> int:
        """Return where the last step back among these runs begins; `start` without one."""
        return start + last_step([-share for share in self.left[start:end]], self.noise, level)

    def is_back(self, start: int, end: int) -> bool:
        """Whether these runs are as good as the level before, or at most `margin` worse."""
        runs, part = end - start, self.left[start:end]
        if runs < _LEAST_BACK:
            return False
        middle, far = median(part), 3 * self.noise
        mean = mean_of([min(max(share, middle - far), middle + far) for share in part])
        return mean + _SURE * self.noise * (1 / runs + 1 / self._before) ** 0.5 <= self.margin


def _is_sized(finding: Finding) -> bool:
    return finding.kind in {LEVEL, PAIR, SLOPE} and finding.size > 0 and bool(finding.effect)


def with_recovery(finding: Finding, series: Series, levels: Sequence[Level]) -> Finding:
    """Return a finding with its recovery: the first later level as good as the one before it.

    A level is one of `levels`, or the runs from the last clear step back. It is as good if a
    one-sided test at 5 % rules out that it is worse by more than 1.5 times the noise of a run (or
    1 %, if that is more; at most a third of the shift): the side of the two one-sided tests of
    equivalence that matters, as a better level is no less of a recovery.
    """
    if finding.recovery or not _is_sized(finding):
        return finding
    shift, end = _Shift(finding, series), len(series.values)
    starts = sorted({level.start for level in levels if level.start > shift.onset})
    stretches = [*pairwise([*starts, end])]
    tail = shift.tail(starts[-1] if starts else shift.onset, end, _BACK)
    if tail not in {shift.onset, *starts}:
        stretches.append((tail, end))
    for start, stop in stretches:
        if shift.is_back(start, stop):
            level = mean_of(series.values[start:stop])
            back = Recovery(series.runs[start][0], series.starts[start], level)
            return replace(finding, recovery=back)
    return finding


def current_level(
    finding: Finding, series: Series, levels: Sequence[Level], since: str = ""
) -> Finding:
    """Return a finding with its recovery, or with the level that remains after a part is gone.

    since: the first run of its present level, as it was known. A part is gone from a clear step
    back on, be it a level of the detector or too recent for one; what begins with a step for the
    worse is another change.
    """
    finding = with_recovery(finding, series, levels)
    if finding.recovery or finding.kind == SLOPE or not _is_sized(finding):
        return finding
    shift, end, value = _Shift(finding, series), len(series.values), finding.after or 0.0
    last = shift.onset
    for level in levels:
        if shift.onset < level.start <= end - _LEAST_BACK:
            if series.worse(value, level.value):
                end = level.start
                break
            last, value = level.start, level.value
    known = series.index(since)
    if known is not None and last < known < end:
        last = known
    start = shift.tail(last, end, _LESS)
    share = mean_of(shift.left[start:end])
    if share <= shift.margin and start != last > shift.onset:
        # It may be over, and more runs will tell: until then it is as it was.
        start = last
        share = mean_of(shift.left[start:end])
    if start == shift.onset or share >= 1:
        return finding
    lasting = share
    if start != last:
        # The level of the finding may be a mean of both.
        was = mean_of(shift.left[last:start])
        lasting = min(share, share / was) if was else share
    if (lasting > _SMALLER or lasting <= shift.margin) and start != known:
        return finding  # of about the same size, or it may be over, and more runs will tell
    return finding.between(
        finding.before or 0.0,
        mean_of(series.values[start:end]),
        runs_after=end - start,
        run_ids=series.run_ids_of(start, end),
    )
