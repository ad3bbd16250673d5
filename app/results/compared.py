"""What a comparison says: pairs of figures, their factors, and what could not be compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.results.sides import Side
from expectations.detector import Comparison
from expectations.detector.permutation import LEAST_NOISE
from expectations.detector.student import quantile

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ASSUMED", "BUILD_NOISE", "CHANGED", "EARLIER", "FIGURE", "NOT_JUDGED", "OTHERS",
           "ComparedRuns", "Pair", "Varied", "interval"]  # fmt: skip

#: The verdict on a metric that is neither good nor bad, if it differs.
CHANGED = "changed"
#: Of a total that grows with the work of a run: it is shown, not judged.
NOT_JUDGED = "not judged"
#: What is said of a single figure beside runs: its place in their 95 % interval.
FIGURE = ("figure below", "figure above", "figure inside", "no interval")
#: Assumed relative standard deviation between builds of which nothing is known.
BUILD_NOISE = 0.05
#: Where the noise between builds comes from.
EARLIER, OTHERS, ASSUMED = "earlier builds", "other configurations", "assumed"
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Pair:
    """One metric of one configuration: the geometric mean of each side in `unit`, and the verdict.

    more_is_better: None if neither is; baseline_values, candidate_values: one number per run;
    figure: where a published or predicted figure comes from; band: the model's 10-90 % band in
    `unit`; build_noise: where the noise between builds comes from that is part of the verdict,
    EARLIER, OTHERS or ASSUMED; '' if both sides are of the same builds, or it is given as 0;
    bounds: the least and the greatest ratio, where runs cover only part of some intervals.
    """

    configuration: str
    metric: str
    part: str
    unit: str
    more_is_better: bool | None
    baseline: float
    candidate: float
    judged: Comparison
    baseline_values: tuple[float, ...]
    candidate_values: tuple[float, ...]
    figure: str = ""
    band: tuple[float, float] | None = None
    build_noise: str = ""
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Varied:
    """A factor or label of the compared runs: its levels on each side.

    role: held (the same levels on both sides), differs, or ignored.
    """

    name: str
    role: str
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ComparedRuns:
    """The compared pairs, their factors, and the configurations that only one side has.

    incomplete: how many runs are left out because of their issues; build_noise: what was assumed of
    builds where too little is known; sources: where the values of each side come from, of metrics
    of which that is not the same on both (value_source of marts.fct_measurement).
    """

    baseline: Side
    candidate: Side
    pairs: list[Pair]
    only_baseline: list[str]
    only_candidate: list[str]
    incomplete: int
    factors: list[Varied]
    build_noise: float = BUILD_NOISE
    sources: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = Counter(pair.judged.verdict for pair in self.pairs)
        found = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        return f"<{self.candidate.name} against {self.baseline.name}: {found}>"

    def frame(self) -> pl.DataFrame:
        """Return one row per pair: names, both sides' geometric means, change in percent, verdict.

        low, high: the 95 % interval of `change`, in percent; null where it is not known. at_least,
        at_most: between what the change lies, where runs cover only part of some intervals.
        """
        import polars as pl

        kinds = {
            **dict.fromkeys(("configuration", "metric", "part", "figure", "unit"), pl.String),
            **dict.fromkeys(("baseline", "candidate", "change", "low", "high"), pl.Float64),
            "verdict": pl.String,
            "baseline_runs": pl.Int64,
            "candidate_runs": pl.Int64,
            **dict.fromkeys(("at_least", "at_most"), pl.Float64),
        }
        rows = [
            (
                *(pair.configuration, pair.metric, pair.part, pair.figure, pair.unit),
                *(pair.baseline, pair.candidate),
                *(
                    100 * (ratio - 1) if 0 < ratio < math.inf else None
                    for ratio in (pair.judged.ratio, pair.judged.low, pair.judged.high)
                ),
                *(pair.judged.verdict, pair.judged.baseline_runs, pair.judged.candidate_runs),
                *(100 * (ratio - 1) for ratio in pair.bounds or ()),
                *(() if pair.bounds else (None, None)),
            )
            for pair in self.pairs
        ]
        return pl.DataFrame(rows, kinds, orient="row")


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of logarithms of positive values; None of one value."""
    if len(values) < 2:
        return None
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((value - mean) ** 2 for value in logs) / (len(logs) - 1))
    reach = quantile(_ALPHA, len(logs) - 1) * max(spread, LEAST_NOISE) / math.sqrt(len(logs))
    return math.exp(mean - reach), math.exp(mean + reach)
