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
    drop_doubles,
    drop_inherited,
    keep_significant,
    open_new,
)
from expectations.regressions.known import (
    end_stopped,
    explain_again,
    has_grown,
    judge_seen,
    judge_unseen,
    restore_level_before,
)
from expectations.regressions.matching import Numbers, match
from expectations.regressions.present import Judged, current_level
from expectations.regressions.regrouped import (
    choose_leaders,
    join_groups,
    name_shared_levels,
    split_drifts,
)
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
            events += end_stopped(row, stop, judged, numbers, build_id)
        elif finding:
            finding = restore_level_before(row, finding, known)
            if finding.key in judged:
                finding = current_level(finding, *judged[finding.key], since=row["run_ids"][0])
            finding = explain_again(row, finding, causes, explain)
            events += judge_seen(row, finding, numbers, build_id)
        else:
            stands = row["group_id"] in stories
            events += judge_unseen(row, judged, matches, groups, numbers, build_id, stands=stands)
    fresh = [finding for finding in findings if id(finding) not in taken]
    fresh = drop_inherited(fresh, known, events, stopped, numbers)
    fresh = drop_doubles(keep_significant(fresh, judged, level), known, numbers)
    events += open_new(fresh, known, events, judged, numbers, build_id, explain)
    events += join_groups(known, events, judged, numbers, build_id)
    events += split_drifts(known, events, judged, numbers, build_id, explain)
    events += choose_leaders(known, events, build_id)
    return name_shared_levels(known, events, judged, labels or {}, build_id)
