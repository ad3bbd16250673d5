"""Groups of regressions with the same build and cause, or of one drift."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime

from expectations.regressions.explain import rank_of
from expectations.regressions.finding import DATA, LEVEL, MODEL, SLOPE, Finding, Key
from expectations.regressions.store import Row, key_of

__all__ = ["Group", "place_of"]

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
            self.state in {"suspected", "new", "confirmed"}
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
