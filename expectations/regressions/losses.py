"""What a regression costs: the share of a week of its campaign that is lost to it.

The total is the CPU time of all runs of the last week for a cost, and their time for a rate. Of
what is neither, such as a wait or a heap, no total is known: it counts little. What its campaign
runs less often, or in shorter runs, matters less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

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
_CONFIGURATION = (*_CAMPAIGN, "configuration_id")
_Name = tuple[str, str, str]


class Losses:
    """The shares of configurations in the last week of their campaigns."""

    def __init__(self, series: Sequence[Series], runs: pl.DataFrame) -> None:
        """Take all series, and all runs as series.read_runs returns them."""
        last = pl.col("start_utc").max().over(_CAMPAIGN)
        recent = runs.filter(pl.col("start_utc") > last - _WEEK).group_by(*_CONFIGURATION)
        counts = recent.agg(pl.len(), pl.col("start_utc").min()).sort("start_utc").rows()
        begun: dict[tuple[str, ...], datetime] = {}
        for *name, _, start in counts:
            begun.setdefault(tuple(name[:2]), start)
        # By what is used, and configuration.
        self._used = defaultdict[str, dict[_Name, float]](dict)
        self._used[_RUNS] = {(a, b, c): count for a, b, c, count, _ in counts}
        self._wholes = defaultdict[tuple[_Name, str], float](float)
        for item in series:
            key, of = item.key, item.key.of_configuration
            if not key.whole or of not in self._used[_RUNS]:
                continue
            if key.metric in {_COST, _TIME}:
                self._used[key.metric][of] = sum(item.since(begun[key.of_campaign]).values)
            if is_cost(key.metric) and not is_of_verb(key.metric):
                whole = self._wholes[of, item.unit]
                self._wholes[of, item.unit] = max(whole, abs(mean_of(item.values)))

    def percent(self, row: Row) -> float:
        """Return what of its campaign's total a regression costs a week."""
        of = (row["origin"], row["campaign"], row["configuration_id"])
        metric, before, after = row["metric"], row["before"], row["after"]
        if row["kind"] == DATA or not before or not after:
            return _UNKNOWN * self._share(of, _RUNS)
        if is_cost(metric) and not is_of_verb(metric):
            whole = max(self._wholes.get((of, row["unit"]), 0.0), abs(before))
            return 100 * abs(after - before) / whole * self._share(of, _COST)
        change = 100 * abs(before / after - 1 if row["more_is_better"] else after / before - 1)
        if is_rate(metric) and row["kind"] != MODEL:
            return change * self._share(of, _TIME)
        return min(_OF_FIGURE * change, _UNKNOWN) * self._share(of, _RUNS)

    def _share(self, of: _Name, what: str) -> float:
        """Return the share of a configuration in a total; in the runs, if one has no total."""
        runs, used = self._used[_RUNS], self._used[what]
        campaign = [other for other in runs if other[:2] == of[:2]]
        used = used if all(used.get(other) for other in campaign) else runs
        return used.get(of, 0.0) / max(sum(used[other] for other in campaign), 1e-300)
