"""What an audit found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from expectations.rule import ERROR, WARNING

__all__ = ["REGRESSIONS", "AuditResult", "ExpectationOutcome"]

#: The suite that says what got worse; all others say whether the data are right.
REGRESSIONS = "regressions"


@dataclass(frozen=True, slots=True)
class ExpectationOutcome:
    """The verdict on one expectation.

    `message` is one line for a person; a passed expectation has one only where there is something
    to say (nothing to judge). `sample` holds the first broken rows as "place: observed".
    `rows_total` is None where the table could not be read.
    """

    suite: str
    table: str
    expectation: str
    column: str
    passed: bool
    severity: str
    observed: str
    expected: str
    message: str = ""
    rows_failed: int = 0
    rows_total: int | None = None
    sample: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditResult:
    """All outcomes of one audit of one build.

    events: what is new of regressions, rows as in regressions.store.SCHEMA.
    """

    check_id: str
    build_id: str
    results: tuple[ExpectationOutcome, ...] = field(repr=False)
    events: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @property
    def failures(self) -> tuple[ExpectationOutcome, ...]:
        """What stops the build from being published."""
        return tuple(r for r in self._errors if r.suite != REGRESSIONS)

    @property
    def regressions(self) -> tuple[ExpectationOutcome, ...]:
        """What got worse and nobody has accepted: published, so that readers see it."""
        return tuple(r for r in self._errors if r.suite == REGRESSIONS)

    @property
    def _errors(self) -> tuple[ExpectationOutcome, ...]:
        return tuple(r for r in self.results if not r.passed and r.severity == ERROR)

    @property
    def warnings(self) -> tuple[ExpectationOutcome, ...]:
        """What is published all the same, and shown."""
        return tuple(r for r in self.results if not r.passed and r.severity == WARNING)

    @property
    def notes(self) -> tuple[ExpectationOutcome, ...]:
        """What passed because there was nothing to judge, and says so."""
        return tuple(r for r in self.results if r.passed and r.message)

    @property
    def passed(self) -> bool:
        """Whether the build may be published; an audit that judged nothing did not pass."""
        return bool(self.results) and not self.failures
