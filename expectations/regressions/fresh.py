"""New findings: which of them count, and the group in which each is first told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from expectations.detector.significance import passes_in_families
from expectations.regressions.explain import priority
from expectations.regressions.finding import DATA, LEVEL, PAIR, SLOPE, Explain, Finding, Key
from expectations.regressions.groups import (
    Group,
    equals_leader,
    group_of,
    groups_of,
    outranks_leader,
    story_of,
)
from expectations.regressions.known import note_again, recovery_note
from expectations.regressions.matching import ALIKE, NEAR, Numbers, distance
from expectations.regressions.present import Judged
from expectations.regressions.states import ACCEPTED, FIXED, NEW, OPEN, SUSPECTED
from expectations.regressions.stopped import Stopped, key_of_heir
from expectations.regressions.store import DETECTOR, Row, key_of, row_of

__all__ = ["drop_doubles", "drop_inherited", "keep_significant", "open_new"]

_ALIKE_EARLY = 1.0  # as ALIKE, of a change that a few runs size badly
#: Share of the false discovery rate for the new findings of one check. A campaign is judged night
#: after night, and about ten looks in a season are independent of each other.
_OF_A_LOOK = 0.1


def drop_inherited(
    fresh: Sequence[Finding],
    known: Sequence[Row],
    events: Sequence[Row],
    stopped: Mapping[tuple[str, str, str], Stopped],
    numbers: Numbers,
) -> list[Finding]:
    """Return fresh findings without those that are known of the heir of their configuration."""
    places: dict[Key, list[int]] = {}
    for row in (*known, *events) if stopped else ():
        places.setdefault(key_of(row), []).append(numbers.of(row))
    kept = []
    for finding in fresh:
        key = finding.key
        one = stopped.get((key.origin, key.campaign, key.configuration_id))
        heir = key_of_heir(key, one) if one and one.heir else None
        near = places.get(heir, ()) if heir and finding.kind != DATA else ()
        if all(abs(place - finding.onset_no) > NEAR for place in near):
            kept.append(finding)
    return kept


def drop_doubles(fresh: Sequence[Finding], known: Sequence[Row], numbers: Numbers) -> list[Finding]:
    """Return fresh findings without early ones beside another one, or a regression that stands."""
    places = [(one.key, one.onset_no) for one in fresh if not one.is_early]
    places += [(key_of(row), numbers.of(row)) for row in known if row["state"] in OPEN | ACCEPTED]
    near: dict[Key, list[int]] = {}
    for key, place in places:
        near.setdefault(key, []).append(place)
    return [
        one
        for one in fresh
        if not one.is_early
        or all(abs(place - one.onset_no) > NEAR for place in near.get(one.key, ()))
    ]


def keep_significant(fresh: Sequence[Finding], judged: Judged, level: float) -> list[Finding]:
    """Limit the false discovery rate among the new findings of a campaign alone.

    Over all findings, every known shift would make it easier for a false one to pass. Series of one
    configuration that change with the same build count as one: they repeat each other. A finding
    that does not pass is judged again when there are more runs.
    """
    shifts = [f for f in fresh if f.kind in {LEVEL, SLOPE} and not f.is_early]
    others = [f for f in fresh if f.kind not in {LEVEL, SLOPE} or f.is_early]
    sizes = Counter[Hashable]((key.origin, key.campaign) for key in judged)
    changes: dict[tuple[str, str, str, int], list[Finding]] = {}
    for finding in shifts:
        key = finding.key
        change = (key.origin, key.campaign, key.configuration_id, finding.onset_no)
        changes.setdefault(change, []).append(finding)
    clearest = [
        min(1.0 if f.p_value is None else f.p_value for f in members)
        for members in changes.values()
    ]
    families = [(origin, campaign) for origin, campaign, *_ in changes]
    significant = passes_in_families(clearest, families, sizes, level * _OF_A_LOOK)
    return others + [
        finding
        for members, ok in zip(changes.values(), significant, strict=True)
        for finding in members
        if ok
    ]


def open_new(
    fresh: Sequence[Finding],
    known: Sequence[Row],
    events: Sequence[Row],
    judged: Judged,
    numbers: Numbers,
    build_id: str,
    explain: Explain,
) -> list[Row]:
    """Return the events of new findings: grouped, with a leader, numbered in each group.

    events: of the build so far.
    """
    current = {row["regression_id"]: row for row in (*known, *events)}
    groups = groups_of(list(current.values()), numbers)
    # Those that joined another group keep their numbers.
    counts = Counter(row["regression_id"].rpartition(".")[0] for row in known)
    leaders = {row["group_id"]: row for row in current.values() if row["leads"]}
    over: dict[Key, list[Row]] = {}
    for row in current.values():
        if row["state"] == FIXED and row["kind"] in {LEVEL, PAIR}:
            over.setdefault(key_of(row), []).append(row)
    said: list[Row] = []
    for finding in sorted(fresh, key=lambda f: (f.kind, *priority(f))):
        group = group_of(finding, groups, judged)
        outranks = group is not None and outranks_leader(finding, group)
        explained = explain(finding) if outranks or not group else finding
        if group and not outranks and not group.cause and equals_leader(finding, group):
            # What says where the change is leads rather than what does not.
            explained = explain(finding)
            outranks = bool(explained.cause)
        if group and not outranks:
            explained = replace(finding, cause=group.cause)
        group = group or next((of for of in groups if of.is_cause_of(explained)), None)
        group = group or story_of(explained, groups, judged)
        leads = group is None or outranks
        was = _was(finding, over.get(finding.key, ()))
        if group is None and was:
            group = replace(Group.new(explained, NEW), owner=was["owner"], bug=was["bug"])
        group = group or Group.new(explained, NEW)
        back = (
            f"back: {was['regression_id']}, fixed by run {was['recovered_run_id']}" if was else ""
        )
        counts[group.group_id] += 1
        same = {
            "regression_id": f"{group.group_id}.{counts[group.group_id]}",
            "group_id": group.group_id,
            "leads": leads,
            "owner": group.owner,
            "bug": group.bug,
        }
        if outranks:
            note = f"{same['regression_id']} leads the group"
            old = {**leaders[group.group_id], "leads": False, "note": note}
            said.append({**old, "by": DETECTOR, "build_id": build_id})
        if leads or explained.key.configuration_id != group.configuration_id:
            groups = [of for of in groups if not outranks or of.group_id != group.group_id]
            groups.append(replace(Group.new(explained, group.state), group_id=group.group_id,
                                  note=group.note, owner=group.owner, bug=group.bug))  # fmt: skip
        if group.state in ACCEPTED:
            note = f"with {group.group_id}: {group.note}"
            said.append(row_of(explained, group.state, build_id, **same, note=note))
        elif finding.is_early:
            note = "; ".join(filter(None, (back, note_again(explained))))
            said.append(row_of(explained, SUSPECTED, build_id, **same, note=note))
        else:
            said.append(row_of(explained, NEW, build_id, **same, note=back))
        if leads:
            leaders[group.group_id] = said[-1]
        if explained.recovery:
            note = recovery_note(explained.recovery, explained)
            said.append(row_of(explained, FIXED, build_id, **same, note=note))
    return said


def _was(finding: Finding, over: Sequence[Row]) -> Row | None:
    """Return the last change of a series that is over and had the same levels, if it is back."""
    alike = [
        row
        for row in over
        if finding.kind in {LEVEL, PAIR}
        and row["recovered_utc"] is not None
        and row["recovered_utc"] <= finding.onset_utc
        and distance(finding, row) <= (_ALIKE_EARLY if finding.is_early else ALIKE)
    ]
    return max(alike, key=lambda row: row["recovered_utc"], default=None)
