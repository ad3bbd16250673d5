"""What a regression costs: the share of a week of its campaign that is lost to it.

The total is the CPU time of all runs of the last week for a cost, and their time for a rate. Of
what is neither, such as a wait or a heap, no total is known: it counts little. What its campaign
runs less often, or in shorter runs, matters less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

import polars as pl

from expectations.regressions.explain import is_cost, is_of_verb, is_rate
from expectations.regressions.finding import DATA, MODEL
from expectations.regressions.series import Series, mean_of
from expectations.regressions.store import Row

__all__ = ["Losses"]

_WEEK = timedelta(days=7)
_UNKNOWN, _OF_FIGURE = 5.0, 0.2  # per cent of the runs, at most; share of a change
_COST, _TIME, _RUNS = "cpu_seconds", "transfer_time", "runs"
_CAMPAIGN = ("origin", "campaign")

_Configuration = tuple[str, ...]  # origin, campaign, configuration_id


class Losses:
    """The shares of configurations in the last week of their campaigns."""

    def __init__(self, series: Sequence[Series], runs: pl.DataFrame) -> None:
        """Take all series, and all runs as series.read_runs returns them."""
        last = pl.col("start_utc").max().over(_CAMPAIGN)
        recent = runs.filter(pl.col("start_utc") > last - _WEEK)
        by_campaign = recent.group_by(_CAMPAIGN).agg(pl.col("start_utc").min())
        begun = {(origin, name): start for origin, name, start in by_campaign.iter_rows()}
        used: dict[str, dict[_Configuration, float]] = defaultdict(dict)
        for *name, count in recent.group_by(*_CAMPAIGN, "configuration_id").len().iter_rows():
            used[_RUNS][tuple(name)] = count
        self._wholes: dict[tuple[_Configuration, str], float] = defaultdict(float)
        for one in series:
            key = one.key
            of = (key.origin, key.campaign, key.configuration_id)
            if not key.whole or of not in used[_RUNS]:
                continue
            if key.metric in {_COST, _TIME}:
                used[key.metric][of] = sum(one.since(begun[of[0], of[1]]).values)
            if is_cost(key.metric) and not is_of_verb(key.metric):
                whole = abs(mean_of(one.values))
                self._wholes[of, one.unit] = max(whole, self._wholes[of, one.unit])
        self._used = used

    def percent(self, row: Row) -> float:
        """Return what of its campaign's total a regression costs a week."""
        of = (row["origin"], row["campaign"], row["configuration_id"])
        metric, before, after = row["metric"], row["before"], row["after"]
        if row["kind"] == DATA or not before or not after:
            return _UNKNOWN * self._share(of, _RUNS)
        if is_cost(metric) and not is_of_verb(metric):
            whole = self._wholes.get((of, row["unit"]), abs(before))
            return 100 * abs(after - before) / max(whole, abs(before)) * self._share(of, _COST)
        change = before / after - 1 if row["more_is_better"] else after / before - 1
        if is_rate(metric) and row["kind"] != MODEL:
            return 100 * abs(change) * self._share(of, _TIME)
        return min(100 * _OF_FIGURE * abs(change), _UNKNOWN) * self._share(of, _RUNS)

    def _share(self, of: _Configuration, what: str) -> float:
        """Return the share of a configuration in a total; in the runs, if one has no total."""
        campaign = [other for other in self._used[_RUNS] if other[:2] == of[:2]]
        used = self._used[what]
        if not all(used.get(other) for other in campaign):
            used = self._used[_RUNS]
        total = sum(used[other] for other in campaign)
        return used.get(of, 0.0) / total if total else 0.0
