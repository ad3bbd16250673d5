"""Groups of regressions with the same build and cause, or of one drift.

Whether two changes are one is asked in one way, of what is new and of what is known: groups of the
same change are joined, a drift that a step turns out to have no part in leaves its group, and the
most informative regression leads.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

from expectations.detector.drift import (
    is_part_of_drift,
    is_step_alone,
    is_step_as_well,
    looks_like_drift,
)
from expectations.regressions.explain import place_of, priority, rank_of
from expectations.regressions.faults import Labels
from expectations.regressions.finding import DATA, LEVEL, MODEL, PAIR, SLOPE, Explain, Finding
from expectations.regressions.matching import ALIKE, NEAR, UNLIKELY, Numbers, distance
from expectations.regressions.observing import recovery_note, repeat_note
from expectations.regressions.present import Judged
from expectations.regressions.states import (
    ACCEPTED,
    FALSE_ALARM,
    FIXED,
    NEW,
    OPEN,
    SURE,
    SUSPECTED,
    WITHDRAWN,
)
from expectations.regressions.store import DETECTOR, Row, key_of, row_of

__all__ = ["Groups"]

_MOST = 70  # per cent of a change, from which its cause is certain
_TOGETHER = 1  # builds beyond the interval of a change that its date may be off
_IN = "; all configurations with "  # before the shared level, in a message


@dataclass(frozen=True, slots=True)
class _Head:
    """The leader of a group, or its first regression in another configuration.

    row: as it is now; finding: behind it; drifts: whether an open one of its group is a slope.
    """

    row: Row
    finding: Finding
    drifts: bool

    @property
    def group_id(self) -> str:
        return str(self.row["group_id"])

    @property
    def is_open(self) -> bool:
        return self.row["state"] in OPEN


class Groups:
    """The present regressions of a check in their groups, and the events that it adds."""

    def __init__(
        self, known: Sequence[Row], judged: Judged, numbers: Numbers, build_id: str,
        explain: Explain,
    ) -> None:  # fmt: skip
        """Take the present state of each regression; explain: adds the cause to a finding."""
        self.rows = {row["regression_id"]: row for row in known}
        self.events = list[Row]()
        self._judged, self._numbers = judged, numbers
        self._build_id, self._explain = build_id, explain
        # Those that joined another group keep their numbers.
        self._counts = Counter(name.rpartition(".")[0] for name in self.rows)

    def add_event(self, row: Row) -> None:
        """Add an event, which is the present state of its regression."""
        self.events.append(row)
        self.rows[row["regression_id"]] = row

    def amend(self, row: Row, note: str, **changes: object) -> None:
        """Change a regression: in its event of this check, if it has one."""
        same = {**row, **changes, "by": DETECTOR, "build_id": self._build_id, "note": note}
        at = next((i for i, event in enumerate(self.events) if event is row), None)
        if at is None:
            return self.add_event(same)
        same["note"] = "; ".join(filter(None, (row["note"], note)))
        self.events[at] = self.rows[row["regression_id"]] = same
        return None

    def _heads(self) -> list[_Head]:
        """Return the groups, once for each of their configurations.

        A group is where its leader is: along its members it would reach from one change to the
        next.
        """
        rows = self.rows.values()
        drifting = {
            row["group_id"]
            for row in rows
            if row["kind"] == SLOPE and row["state"] in OPEN | ACCEPTED
        }
        first: dict[tuple[str, str], Row] = {}
        for row in sorted(rows, key=lambda row: (not row["leads"], _number_in_group(row))):
            if row["state"] not in {FALSE_ALARM, WITHDRAWN}:
                first.setdefault((row["group_id"], row["configuration_id"]), row)
        return [
            _Head(row, self._numbers.finding_of(row), row["group_id"] in drifting)
            for row in first.values()
        ]

    def open(self, fresh: Sequence[Finding]) -> None:
        """Tell new findings: each in its group, with a leader, numbered."""
        heads = self._heads()
        for finding in sorted(fresh, key=lambda f: (f.kind, *priority(f))):
            head, explained, leads = self._group_of(finding, heads)
            row = self._first_event(explained, head, leads=leads)
            if head and leads:
                old = next(item for item in self.rows.values()
                           if item["leads"] and item["group_id"] == head.group_id)  # fmt: skip
                self.amend(old, f"{row['regression_id']} leads the group", leads=False)
                heads = [item for item in heads if item.group_id != head.group_id]
            self.add_event(row)
            same = head and head.finding.key.configuration_id == finding.key.configuration_id
            if leads or not same:
                state = head.row["state"] if head else NEW
                drifts = finding.kind == SLOPE
                heads.append(_Head({**row, "state": state}, explained, drifts))
            if explained.recovery:
                self.add_event({**row, "state": FIXED, "note": recovery_note(explained)})

    def _group_of(
        self, finding: Finding, heads: Sequence[_Head]
    ) -> tuple[_Head | None, Finding, bool]:
        """Return the group of a finding, the finding with its cause, and whether it leads."""
        head = self._nearest(finding, heads)
        if head is None:
            finding = self._explain(finding)
            head = next((item for item in heads if _is_cause_of(item, finding)), None)
            return head, finding, head is None
        rank, its = rank_of(finding.key), rank_of(head.finding.key)
        if _may_lead(finding, head) and rank <= its and (rank < its or not head.finding.cause):
            # What says where the change is leads rather than what does not.
            finding = self._explain(finding)
            if rank < its or finding.cause:
                return head, finding, True
        return head, replace(finding, cause=head.finding.cause), False

    def _first_event(self, finding: Finding, head: _Head | None, *, leads: bool) -> Row:
        """Return the first event of a regression."""
        was = self._earlier_change(finding)
        text = "\0".join((finding.kind, *map(str, (finding.key, finding.onset_run_id))))
        group_id = head.group_id if head else hashlib.sha256(text.encode()).hexdigest()[:8]
        self._counts[group_id] += 1
        notes = list[str]()
        if was:
            notes = [f"back: {was['regression_id']}, fixed by run {was['recovered_run_id']}"]
        of = head.row if head else was or {"owner": "", "bug": ""}
        state = NEW
        if head and head.row["state"] in ACCEPTED:
            state, notes = head.row["state"], [f"with {group_id}: {head.row['note']}"]
        elif finding.is_early:
            state, notes = SUSPECTED, [*notes, repeat_note(finding)]
        return row_of(
            finding, state, self._build_id,
            regression_id=f"{group_id}.{self._counts[group_id]}", group_id=group_id, leads=leads,
            owner=of["owner"], bug=of["bug"], note="; ".join(notes),
        )  # fmt: skip

    def _earlier_change(self, finding: Finding) -> Row | None:
        """Return the last change of a series that is over and had the same levels, if any.

        A few runs say little of a level.
        """
        alike = [
            row
            for row in self.rows.values()
            if row["state"] == FIXED
            and {finding.kind, row["kind"]} <= {LEVEL, PAIR}
            and key_of(row) == finding.key
            and row["recovered_utc"] is not None
            and row["recovered_utc"] <= finding.onset_utc
            and (finding.is_early or distance(finding, row) <= ALIKE)
        ]
        return max(alike, key=lambda row: row["recovered_utc"], default=None)

    def _nearest(self, finding: Finding, heads: Sequence[_Head]) -> _Head | None:
        """Return the nearest group that a finding belongs to, or whose drift it is part of."""
        key, slopes = finding.key, finding.kind == SLOPE
        near = [
            head
            for head in heads
            if _is_near(head, finding)
            and (finding.kind == DATA or head.finding.key.configuration_id == key.configuration_id)
        ]
        if near:
            return min(near, key=lambda item: (
                abs(item.finding.onset_no - finding.onset_no), item.drifts != slopes))  # fmt: skip
        return next((head for head in heads if self._drifts_with(finding, head)), None)

    def _drifts_with(self, finding: Finding, head: _Head) -> bool:
        """Whether a finding is a part of a group's drift, or a group one of a drift found now."""
        leader_finding, slopes = head.finding, finding.kind == SLOPE
        leader, followed = self._judged.get(leader_finding.key), self._judged.get(finding.key)
        same_configuration = leader_finding.key.of_configuration == finding.key.of_configuration
        if not (
            leader
            and followed
            and same_configuration
            and {leader_finding.kind, finding.kind} <= {LEVEL, SLOPE}
        ):
            return False
        if slopes and not head.drifts and self._is_step_of(leader_finding, finding):
            return True
        first, second = (leader[0].place(item.onset_utc) for item in (leader_finding, finding))
        if head.drifts or (head.is_open and looks_like_drift(leader[0].values, first, second)):
            first, second = (
                followed[0].place(item.onset_utc) for item in (leader_finding, finding)
            )
            return is_part_of_drift(followed[0].values, first, second, is_slope=slopes)
        return False

    def _is_step_of(self, step: Finding, drift: Finding) -> bool:
        """Whether a step and a drift of a configuration are one change.

        They are not if the step alone describes its series, and not the one that drifts.
        """
        ours, theirs = (
            (item.values, item.place(step.onset_utc), item.place(drift.onset_utc))
            for item in (self._judged[step.key][0], self._judged[drift.key][0])
        )
        return not is_step_alone(*ours) or is_step_as_well(*theirs)

    def regroup(self, labels: Labels) -> None:
        """Put groups in order: join, part and lead them, and name the level that they share."""
        self._join()
        self._split_off_drifts()
        self._choose_leaders()
        self._name_shared_levels(labels)

    def _join(self) -> None:
        """Join the groups of one change.

        A ramp can be told as two changes before it shows what it is, and what began with one build
        as two while its dates are not sure. It joins the drift, or the leader that says more.
        """
        heads = [head for head in self._heads() if head.is_open]
        heads.sort(key=lambda item: (item.finding.onset_utc, item.row["regression_id"]))
        leaders = [
            head for head in heads if head.row["leads"] and head.finding.kind in {LEVEL, SLOPE}
        ]
        left: dict[str, tuple[str, str]] = {}  # groups that join another one, and why
        for of, into, why in (
            *((leader, into, "is a part of the drift of") for leader in leaders for into in heads
              if into.drifts and into.finding.onset_utc <= leader.finding.onset_utc
              and into.group_id != leader.group_id and self._drifts_with(leader.finding, into)),
            *((leader, into, "began with the same run as") for leader in leaders for into in leaders
              if _began_together(leader, into)),
        ):  # fmt: skip
            if {of.group_id, into.group_id}.isdisjoint(left):
                left[of.group_id] = into.group_id, f"{of.group_id} {why} {into.group_id}"
        for row in list(self.rows.values()):
            if row["group_id"] in left:
                group_id, note = left[row["group_id"]]
                self.amend(row, note, group_id=group_id, leads=False)

    def _split_off_drifts(self) -> None:
        """Let drifts leave a group of steps that have no part in them.

        Two changes that begin with one build are one story until one of them shows that it drifts.
        """
        for members in self._members(SURE).values():
            rows = [row for row in sorted(members, key=_rank) if key_of(row) in self._judged]
            lead = next((row for row in rows if row["kind"] == SLOPE), None)
            if lead is None:
                continue
            drift, steps = self._numbers.finding_of(lead), []
            for row in rows:
                drifting = self._numbers.finding_of(row)
                near = abs(drifting.onset_no - drift.onset_no) <= NEAR
                same_configuration = drifting.key.of_configuration == drift.key.of_configuration
                if (
                    drifting.kind == LEVEL
                    and near
                    and same_configuration
                    and not self._is_step_of(drifting, drift)
                ):
                    steps.append(row)
            if steps:
                note = f"{steps[0]['regression_id']} began with the same build, but does not drift"
                group_id = self._first_event(drift, None, leads=True)["group_id"]
                for row in rows:
                    if row not in steps:
                        self.amend(row, note, group_id=group_id, leads=row is lead)

    def _choose_leaders(self) -> None:
        """Let an open regression lead where the leader was withdrawn, or has gone."""
        leaders = {row["group_id"]: row for row in self.rows.values() if row["leads"]}
        for group_id, rows in self._members(OPEN).items():
            leader = leaders.get(group_id)
            if leader and leader["state"] != WITHDRAWN:
                continue
            best = min(rows, key=_rank)
            if leader:
                self.amend(leader, f"{best['regression_id']} leads the group", leads=False)
            cause = best["cause"]
            if key_of(best) in self._judged:
                cause = self._explain(self._numbers.finding_of(best)).cause
            self.amend(best, "", leads=True, cause=cause)

    def _name_shared_levels(self, labels: Labels) -> None:
        """Let leaders name the factor level that their group shares, and no other configuration."""
        for group_id, rows in self._members(OPEN).items():
            leader = next((row for row in rows if row["leads"]), None)
            if leader is None:
                continue
            key = key_of(leader)
            others = {item.configuration_id for item in self._judged
                      if replace(item, configuration_id=key.configuration_id) == key}  # fmt: skip
            members = {row["configuration_id"] for row in rows if row["group_id"] == group_id}
            level = _shared_level(members, others, labels)
            message = leader["message"].partition(_IN)[0] + (_IN + level if level else "")
            if message != leader["message"]:
                text = f"in all configurations with {level}" if level else ""
                self.amend(leader, text or "in other configurations too", message=message)

    def _members(self, states: frozenset[str]) -> dict[str, list[Row]]:
        """Return the regressions in these states by group."""
        members: dict[str, list[Row]] = {}
        for row in self.rows.values():
            if row["state"] in states:
                members.setdefault(row["group_id"], []).append(row)
        return members


def _number_in_group(row: Row) -> int:
    return int(row["regression_id"].rpartition(".")[2])


def _rank(row: Row) -> tuple[tuple[bool, bool], int]:
    """Sort by what is most informative as the leader of a group."""
    return rank_of(key_of(row)), _number_in_group(row)


def _is_near(head: _Head, finding: Finding) -> bool:
    """Whether a finding begins with a build that suits a group, and can belong to it."""
    leader_finding, (earlier, later) = head.finding, finding.uncertain
    if leader_finding.kind == MODEL or (
        DATA in {leader_finding.kind, finding.kind} and leader_finding.kind != finding.kind
    ):
        return False  # no regression joins a mere deviation from a model
    reach = 0 if finding.kind == DATA else _TOGETHER
    apart = leader_finding.onset_no - finding.onset_no
    return (
        leader_finding.key.of_campaign == finding.key.of_campaign
        and -(earlier + reach) <= apart <= later + reach
    )  # fmt: skip


def _is_cause_of(head: _Head, finding: Finding) -> bool:
    """Whether a finding of another configuration belongs to a group because of its cause.

    In the same metric, causes that are not known or not certain do not part two changes.
    """
    causes = head.finding.cause, finding.cause
    first, second = map(place_of, causes)
    same = bool(first) and first == second
    if head.finding.key.metric == finding.key.metric:
        same |= first == second or not all(map(_is_certain, causes))
    return same and _is_near(head, finding)


def _is_certain(cause: str) -> bool:
    """Whether a cause is known, with most of the change if its share is."""
    share = re.search(r"\((\d+) %\)", cause)
    return bool(cause) and (share is None or int(share[1]) >= _MOST)


def _may_lead(finding: Finding, head: _Head) -> bool:
    return (
        head.is_open
        and head.finding.key.configuration_id == finding.key.configuration_id
        and {head.finding.kind, finding.kind} <= {LEVEL, SLOPE, PAIR}
    )


def _began_together(one: _Head, better: _Head) -> bool:
    """Whether two sure shifts are of one configuration and one run, and the second says more."""
    alike = ("origin", "campaign", "configuration_id", "onset_run_id", "kind")
    return (
        one.finding.kind == LEVEL
        and {one.row["state"], better.row["state"]} <= SURE
        and all(one.row[name] == better.row[name] for name in alike)
        and not (one.drifts or better.drifts)
        and (*_rank(better.row), better.group_id) < (*_rank(one.row), one.group_id)
    )


def _shared_level(
    members: set[str], others: set[str], labels: Mapping[str, Mapping[str, str]]
) -> str:
    """Return the factor levels that only these configurations have, '' without any.

    The probability that as many configurations drawn at random all have a level is that of the
    hypergeometric distribution; it counts once for each level that they could share.
    """
    every = sorted((members | others) & labels.keys())
    if len(members) < 2 or not members <= labels.keys():
        return ""
    levels = {
        (name, level) for member in members for name, level in labels[member].items() if level
    }
    chances: dict[float, list[str]] = {}
    for name, level in sorted(levels):
        having = {item for item in every if labels[item].get(name) == level}
        if members <= having:
            chance = comb(len(having), len(members)) / comb(len(every), len(members))
            chances.setdefault(chance, []).append(f"{name} {level}")
    least = min(chances, default=1.0)
    return " and ".join(chances[least]) if least * len(levels) <= UNLIKELY else ""
