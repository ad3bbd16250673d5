"""Which finding of a build is which known regression."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from expectations.regressions.finding import DATA, ENVIRONMENT, MODEL, SLOPE, Finding, Key
from expectations.regressions.series import LEAST_RUNS
from expectations.regressions.states import FALSE_ALARM, FIXED, OPEN
from expectations.regressions.store import Row, finding_of, key_of

__all__ = ["ALIKE", "GONE", "NEAR", "UNLIKELY", "Numbers", "distance", "match"]

NEAR = 5  # changes of one series within this many builds can be the same change
ALIKE = 0.5  # largest distance of the levels of one change, in its size
#: Probability that a series has no part in a change of many, or that configurations drawn at random
#: share a level, below which it has, and they do.
UNLIKELY = 0.01
#: Share of a change: less in the same runs means that they have other figures. Of its runs: if no
#: more are there, the others were forgotten.
GONE = 0.25


class Numbers:
    """Numbers of builds in their campaigns, by run and by name."""

    def __init__(self, runs: pl.DataFrame) -> None:
        self._of = dict[tuple[str, ...], int]()
        names = ("origin", "campaign", "run_id", "build", "build_no")
        for origin, campaign, run, build, no in runs.select(names).iter_rows():
            self._of |= {(origin, run): no, (origin, campaign, build): no}

    def holds(self, row: Row) -> bool:
        """Whether the build has a regression's runs, be it some that do not count."""
        held = sum((row["origin"], run) in self._of for run in row["run_ids"])
        return held > GONE * len(row["run_ids"]) or not row["run_ids"]

    def of(self, row: Row) -> int:
        """Return the build number of a regression's onset, 0 without runs of it."""
        run, build = row["onset_run_id"], row["onset_build"]
        origin, campaign = row["origin"], row["campaign"]
        return self._of.get((origin, run)) or self._of.get((origin, campaign, build), 0)

    def between(self, key: Key, first: str, last: str) -> int:
        """Return how many builds there are from one to another, 0 if they are not known."""
        start, end = (self._of.get((*key.of_campaign, name)) for name in (first, last))
        return 0 if start is None or end is None else end - start + 1

    def finding_of(self, row: Row) -> Finding:
        """Return the finding behind an event."""
        return finding_of(row, self.of(row))


def match(
    findings: Sequence[Finding], known: Sequence[Row], numbers: Numbers
) -> dict[str, Finding]:
    """Match known regressions with the findings nearest to them, by their IDs."""
    by_key: dict[tuple[Key, bool, bool], list[Row]] = {}
    for row in known:
        series = (key_of(row), row["kind"] == DATA, row["kind"] == MODEL)
        by_key.setdefault(series, []).append(row)
    pairs = []
    for finding in findings:
        series = (finding.key, finding.kind == DATA, finding.kind == MODEL)
        for row in by_key.get(series, []):
            apart = _distance(finding, row, numbers)
            if apart is not None:
                closed = row["state"] not in OPEN
                order = (finding.is_early, apart, closed, row["onset_utc"], row["regression_id"])
                pairs.append((order, finding))
    matches: dict[str, Finding] = {}
    for (*_, name), finding in sorted(pairs, key=lambda pair: pair[0]):
        if name not in matches and all(finding is not taken for taken in matches.values()):
            matches[name] = finding
    return matches


def _distance(finding: Finding, row: Row, numbers: Numbers) -> int | None:
    """Return the number of builds between two changes of a series, None if they differ."""
    if finding.kind == MODEL:
        return 0 if row["state"] != FIXED else None
    onset_there = row["onset_run_id"] in finding.run_ids
    shares_runs = onset_there or finding.onset_run_id in row["run_ids"]
    if finding.kind == DATA or finding.kind == row["kind"] == ENVIRONMENT:
        return 0 if shares_runs else None
    apart, is_open = abs(numbers.of(row) - finding.onset_no), row["state"] in OPEN
    earlier, later = (max(item, NEAR) for item in finding.uncertain)
    near = -earlier <= numbers.of(row) - finding.onset_no <= later
    if row["state"] == FIXED and row["recovered_utc"] is not None:
        # What begins after the recovery is another change.
        return apart if near and finding.onset_utc < row["recovered_utc"] else None
    if SLOPE in {finding.kind, row["kind"]}:
        # A level that drifts was first seen as a step, anywhere on the slope. As runs come, the
        # last line of a bent slope begins later.
        on_slope = shares_runs or (finding.kind == row["kind"] and row["state"] != FALSE_ALARM)
        return (0 if is_open and on_slope else apart + 1) if near or on_slope else None
    alike = distance(finding, row)
    if is_open:
        # Its runs can be a part of those of a level that runs which came late date otherwise.
        near |= alike <= ALIKE and set(row["run_ids"]) <= set(finding.run_ids)
    else:
        near = (near and alike <= ALIKE) or (apart < LEAST_RUNS and alike <= ALIKE / 2)
    return apart if near else None


def distance(finding: Finding, row: Row) -> float:
    """Return how far the levels of two changes are apart, in units of the known change."""
    before, after, was, then = finding.before, finding.after, row["before"], row["after"]
    if before is None or after is None or was is None or then is None or was == then:
        return 0.0
    return float(max(abs(before - was), abs(after - then)) / abs(then - was))
