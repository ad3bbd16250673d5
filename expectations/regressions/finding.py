"""A finding: a change for the worse in one series of one build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from expectations.metrics import figure_label, from_to, unit_label

__all__ = ["CLEAR", "DATA", "ENVIRONMENT", "LEVEL", "MODEL", "PAIR", "SHOWN", "SLOPE", "Explain",
           "Finding", "Key", "Part", "Recovery"]  # fmt: skip

LEVEL, PAIR, SLOPE, MODEL, DATA = "level", "pair", "slope", "model", "data"
ENVIRONMENT = "environment"
CLEAR = 2.0  # deviations of the noise, along a slope or of another metric
SHOWN = 5  # names in a message, at most


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """A series: one metric of one configuration.

    system_id and address_space are '' for the whole run; metric is '' for findings on runs instead
    of metrics (kind "data").
    """

    origin: str
    campaign: str
    configuration_id: str
    metric: str = ""
    system_id: str = ""
    address_space: str = ""

    @property
    def whole(self) -> bool:
        """Whether the metric is of the whole run, not of a part of it."""
        return not (self.system_id or self.address_space)

    @property
    def of_campaign(self) -> tuple[str, str]:
        """Origin and campaign."""
        return self.origin, self.campaign

    @property
    def of_configuration(self) -> tuple[str, str, str]:
        """Origin, campaign and configuration."""
        return self.origin, self.campaign, self.configuration_id

    @property
    def of_metric(self) -> tuple[str, str, str]:
        """Origin, campaign and metric."""
        return self.origin, self.campaign, self.metric


@dataclass(frozen=True, slots=True)
class Recovery:
    """The recovery of a series: first run, its start (UTC), level in the series' unit."""

    run_id: str
    start_utc: datetime
    level: float


@dataclass(frozen=True, slots=True)
class Part:
    """A change that goes with a finding: of a part of the same metric, or of another metric.

    what: name of the part; dimension: name of the split, or "figure" for another metric; before,
    after: means, in `unit`; effect: shift in standard deviations of the earlier runs; share: of the
    finding's shift, None for another metric.
    """

    what: str
    dimension: str
    before: float
    after: float
    unit: str
    effect: float
    share: float | None

    def __str__(self) -> str:
        if self.share is None or self.dimension == "wait":  # waits overlap, so shares mean little
            return self.what
        return f"{self.what} ({100 * self.share:.0f} %)"


@dataclass(frozen=True, slots=True)
class Finding:
    """A change for the worse. Fields with the name of a column of an event are what is in it.

    kind: level, pair, slope, environment, model or data. onset_*: first run of the new level, its
    start (UTC), its build (git revision; '' if unknown), the first and last build that it may have
    begun with at 95 %, and the number of its build in its campaign; last_good_run_id: the last run
    that is certain to be before it, which may be more than one run earlier; uncertain: numbers of
    builds that it may have begun earlier and later, to be told with others. before, after: levels,
    or both ends of a slope; low, high: 95 % confidence interval of after - before, all in `unit`;
    effect: shift in standard deviations of the noise; p_value: corrected for the search; runs_*:
    number of runs at both levels; run_ids: runs at the new level. what: the finding in words, for
    kinds without two levels and for slopes. recovery: None while the change lasts. cause: location
    of most of the change, '' if unknown; parts: see explain. is_early: found in too few runs for a
    level; together: number of configurations that show it at once, if only all of them prove it.
    """

    kind: str
    key: Key
    configuration: str
    onset_run_id: str
    onset_utc: datetime
    onset_build: str
    onset_no: int
    onset_first_build: str = ""
    onset_last_build: str = ""
    last_good_run_id: str = ""
    uncertain: tuple[int, int] = (0, 0)
    unit: str = ""
    more_is_better: bool | None = None
    before: float | None = None
    after: float | None = None
    low: float | None = None
    high: float | None = None
    effect: float | None = None
    p_value: float | None = None
    runs_before: int = 0
    runs_after: int = 0
    run_ids: tuple[str, ...] = ()
    what: str = ""
    recovery: Recovery | None = None
    cause: str = ""
    parts: tuple[Part, ...] = ()
    is_early: bool = False
    together: int = 1

    @property
    def size(self) -> float:
        """How far the levels are apart, 0 without two."""
        return 0.0 if self.before is None or self.after is None else abs(self.after - self.before)

    def between(self, before: float, after: float, **more: Any) -> Finding:
        """Return a change of two levels with others, in the same noise."""
        assert self.before is not None
        assert self.after is not None
        grown = (after - before) - (self.after - self.before)
        return replace(
            self,
            before=before,
            after=after,
            low=None if self.low is None else self.low + grown,
            high=None if self.high is None else self.high + grown,
            effect=(self.effect or 0.0) * abs(after - before) / max(self.size, 1e-300),
            **more,
        )

    @property
    def change_percent(self) -> float | None:
        """100 * (after / before - 1); None without two levels."""
        if self.before is None or self.after is None or not self.before:
            return None
        return 100 * (self.after / self.before - 1)

    @property
    def message(self) -> str:
        """The finding in one line: series, size, interval, onset, number of runs, cause."""
        key = self.key
        series = figure_label(key.metric, key.system_id, key.address_space)
        since = f"since run {self.onset_run_id} of {self.onset_utc:%Y-%m-%d %H:%M} UTC"
        since += f", build {self.onset_build}" if self.onset_build else ""
        first, last = self.onset_first_build, self.onset_last_build
        since += f" (one of {first} to {last})" if first != last else ""
        head = f"{series}, {self.configuration} ({key.campaign}, {key.origin})"
        if self.what or self.before is None or self.after is None:
            return f"{head}: {self.what}, {since}"
        sizes = [f"{self.change_percent:+.1f} %"] if self.change_percent is not None else []
        if self.low is not None and self.high is not None:
            # A change from zero has no percentage.
            scale, unit = (100 / self.before, "%") if self.before else (1.0, self.unit)
            low, high = sorted((scale * self.low, scale * self.high))
            digits = "+.1f" if self.before else "+.3g"
            sizes.append(f"95 % confidence interval {low:{digits}} to {high:{digits}} {unit}")
        size = f" ({', '.join(sizes)})" if sizes else ""
        cause = f"; mostly {self.cause}" if self.cause else ""
        points = "sessions of runs" if len(self.run_ids) > self.runs_after else "runs"
        return (
            f"{head}: {from_to(self.before, self.after)} "
            f"{unit_label(self.unit)}{size}"
            f", {since}; {self.runs_before} {points} before, {self.runs_after} after{cause}"
        )


Explain = Callable[[Finding], Finding]  # adds the cause
