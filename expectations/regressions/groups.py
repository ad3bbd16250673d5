"""Regressions of one build and cause."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from expectations.regressions.finding import DATA, MODEL, Finding
from expectations.regressions.store import Row

__all__ = ["Group"]

_TOGETHER = 2  # builds within which changes of several series are of one cause


@dataclass(frozen=True, slots=True)
class Group:
    """One regression of a group: enough to tell whether another belongs to it.

    onset_no: number of the build in its campaign; state: of this regression now.
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

    @classmethod
    def of(cls, row: Row, onset_no: int) -> Group:
        """That of a known regression."""
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
        )

    @classmethod
    def new(cls, finding: Finding, state: str) -> Group:
        """One that this finding leads."""
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
        )

    def holds(self, finding: Finding) -> bool:
        """Whether a finding of the same configuration belongs to it, or of any where data fail."""
        if not self._beside(finding) or finding.kind == MODEL:
            return False
        return finding.kind == DATA or self.configuration_id == finding.key.configuration_id

    def is_cause_of(self, finding: Finding) -> bool:
        """Whether a finding of another configuration belongs to it: by its cause."""
        same = bool(finding.cause) and _place(finding.cause) == _place(self.cause)
        return same and self._beside(finding)

    def _beside(self, finding: Finding) -> bool:
        key = finding.key
        figures = {self.kind, finding.kind}.isdisjoint({DATA, MODEL})
        reach = 0 if finding.kind == DATA else _TOGETHER
        return (
            (figures or self.kind == finding.kind)
            and (self.origin, self.campaign) == (key.origin, key.campaign)
            and abs(self.onset_no - finding.onset_no) <= reach
        )


def _place(cause: str) -> str:
    """A cause without its share."""
    return cause.partition(" (")[0]
