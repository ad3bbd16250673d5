"""Groups of regressions with the same build and cause."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from expectations.regressions.finding import DATA, MODEL, Finding
from expectations.regressions.store import Row

__all__ = ["Group", "place_of"]

_TOGETHER = 2  # changes of several series within so many builds can have one cause


@dataclass(frozen=True, slots=True)
class Group:
    """One regression of a group, to decide whether another one belongs to the group.

    onset_no: number of the build in its campaign; state, note, owner, bug: its current ones.
    """

    group_id: str
    kind: str
    origin: str
    campaign: str
    configuration_id: str
    onset_no: int
    cause: str
    state: str
    note: str
    owner: str
    bug: str

    @classmethod
    def of(cls, row: Row, onset_no: int) -> Group:
        """Return the group of a known regression."""
        return cls(
            group_id=row["group_id"],
            kind=row["kind"],
            origin=row["origin"],
            campaign=row["campaign"],
            configuration_id=row["configuration_id"],
            onset_no=onset_no,
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
            onset_no=finding.onset_no,
            cause=finding.cause,
            state=state,
            note="",
            owner="",
            bug="",
        )

    def holds(self, finding: Finding) -> bool:
        """Whether a finding belongs here: same configuration, or any if data are missing."""
        if not self._beside(finding):
            return False
        return finding.kind == DATA or self.configuration_id == finding.key.configuration_id

    def is_cause_of(self, finding: Finding) -> bool:
        """Whether a finding of another configuration belongs here because of its cause."""
        same = bool(finding.cause) and place_of(finding.cause) == place_of(self.cause)
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


def place_of(cause: str) -> str:
    """Return a cause without its share."""
    return cause.partition(" (")[0]
