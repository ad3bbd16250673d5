"""Groups of regressions with the same build and cause, or of one drift."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from expectations.detector.dating import as_likely_of
from expectations.detector.drift import is_part_of_drift, is_step_as_well, looks_like_drift
from expectations.detector.pooled import LEAST_SERIES
from expectations.regressions.explain import rank_of
from expectations.regressions.finding import DATA, LEVEL, MODEL, PAIR, SLOPE, Finding, Key
from expectations.regressions.matching import Numbers
from expectations.regressions.present import Judged
from expectations.regressions.states import ACCEPTED, FALSE_ALARM, OPEN, WITHDRAWN
from expectations.regressions.store import Row, key_of
from expectations.regressions.together import dates_of

__all__ = ["Group", "drifts_with", "equals_leader", "group_of", "groups_of", "order",
           "outranks_leader", "place_of", "story_of"]  # fmt: skip

_MOST = 70  # per cent of a change, from which its cause is certain
_TOGETHER = 1  # builds beyond the interval of a change that its date may be off


@dataclass(frozen=True, slots=True)
class Group:
    """A group in one configuration, to decide whether a finding belongs to it.

    key, onset_utc, onset_no (the number of the build in its campaign): of its leader, or of its
    first regression in another configuration; drifts: whether one of its open regressions is a
    slope; rank: of the leader, see `rank_of`; cause, state, note, owner, bug: current ones.
    """

    group_id: str
    kind: str
    origin: str
    campaign: str
    configuration_id: str
    key: Key
    onset_utc: datetime
    onset_no: int
    drifts: bool
    rank: tuple[object, ...]
    cause: str
    state: str
    note: str
    owner: str
    bug: str

    @classmethod
    def of(cls, row: Row, onset_no: int, *, drifts: bool) -> Group:
        """Return the group of a known regression."""
        key = key_of(row)
        return cls(
            group_id=row["group_id"],
            kind=row["kind"],
            origin=row["origin"],
            campaign=row["campaign"],
            configuration_id=row["configuration_id"],
            key=key,
            onset_utc=row["onset_utc"],
            onset_no=onset_no,
            drifts=drifts,
            rank=rank_of(key),
            cause=row["cause"],
            state=row["state"],
            note=row["note"],
            owner=row["owner"],
            bug=row["bug"],
        )

    @classmethod
    def new(cls, finding: Finding, state: str) -> Group:
        """Start a group with this finding as its leader."""
        key = finding.key
        text = "\0".join((finding.kind, *map(str, (key, finding.onset_run_id))))
        return cls(
            group_id=hashlib.sha256(text.encode()).hexdigest()[:8],
            kind=finding.kind,
            origin=key.origin,
            campaign=key.campaign,
            configuration_id=key.configuration_id,
            key=key,
            onset_utc=finding.onset_utc,
            onset_no=finding.onset_no,
            drifts=finding.kind == SLOPE,
            rank=rank_of(key),
            cause=finding.cause,
            state=state,
            note="",
            owner="",
            bug="",
        )

    def apart(self, finding: Finding) -> int:
        """Return the number of builds between the onsets."""
        return abs(self.onset_no - finding.onset_no)

    def is_beside(self, finding: Finding) -> bool:
        """Whether both are changes of figures of the same configuration."""
        key = finding.key
        return {self.kind, finding.kind} <= {LEVEL, SLOPE} and (
            self.origin,
            self.campaign,
            self.configuration_id,
        ) == (key.origin, key.campaign, key.configuration_id)

    def is_of_metric(self, finding: Finding) -> bool:
        """Whether an open group and a finding are of one metric of a campaign."""
        own, key = self.key, finding.key
        return (
            self.state in OPEN
            and own.whole
            and (own.origin, own.campaign, own.metric) == (key.origin, key.campaign, key.metric)
        )

    def holds(self, finding: Finding) -> bool:
        """Whether a finding belongs here: same configuration, or any if data are missing."""
        if not self._beside(finding):
            return False
        return finding.kind == DATA or self.configuration_id == finding.key.configuration_id

    def is_cause_of(self, finding: Finding) -> bool:
        """Whether a finding of another configuration belongs here because of its cause.

        In the same metric, causes that are not known or not certain do not part two changes.
        """
        causes = (self.cause, finding.cause)
        first, second = map(place_of, causes)
        same = bool(first) and first == second
        if self.key.metric == finding.key.metric:
            same |= first == second or not all(map(_is_certain, causes))
        return same and self._beside(finding)

    def _beside(self, finding: Finding) -> bool:
        key = finding.key
        # A level outside a model's band is the same change as the level's shift, but no regression
        # joins a mere deviation from a model.
        figures = {self.kind, finding.kind}.isdisjoint({DATA}) and self.kind != MODEL
        reach = 0 if finding.kind == DATA else _TOGETHER
        earlier, later = finding.uncertain
        return (
            (figures or self.kind == finding.kind == DATA)
            and (self.origin, self.campaign) == (key.origin, key.campaign)
            and -(earlier + reach) <= self.onset_no - finding.onset_no <= later + reach
        )


def _is_certain(cause: str) -> bool:
    """Whether a cause is known, with most of the change if its share is."""
    share = re.search(r"\((\d+) %\)", cause)
    return bool(cause) and (share is None or int(share[1]) >= _MOST)


def place_of(cause: str) -> str:
    """Return a cause without its share."""
    return cause.partition(" (")[0]


def groups_of(rows: Sequence[Row], numbers: Numbers) -> list[Group]:
    """Return the groups, once for each of their configurations.

    A group is where its leader is: along its members it would reach from one change to the next.
    """
    drifting = {
        row["group_id"] for row in rows if row["kind"] == SLOPE and row["state"] in OPEN | ACCEPTED
    }
    first: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: (not row["leads"], _member(row))):
        if row["state"] not in {FALSE_ALARM, WITHDRAWN}:
            first.setdefault((row["group_id"], row["configuration_id"]), row)
    return [
        Group.of(row, numbers.of(row), drifts=row["group_id"] in drifting) for row in first.values()
    ]


def _member(row: Row) -> int:
    return int(row["regression_id"].rpartition(".")[2])


def order(row: Row) -> tuple[tuple[bool, bool], int]:
    """Sort by what is most informative as the leader of a group."""
    return rank_of(key_of(row)), _member(row)


def group_of(finding: Finding, groups: Sequence[Group], judged: Judged) -> Group | None:
    """Return the nearest group that a finding belongs to, or the one whose drift it is part of."""
    near = [group for group in groups if group.holds(finding)]
    if near:
        slopes = finding.kind == SLOPE
        return min(near, key=lambda group: (group.apart(finding), group.drifts != slopes))
    return next((group for group in groups if drifts_with(finding, group, judged)), None)


def story_of(finding: Finding, groups: Sequence[Group], judged: Judged) -> Group | None:
    """Return the change of many configurations that a finding of another one can be, if any.

    Its series has to be described about as well by a step at the date of that change.
    """
    own = judged.get(finding.key)
    if own is None or finding.kind not in {LEVEL, SLOPE} or not finding.key.whole:
        return None
    stories: dict[str, list[Group]] = {}
    for group in groups:
        if group.is_of_metric(finding) and group.kind == LEVEL:
            stories.setdefault(group.group_id, []).append(group)
    for story in stories.values():
        if len(story) < LEAST_SERIES:
            continue
        values, place = own[0].values, own[0].place(story[0].onset_utc)
        if finding.kind == SLOPE:
            same = is_step_as_well(values, place, own[0].place(finding.onset_utc))
        else:
            same = dates_of(finding, own[0]).cost(place) <= as_likely_of(len(story))
        if same:
            return story[0]
    return None


def drifts_with(finding: Finding, group: Group, judged: Judged) -> bool:
    """Whether a finding is a part of a group's drift, or a group one of a drift that is found."""
    leader, own = judged.get(group.key), judged.get(finding.key)
    if leader is None or own is None or not group.is_beside(finding):
        return False
    since, onset = group.onset_utc, finding.onset_utc
    first, second = (leader[0].place(of) for of in (since, onset))
    if finding.kind == SLOPE and not group.drifts:
        # What is a step in one series is one in another too, if that says as much.
        places = (own[0].place(of) for of in (since, onset))
        if is_step_as_well(own[0].values, *places):
            return True
    looks = group.state in OPEN and looks_like_drift(leader[0].values, first, second)
    if group.drifts or looks:
        places = (own[0].place(of) for of in (since, onset))
        return is_part_of_drift(own[0].values, *places, is_slope=finding.kind == SLOPE)
    return finding.kind == SLOPE and is_part_of_drift(
        leader[0].values, second, first, is_slope=group.kind == SLOPE
    )


def outranks_leader(finding: Finding, group: Group) -> bool:
    """Whether a finding says more about the cause than what leads its group so far."""
    return _can_lead(finding, group) and rank_of(finding.key) < group.rank


def equals_leader(finding: Finding, group: Group) -> bool:
    """Whether a finding can say as much about the cause as what leads its group so far."""
    return _can_lead(finding, group) and rank_of(finding.key) == group.rank


def _can_lead(finding: Finding, group: Group) -> bool:
    return (
        group.state in OPEN
        and group.configuration_id == finding.key.configuration_id
        and {group.kind, finding.kind} <= {LEVEL, SLOPE, PAIR}
    )
