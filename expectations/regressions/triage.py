"""Which findings of a build are new, which continue and which have disappeared, as events.

One pass: each known regression is observed (`observing`), what is observed leads to its next state
(`states.TRANSITIONS`), what is left of the findings is new, and groups are put in order (`groups`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from expectations.detector.significance import LEVEL as FALSE_DISCOVERIES
from expectations.detector.significance import passes_in_families
from expectations.regressions.faults import Labels, Stopped
from expectations.regressions.finding import (
    DATA,
    ENVIRONMENT,
    LEVEL,
    MODEL,
    SLOPE,
    Explain,
    Finding,
)
from expectations.regressions.groups import Groups
from expectations.regressions.matching import NEAR, Numbers, match
from expectations.regressions.observing import Memory, has_grown, observe
from expectations.regressions.present import Judged
from expectations.regressions.states import ACCEPTED, OPEN, SURE, TRANSITIONS
from expectations.regressions.store import DETECTOR, Row, key_of, parts_of, row_of

__all__ = ["triage"]

#: Share of the false discovery rate for the new findings of one check. A campaign is judged night
#: after night, and about ten looks in a season are independent of each other.
_OF_A_LOOK = 0.1
_SAME = ("regression_id", "group_id", "leads", "owner", "bug")


def triage(
    findings: Sequence[Finding],
    known: Sequence[Row],
    judged: Judged,
    runs: pl.DataFrame,
    build_id: str,
    explain: Explain,
    level: float = FALSE_DISCOVERIES,
    stopped: Mapping[tuple[str, ...], Stopped] | None = None,
    labels: Labels | None = None,
) -> list[Row]:
    """Return the events of a build; none if nothing changed.

    known: current state of each regression; judged: each series as it was judged (from its last
    accepted change on) and its levels; runs: as series.read_runs returns them; explain: adds the
    cause to a finding; level: false discovery rate among the new findings of a campaign; stopped:
    configurations that no longer run; labels: as read_labels returns them.
    """
    numbers, stopped = Numbers(runs), stopped or {}
    matches = match(findings, known, numbers)
    fresh = [item for item in findings if all(item is not taken for taken in matches.values())]
    for row in known:
        few = matches.get(row["regression_id"])
        if few and few.is_early and row["state"] in SURE and not has_grown(row, few):
            del matches[row["regression_id"]]  # they do not size again what has a level
    groups = Groups(known, judged, numbers, build_id, explain)
    causes: dict[str, str] = {}  # of the groups that were explained again

    def explain_again(row: Row, finding: Finding) -> Finding:
        if finding.kind == ENVIRONMENT:
            return finding
        if row["kind"] == ENVIRONMENT:
            return explain(finding)
        # The leader of a group is explained again once it has twice the runs; the group follows.
        twice = finding.runs_after >= 2 * row["runs_after"] > 0
        if row["leads"] and row["state"] in OPEN and twice and finding.kind not in {DATA, MODEL}:
            finding = explain(finding)
            causes[row["group_id"]] = finding.cause
            return finding
        cause = causes.get(row["group_id"]) or row["cause"] or ""
        return replace(finding, cause=cause, parts=parts_of(row))

    memory = Memory(known, judged, numbers, stopped, matches, explain_again)
    for row in sorted(known, key=lambda row: (not row["leads"], row["regression_id"])):
        observed = observe(row, memory)
        for observation, state in TRANSITIONS[row["state"]].items():
            if observation in observed:
                finding, note = observed[observation]
                more = {name: row[name] for name in _SAME} | {"note": note}
                if finding:
                    groups.add_event(row_of(finding, state, build_id, **more))
                else:
                    more |= {"state": state, "by": DETECTOR, "build_id": build_id}
                    groups.add_event(row | more)
                break
    rows = list(groups.rows.values())
    # What went on as another configuration is known there.
    gone = {name for name, stop in stopped.items() if stop.heir}
    fresh = [item for item in fresh if item.kind == DATA or item.key.of_configuration not in gone]
    groups.open(_without_repeats(_significant(fresh, judged, level), rows, numbers))
    groups.regroup(labels or {})
    return groups.events


def _significant(fresh: Sequence[Finding], judged: Judged, level: float) -> list[Finding]:
    """Limit the false discovery rate among the new findings of a campaign alone.

    Over all findings, every known shift would make it easier for a false one to pass. Series of one
    configuration that change with the same build count as one: they repeat each other. A finding
    that does not pass is judged again when there are more runs.
    """
    changes: dict[tuple[str, str, str, int], list[Finding]] = {}
    kept = []
    for finding in fresh:
        key = finding.key
        if finding.is_early or finding.kind not in {LEVEL, SLOPE}:
            kept.append(finding)
        else:
            change = (key.origin, key.campaign, key.configuration_id, finding.onset_no)
            changes.setdefault(change, []).append(finding)
    sizes = Counter[Hashable](key.of_campaign for key in judged)
    clearest = [
        min(1.0 if f.p_value is None else f.p_value for f in item) for item in changes.values()
    ]
    families = [name[:2] for name in changes]
    passing = passes_in_families(clearest, families, sizes, level * _OF_A_LOOK)
    return kept + [
        finding
        for members, passes in zip(changes.values(), passing, strict=True)
        for finding in members
        if passes
    ]


def _without_repeats(
    fresh: Sequence[Finding], rows: Sequence[Row], numbers: Numbers
) -> list[Finding]:
    """Return fresh findings without early ones beside another, or a regression that stands."""
    standing = [(item.key, item.onset_no) for item in fresh if not item.is_early]
    standing += [(key_of(row), numbers.of(row)) for row in rows if row["state"] in OPEN | ACCEPTED]
    return [
        item
        for item in fresh
        if not item.is_early
        or all(key != item.key or abs(no - item.onset_no) > NEAR for key, no in standing)
    ]
