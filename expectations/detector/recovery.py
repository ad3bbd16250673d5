"""What is left of a shift in the runs after it: nothing, a part, or all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

from expectations.detector.early import LEAST_BEFORE
from expectations.detector.step import LEAST_LEVEL, last_step

__all__ = ["SMALLER", "Shift"]

_LESS = 1e-3  # probability that noise alone has the step from which a part is gone
_BACK = 1e-5  # the same of the step from which runs are back, which closes a regression
_SURE = 1.645  # one-sided, standard normal: 5 %
_MOST_LEFT = 1 / 3  # largest share of a shift that a level counting as back can keep
_LEFT_OF_NOISE = 1.5  # standard deviations of the noise that it can be above the level before
_LEFT = 0.01  # of the level before: a smaller remainder does not matter
_LEFT_OF_SLOPE = 0.1  # of the change along a slope: where it began is not quite known
SMALLER = 0.8  # share of a shift: a level that keeps less is a new size of it
_HALF = 0.5
_LEAST_NOISE = 1e-3  # of a shift: figures without noise are rounded


class Shift:
    """A shift and its runs, on a scale on which 0 is the level before and 1 the one after."""

    def __init__(
        self, values: Sequence[float], onset: int, levels: tuple[float, float], effect: float,
        runs_before: int, *, slopes: bool = False,
    ) -> None:  # fmt: skip
        """Take a series and a shift in it.

        onset: index of the first run after it; levels: before and after it, or both ends of a slope
        (slopes); effect: size in standard deviations of the noise; runs_before: of the level before
        it.
        """
        before, after = levels
        least = max(_LEFT * abs(before / (after - before)), _LEFT_OF_SLOPE * slopes)
        self._left = [(value - before) / (after - before) for value in values]
        self._noise = max(1 / max(effect, 1e-9), _LEAST_NOISE)
        self._margin = min(_MOST_LEFT, max(_LEFT_OF_NOISE * self._noise, least))
        self._onset, self._before = onset, max(runs_before, 1)

    def back(self, starts: Sequence[int]) -> tuple[int, int] | None:
        """Return the first later level as good as the one before the shift, None without one.

        starts: of the later levels. A level is one of these, or the runs from the last clear step
        back. It is as good if a one-sided test at 5 % rules out that it is worse by more than 1.5
        times the noise of a run (or 1 %, if that is more; at most a third of the shift): the side
        of the two one-sided tests of equivalence that matters, as a better level is no less of a
        recovery. One of fewer than 12 runs in a longer one that goes on after it is a dip.
        """
        end = len(self._left)
        stretches = [stretch for stretch in pairwise([*starts, end]) if self._lasts(*stretch)]
        tail = self._tail(starts[-1] if starts else self._onset, end, _BACK)
        if tail not in {self._onset, *starts}:
            stretches.append((tail, end))
        return next((item for item in stretches if self._is_back(*item)), None)

    def rest(self, starts: Sequence[int], since: int | None) -> tuple[int, int] | None:
        """Return the runs of the level that remains after a part is gone, None if it is as it was.

        since: the first run of its present level, as it was known. A part is gone from a clear step
        back on, be it a level of the detector or too recent for one; what begins with a step for
        the worse is another change.
        """
        last, end, value = self._onset, len(self._left), 1.0
        for start, stop in pairwise([*starts, len(self._left)]):
            if start <= end - LEAST_LEVEL:
                level = fmean(self._left[start:stop])
                if level > value:
                    end = start
                    break
                last, value = start, level
        if since is not None and last < since < end:
            last = since
        start = self._tail(last, end, _LESS)
        if fmean(self._left[start:end]) <= self._margin and start != last > self._onset:
            start = last  # it may be over, and more runs will tell: until then it is as it was
        share = lasting = fmean(self._left[start:end])
        if start == self._onset or share >= 1:
            return None
        if start != last:
            # The level after the shift may be a mean of both.
            was = fmean(self._left[last:start])
            lasting = min(share, share / was) if was else share
        as_it_was = lasting > SMALLER or lasting <= self._margin
        return None if as_it_was and start != since else (start, end)

    def _tail(self, start: int, end: int, level: float) -> int:
        """Return where the last step back among these runs begins; `start` without one."""
        return start + last_step([-share for share in self._left[start:end]], self._noise, level)

    def _lasts(self, start: int, end: int) -> bool:
        """Whether a level is no dip in a longer one that goes on with most of the shift."""
        later, longest = self._left[end:], max(start - self._onset, end - start)
        is_dip = longest > end - start < LEAST_BEFORE <= longest
        return not (is_dip and later and fmean(later) > _HALF)

    def _is_back(self, start: int, end: int) -> bool:
        """Whether these runs are as good as the level before, or at most the margin worse."""
        runs, part = end - start, self._left[start:end]
        if runs < LEAST_LEVEL:
            return False
        middle, far = median(part), 3 * self._noise
        mean = fmean(min(max(share, middle - far), middle + far) for share in part)
        return mean + _SURE * self._noise * (1 / runs + 1 / self._before) ** 0.5 <= self._margin
