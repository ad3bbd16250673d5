"""Which findings of a build are new, which continue and which have disappeared, as events.

The states are those of expectations.regressions.states. Findings are matched with known regressions
(`matching`), which go on or end (`known`); what is left is new (`fresh`), and groups are put in
order (`regrouped`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from expectations.detector.significance import LEVEL as FALSE_DISCOVERIES
from expectations.regressions.finding import DATA, MODEL, Explain, Finding
from expectations.regressions.fresh import (
    first_seen,
    significant,
    without_doubles,
    without_inherited,
)
from expectations.regressions.known import (
    against_level_before,
    continued,
    disappeared,
    ended,
    explained_again,
    has_grown,
)
from expectations.regressions.matching import Numbers, match
from expectations.regressions.present import Judged, as_it_is_now
from expectations.regressions.regrouped import joined, led_again, parted, placed
from expectations.regressions.states import OPEN, SURE
from expectations.regressions.stopped import Stopped
from expectations.regressions.store import Row

__all__ = ["triage"]


def triage(
    findings: Sequence[Finding],
    known: Sequence[Row],
    judged: Judged,
    runs: pl.DataFrame,
    build_id: str,
    explain: Explain,
    level: float = FALSE_DISCOVERIES,
    stopped: Mapping[tuple[str, str, str], Stopped] | None = None,
    labels: Mapping[str, Mapping[str, str]] | None = None,
) -> list[Row]:
    """Return the events of a build; none if nothing changed.

    known: current state of each regression; judged: each series as it was judged (from its last
    accepted change on) and its levels; runs: as series.read_runs returns them; explain: adds the
    cause to a finding; level: false discovery rate among the new findings of a campaign; stopped:
    configurations that no longer run; labels: as read_labels returns them.
    """
    stopped = stopped or {}
    numbers = Numbers(runs)
    matches = match(findings, known, numbers)
    taken = {id(finding) for finding in matches.values()}
    for row in known:
        few = matches.get(row["regression_id"])
        if few and few.is_early and row["state"] in SURE and not has_grown(row, few):
            del matches[row["regression_id"]]  # they do not size again what has a level
    stories = {row["group_id"] for row in known if row["state"] in SURE}
    groups = {row["regression_id"]: row["group_id"] for row in known}
    events = list[Row]()
    causes: dict[str, str] = {}  # of the groups that were explained again
    for row in sorted(known, key=lambda row: (not row["leads"], row["regression_id"])):
        finding = matches.get(row["regression_id"])
        stop = stopped.get((row["origin"], row["campaign"], row["configuration_id"]))
        if (
            stop
            and numbers.holds(row)
            and row["state"] in OPEN
            and row["kind"] not in {DATA, MODEL}
        ):
            events += ended(row, stop, judged, numbers, build_id)
        elif finding:
            finding = against_level_before(row, finding, known)
            if finding.key in judged:
                finding = as_it_is_now(finding, *judged[finding.key], since=row["run_ids"][0])
            finding = explained_again(row, finding, causes, explain)
            events += continued(row, finding, numbers, build_id)
        else:
            stands = row["group_id"] in stories
            events += disappeared(row, judged, matches, groups, numbers, build_id, stands=stands)
    fresh = [finding for finding in findings if id(finding) not in taken]
    fresh = without_inherited(fresh, known, events, stopped, numbers)
    fresh = without_doubles(significant(fresh, judged, level), known, numbers)
    events += first_seen(fresh, known, events, judged, numbers, build_id, explain)
    events += joined(known, events, judged, numbers, build_id)
    events += parted(known, events, judged, numbers, build_id, explain)
    events += led_again(known, events, build_id)
    return placed(known, events, judged, labels or {}, build_id)
