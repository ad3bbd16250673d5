"""What a change is at present: over, smaller than it was, or as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from expectations.detector.recovery import Shift
from expectations.regressions.finding import ENVIRONMENT, LEVEL, PAIR, SLOPE, Finding, Key, Recovery
from expectations.regressions.series import Series, mean_of

__all__ = ["Judged", "Level", "current_level", "with_recovery"]


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a series: index of its first run, and its value in the series' unit."""

    start: int
    value: float


#: Each series as it was judged, and its levels.
Judged = dict[Key, tuple[Series, list[Level]]]


def _shift(
    finding: Finding, series: Series, levels: Sequence[Level]
) -> tuple[Shift | None, list[int]]:
    """Return the shift of a finding, None if it has no two levels, and the starts of later ones."""
    is_sized = finding.kind in {LEVEL, PAIR, SLOPE, ENVIRONMENT} and finding.size and finding.effect
    if finding.recovery or not is_sized:
        return None, []
    onset, slopes = series.place(finding.onset_utc), finding.kind == SLOPE
    figures = (finding.before or 0.0, finding.after or 0.0), finding.effect or 0.0
    shift = Shift(series.values, onset, *figures, finding.runs_before, slopes=slopes)
    return shift, sorted({level.start for level in levels if level.start > onset})


def with_recovery(finding: Finding, series: Series, levels: Sequence[Level]) -> Finding:
    """Return a finding with its recovery: the first later level as good as the one before it."""
    shift, starts = _shift(finding, series, levels)
    back = shift.back(starts) if shift else None
    if back is None:
        return finding
    level = mean_of(series.values[back[0] : back[1]])
    recovery = Recovery(series.runs[back[0]][0], series.starts[back[0]], level)
    return replace(finding, recovery=recovery)


def current_level(
    finding: Finding, series: Series, levels: Sequence[Level], since: str = ""
) -> Finding:
    """Return a finding with its recovery, or with the level that remains after a part is gone.

    since: the first run of its present level, as it was known.
    """
    finding = with_recovery(finding, series, levels)
    shift, starts = _shift(finding, series, levels)
    if shift is None or finding.kind == SLOPE:
        return finding
    rest = shift.rest(starts, series.index(since))
    if rest is None:
        return finding
    runs = {"runs_after": rest[1] - rest[0], "run_ids": series.run_ids_of(*rest)}
    return finding.between(finding.before or 0.0, mean_of(series.values[slice(*rest)]), **runs)
