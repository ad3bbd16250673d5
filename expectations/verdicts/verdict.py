"""The words of all verdicts, and what a verdict rests on."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AGREES", "ALARM", "ASSUMED", "BETTER", "BUILD_NOISE", "CHANGED", "DIFFERS",
           "DOCUMENT", "FAMILY", "NONE", "NOT_JUDGED", "OWN_RUNS", "SAME", "SERIES", "SUSPECTED",
           "UNDECIDED", "WARNING", "WITHIN", "WORSE", "Verdict", "quantile"]  # fmt: skip

#: Of two samples. CHANGED: of a metric of which neither direction is better.
BETTER, WORSE, SAME, CHANGED = "better", "worse", "same", "changed"
#: Of a sample against a print or a claim.
AGREES, DIFFERS = "agrees", "differs"
#: Of a figure against a limit.
WITHIN, WARNING, ALARM = "within", "warning", "alarm"
#: Of the last session of a series against its level: it may be noise.
SUSPECTED = "suspected"
#: Assumed relative standard deviation of builds where no history shows it.
BUILD_NOISE = 0.05
#: Of anything.
UNDECIDED, NOT_JUDGED = "undecided", "not judged"
#: Whose noise a verdict rests on. FAMILY: that of other series of the metric; ASSUMED: a number
#: that stands for what is not known.
OWN_RUNS, SERIES, FAMILY, DOCUMENT, ASSUMED, NONE = (
    "own runs", "series", "family", "document", "assumed", "none"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict, and what it rests on.

    baseline_runs, candidate_runs: figures on both sides, 0 of a print, claim or limit; baseline,
    candidate: their means, without outliers, in the metric's unit; estimate, low, high: the change
    from baseline to candidate and its 95 % interval, in `unit`: "%" of the baseline, "points", or
    the metric's unit (infinite where the noise is unknown); noise: standard deviation of a run, NaN
    if unknown (relative where `unit` is "%"); noise_source: whose it is; reason: in words; p_value:
    of no difference; effect: Hedges' g, in standard deviations, positive if the candidate is
    larger; error, freedom: standard error of the estimate on the scale of the test, and its degrees
    of freedom; more_runs: runs per side that would decide it if estimate and noise stay the same: 0
    if it is decided, None if a thousand would not.
    """

    verdict: str
    baseline_runs: int
    candidate_runs: int
    baseline: float
    candidate: float
    estimate: float
    low: float
    high: float
    unit: str
    noise: float
    noise_source: str
    reason: str
    p_value: float = 1.0
    effect: float = float("nan")
    error: float = float("inf")
    freedom: float = 0.0
    more_runs: int | None = 0


def quantile(tails: float, freedom: float) -> float:
    """Return the value that |t| exceeds with probability `tails`; `freedom`: degrees of freedom."""
    from scipy import special  # takes longer to import than words are worth

    return float(-special.stdtrit(freedom, tails / 2))
