"""The result of an audit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from expectations.rule import ERROR, FAULT, WARNING

__all__ = ["ISSUES", "REGRESSIONS", "AuditResult", "ExpectationOutcome"]

#: The suite that reports what got worse; the other suites check the data.
REGRESSIONS = "regressions"
#: The suite that counts what the build found wrong with the data.
ISSUES = "issues"


@dataclass(frozen=True, slots=True)
class ExpectationOutcome:
    """The verdict on one expectation.

    message: one line; '' for a passed expectation, unless there was nothing to judge. sample: the
    first failing rows as "place: observed". rows_total: None if the table could not be read.
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

    events: new events of regressions, rows as in regressions.store.SCHEMA.
    """

    check_id: str
    build_id: str
    results: tuple[ExpectationOutcome, ...] = field(repr=False)
    events: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @property
    def faults(self) -> tuple[ExpectationOutcome, ...]:
        """Mistakes of perfhouse; nothing else prevents publishing."""
        return self._failed(FAULT)

    @property
    def errors(self) -> tuple[ExpectationOutcome, ...]:
        """Data that cannot be right, and rates below their baselines; published."""
        return tuple(r for r in self._failed(ERROR) if r.suite != REGRESSIONS)

    @property
    def regressions(self) -> tuple[ExpectationOutcome, ...]:
        """Open regressions; published."""
        return tuple(r for r in self._failed(ERROR) if r.suite == REGRESSIONS)

    @property
    def warnings(self) -> tuple[ExpectationOutcome, ...]:
        """Failed expectations on data that may be right; published."""
        return self._failed(WARNING)

    def _failed(self, severity: str) -> tuple[ExpectationOutcome, ...]:
        return tuple(r for r in self.results if not r.passed and r.severity == severity)

    @property
    def notes(self) -> tuple[ExpectationOutcome, ...]:
        """Passed expectations with a message: there was nothing to judge."""
        return tuple(r for r in self.results if r.passed and r.message)

    @property
    def publishable(self) -> bool:
        """Whether the build may be published: something was audited, and no fault was found."""
        return bool(self.results) and not self.faults

    @property
    def exit_status(self) -> int:
        """0: nothing to look at; 1: errors or regressions; 2: not to be published."""
        if not self.publishable:
            return 2
        return int(bool(self.errors or self.regressions))
