"""What a comparison says: pairs of figures, their factors, and what could not be compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.results.sides import Side
from expectations.metrics import measure_of
from expectations.verdicts.measure import Measure
from expectations.verdicts.verdict import (
    BETTER,
    BUILD_NOISE,
    CHANGED,
    DIFFERS,
    WORSE,
    Verdict,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BUILDS", "CHANGE", "DECIDED", "ComparedRuns", "Pair", "Varied",
           "difference_of"]  # fmt: skip

#: The questions: do these builds differ, or does what changed between them differ in any build.
BUILDS, CHANGE = "builds", "change"
#: The verdicts that say that two figures are not the same, most important first.
DECIDED = (WORSE, BETTER, CHANGED, DIFFERS)


@dataclass(frozen=True, slots=True)
class Pair:
    """One metric of one configuration in `unit`, and the verdict; of all, if that is ''.

    more_is_better: None if neither is; baseline_values, candidate_values: one number per run;
    figure: where a published or predicted figure comes from; band: the model's 10-90 % band in
    `unit`; bounds: the least and the greatest ratio, where runs cover only part of some intervals.
    """

    configuration: str
    metric: str
    part: str
    unit: str
    more_is_better: bool | None
    judged: Verdict
    baseline_values: tuple[float, ...]
    candidate_values: tuple[float, ...]
    figure: str = ""
    band: tuple[float, float] | None = None
    bounds: tuple[float, float] | None = None

    @property
    def measure(self) -> Measure:
        """How its figures are compared."""
        return measure_of(self.metric, self.unit, self.more_is_better)

    @property
    def size(self) -> float:
        """How large the difference is: as a logarithm of the ratio, infinite from or to 0."""
        before, after = self.judged.baseline, self.judged.candidate
        if before == after:
            return 0.0
        return abs(math.log(after / before)) if before * after > 0 else math.inf


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
    of which that is not the same on both (value_source of marts.fct_measurement); question: BUILDS
    or CHANGE; pooled: metrics over all configurations, where three or more are compared; missing:
    figures that the baseline has and the candidate lacks in a configuration of both; assumed:
    factors that the runs do not state, with the level that a document says they have by default;
    obstacles: what keeps configurations from the printed figures nearest to them.
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
    question: str = CHANGE
    pooled: list[Pair] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    obstacles: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse, alone or over all configurations, or missing in a build."""
        return any(pair.judged.verdict == WORSE for pair in (*self.pairs, *self.pooled)) or (
            self.question == BUILDS and bool(self.missing)
        )

    def __repr__(self) -> str:
        counts = Counter(pair.judged.verdict for pair in self.pairs)
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        return f"<{self.candidate.name} against {self.baseline.name}: {verdicts}>"

    def frame(self) -> pl.DataFrame:
        """Return one row per pair: names, both sides' means, change, and the verdict.

        change, low, high: candidate less baseline and its 95 % interval in `change_unit`: %, points
        or the unit of the metric; null where they are not known. at_least, at_most: between
        what percent the change lies, where runs cover only part of some intervals.
        """
        import polars as pl

        kinds = {
            **dict.fromkeys(("configuration", "metric", "part", "figure", "unit"), pl.String),
            **dict.fromkeys(("baseline", "candidate", "change", "low", "high"), pl.Float64),
            **dict.fromkeys(("change_unit", "verdict", "reason", "noise_source"), pl.String),
            "baseline_runs": pl.Int64,
            "candidate_runs": pl.Int64,
            **dict.fromkeys(("at_least", "at_most"), pl.Float64),
        }
        rows = [
            (
                *(pair.configuration, pair.metric, pair.part, pair.figure, pair.unit),
                *(pair.judged.baseline, pair.judged.candidate),
                *(
                    value if math.isfinite(value) else None
                    for value in (pair.judged.estimate, pair.judged.low, pair.judged.high)
                ),
                *(pair.judged.unit, pair.judged.verdict, pair.judged.reason),
                *(pair.judged.noise_source, pair.judged.baseline_runs, pair.judged.candidate_runs),
                *(100 * (ratio - 1) for ratio in pair.bounds or ()),
                *(() if pair.bounds else (None, None)),
            )
            for pair in self.pairs
        ]
        return pl.DataFrame(rows, kinds, orient="row")


def difference_of(judged: Verdict, *, with_interval: bool = False) -> str:
    """Return an estimate with its unit, or the ends of its interval, "unknown" without one."""
    ends = (judged.low, judged.high) if with_interval else (judged.estimate,)
    if not all(map(math.isfinite, ends)):
        return "unknown"
    digits = "+.1f" if judged.unit == "%" else "+.3g"
    return f"{' to '.join(f'{end:{digits}}' for end in ends)} {judged.unit}".strip()
