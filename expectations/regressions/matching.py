"""Which finding of a build is which known regression."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from expectations.regressions.finding import DATA, MODEL, SLOPE, Finding, Key
from expectations.regressions.states import FALSE_ALARM, FIXED, OPEN
from expectations.regressions.store import Row, key_of

__all__ = ["ALIKE", "GONE", "NEAR", "Numbers", "distance", "match"]

NEAR = 5  # changes of one series within this many builds can be the same change
_FAR = 10  # the same, if their levels are the same too
ALIKE = 0.5  # largest distance of the levels of one change, in its size
#: Share of a change: less in the same runs means that they have other figures. Of its runs: if no
#: more are there, the others were forgotten.
GONE = 0.25


class Numbers:
    """Numbers of builds in their campaigns, by time."""

    def __init__(self, runs: pl.DataFrame) -> None:
        self._campaigns = {
            (str(key[0]), str(key[1])): part.sort("start_utc")
            for key, part in runs.group_by("origin", "campaign")
        }
        self._known: dict[str, int] = {}
        self._runs = frozenset(runs.select("origin", "run_id").iter_rows())

    def holds(self, row: Row) -> bool:
        """Whether the build has a regression's runs, be it some that do not count."""
        held = sum((row["origin"], run) in self._runs for run in row["run_ids"])
        return held > GONE * len(row["run_ids"]) or not row["run_ids"]

    def of(self, row: Row) -> int:
        """Return the build number of a regression's onset, 0 without runs of its campaign."""
        name = row["regression_id"]
        if name not in self._known:
            self._known[name] = self._look_up(row)
        return self._known[name]

    def _look_up(self, row: Row) -> int:
        part = self._campaigns.get((row["origin"], row["campaign"]))
        if part is None:
            return 0
        same = part.filter(pl.col("run_id") == row["onset_run_id"])
        past = same if same.height else part.filter(pl.col("start_utc") <= row["onset_utc"])
        return int(past["build_no"].max() or 0)  # type: ignore[arg-type]


def match(
    findings: Sequence[Finding], known: Sequence[Row], numbers: Numbers
) -> dict[str, Finding]:
    """Match known regressions with the findings nearest to them."""
    by_key: dict[tuple[Key, bool, bool], list[Row]] = {}
    for row in known:
        kind = row["kind"]
        by_key.setdefault((key_of(row), kind == DATA, kind == MODEL), []).append(row)
    pairs = []
    for finding in findings:
        series = (finding.key, finding.kind == DATA, finding.kind == MODEL)
        for row in by_key.get(series, []):
            apart = _distance(finding, row, numbers)
            if apart is not None:
                closed = row["state"] not in OPEN
                order = (finding.is_early, apart, closed, row["onset_utc"])
                pairs.append((*order, row["regression_id"], finding))
    matches: dict[str, Finding] = {}
    taken: set[int] = set()
    for *_, regression_id, finding in sorted(pairs, key=lambda pair: pair[:5]):
        if regression_id not in matches and id(finding) not in taken:
            matches[regression_id] = finding
            taken.add(id(finding))
    return matches


def _distance(finding: Finding, row: Row, numbers: Numbers) -> int | None:
    """Return the number of builds between two changes of a series, None if they differ."""
    if finding.kind == MODEL:
        return 0 if row["state"] != FIXED else None
    if finding.kind == DATA:
        same = row["onset_run_id"] in finding.run_ids or finding.onset_run_id in row["run_ids"]
        return 0 if same else None
    apart = abs(numbers.of(row) - finding.onset_no)
    if row["state"] == FIXED and row["recovered_utc"] is not None:
        # What begins after the recovery is another change.
        return apart if finding.onset_utc < row["recovered_utc"] and apart <= NEAR else None
    if SLOPE in {finding.kind, row["kind"]}:
        # A level that drifts was first seen as a step, anywhere on the slope.
        on_slope = finding.onset_run_id in row["run_ids"] or row["onset_run_id"] in finding.run_ids
        # As runs come, the last line of a bent slope begins later.
        on_slope |= finding.kind == row["kind"] and row["state"] != FALSE_ALARM
        if row["state"] in OPEN and on_slope:
            return 0
        return apart + 1 if on_slope or apart <= NEAR else None
    if row["state"] in OPEN:
        return apart if apart <= NEAR else None
    alike = distance(finding, row)
    return (
        apart
        if (apart <= NEAR and alike <= ALIKE) or (apart <= _FAR and alike <= ALIKE / 2)
        else None
    )


def distance(finding: Finding, row: Row) -> float:
    """Return how far the levels of two changes are apart, in units of the known change."""
    levels = (finding.before, finding.after, row["before"], row["after"])
    if any(level is None for level in levels) or levels[2] == levels[3]:
        return 0.0
    before, after, was, then = levels
    return max(abs(before - was), abs(after - then)) / abs(then - was)
