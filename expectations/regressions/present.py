"""What a change is at present: over, smaller than it was, or as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from expectations.detector.step import last_step
from expectations.regressions.finding import LEVEL, PAIR, SLOPE, Finding, Key, Recovery
from expectations.regressions.series import Series, mean_of

__all__ = ["Judged", "Level", "current_level", "find_recovery"]

_LEAST_BACK = 3  # smallest number of runs of a recovery
_LESS = 1e-3  # the same of a step from which a part is gone
_SURE = 1.645  # one-sided, standard normal: 5 %
_BACK = 1e-5  # probability that noise alone has the step from which runs are back
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


@dataclass(frozen=True, slots=True)
class _Shift:
    """A shift and its runs, on a scale on which 0 is the level before and 1 the one after.

    left: of each run; noise: standard deviation of a run; margin: what a level that counts as back
    can keep; onset: index of the first run.
    """

    left: list[float]
    noise: float
    margin: float
    onset: int
    runs_before: int

    @classmethod
    def of(
        cls,
        series: Series,
        onset: int,
        before: float,
        after: float,
        effect: float | None,
        runs_before: int,
        *,
        slopes: bool,
    ) -> _Shift:
        shift = after - before
        noise = max(1 / max(effect or 0.0, 1e-9), _LEAST_NOISE)
        least = max(_LEFT * abs(before / shift), _LEFT_OF_SLOPE * slopes)
        return cls(
            left=[(value - before) / shift for value in series.values],
            noise=noise,
            margin=min(_MOST_LEFT, max(_LEFT_OF_NOISE * noise, least)),
            onset=onset,
            runs_before=max(runs_before, 1),
        )

    def tail(self, start: int, end: int, level: float) -> int:
        """Return where the last step back among these runs begins; `start` without one.

        level: probability of a step in noise alone.
        """
        return start + last_step([-share for share in self.left[start:end]], self.noise, level)

    def is_back(self, start: int, end: int) -> bool:
        """Whether these runs are as good as the level before, or at most `margin` worse."""
        runs, part = end - start, self.left[start:end]
        if runs < _LEAST_BACK:
            return False
        middle, far = median(part), 3 * self.noise
        mean = mean_of([min(max(share, middle - far), middle + far) for share in part])
        error = self.noise * (1 / runs + 1 / self.runs_before) ** 0.5
        return mean + _SURE * error <= self.margin


def find_recovery(
    series: Series,
    levels: Sequence[Level],
    onset: int,
    before: float,
    after: float,
    effect: float | None,
    runs_before: int,
    *,
    slopes: bool = False,
) -> Recovery | None:
    """Return the first level after index `onset` that is as good as the level before it.

    effect: size of the shift in standard deviations of the noise; runs_before: runs of the level
    before; slopes: whether it is the change along a slope. A level is one of `levels`, or the runs
    from the last clear step back. It is as good if a one-sided test at 5 % rules out that it is
    worse by more than 1.5 times the noise of a run (or 1 %, if that is more; at most a third of the
    shift): the side of the two one-sided tests of equivalence that matters, as a better level is no
    less of a recovery.
    """
    if after == before:
        return None
    shift = _Shift.of(series, onset, before, after, effect, runs_before, slopes=slopes)
    end = len(series.values)
    starts = sorted({level.start for level in levels if level.start > onset})
    tail = shift.tail(starts[-1] if starts else onset, end, _BACK)
    stretches = [*pairwise([*starts, end])]
    if tail > onset and tail not in starts:
        stretches.append((tail, end))
    for start, stop in stretches:
        if shift.is_back(start, stop):
            level = mean_of(series.values[start:stop])
            return Recovery(series.runs[start][0], series.starts[start], level)
    return None


def current_level(
    finding: Finding, series: Series, levels: Sequence[Level], since: str = ""
) -> Finding:
    """Return a finding with its recovery, or with the level that remains after a part is gone.

    since: the first run of its present level, as it was known. A part is gone from a clear step
    back on, be it a level of the detector or too recent for one; what begins with a step for the
    worse is another change.
    """
    before, after = finding.before, finding.after
    if finding.recovery or finding.kind not in {LEVEL, PAIR, SLOPE} or not finding.effect:
        return finding
    if before is None or after is None or before == after:
        return finding
    onset, slopes = series.place(finding.onset_utc), finding.kind == SLOPE
    figures = (before, after, finding.effect, finding.runs_before)
    back = find_recovery(series, levels, onset, *figures, slopes=slopes)
    if back or slopes:
        return replace(finding, recovery=back)
    shift = _Shift.of(series, onset, *figures, slopes=False)
    start, end, value = onset, len(series.values), after
    for level in levels:
        if not onset < level.start <= end - _LEAST_BACK:
            continue
        if series.worse(value, level.value):
            end = level.start
            break
        start, value = level.start, level.value
    known = series.index(since)
    if known is not None and start < known < end:
        start = known
    last = start

    def left(start: int) -> tuple[float, float]:
        now = mean_of(series.values[start:end])
        return now, (now - before) / (after - before)

    start = shift.tail(start, end, _LESS)
    now, share = left(start)
    if share <= shift.margin and start != last > onset:
        # It may be over, and more runs will tell: until then it is as it was.
        start = last
        now, share = left(start)
    if start == onset or share >= 1:
        return finding
    if start != last:
        # The level of the finding may be a mean of both.
        was = mean_of(series.values[last:start])
        share = min(share, (now - before) / (was - before)) if was != before else share
    if (share > _SMALLER or share <= shift.margin) and start != known:
        return finding  # of about the same size, or it may be over, and more runs will tell
    return replace(
        finding,
        after=now,
        low=None if finding.low is None else finding.low + now - after,
        high=None if finding.high is None else finding.high + now - after,
        effect=finding.effect * (now - before) / (after - before),
        runs_after=end - start,
        run_ids=series.run_ids_of(start, end),
    )
