"""The result of an audit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from expectations.rule import ERROR, WARNING

__all__ = ["REGRESSIONS", "AuditResult", "ExpectationOutcome"]

#: The suite that reports what got worse; the other suites check the data.
REGRESSIONS = "regressions"


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
    def failures(self) -> tuple[ExpectationOutcome, ...]:
        """Errors that prevent publishing."""
        return tuple(r for r in self._errors if r.suite != REGRESSIONS)

    @property
    def regressions(self) -> tuple[ExpectationOutcome, ...]:
        """Open regressions; they do not prevent publishing, so that readers see them."""
        return tuple(r for r in self._errors if r.suite == REGRESSIONS)

    @property
    def _errors(self) -> tuple[ExpectationOutcome, ...]:
        return tuple(r for r in self.results if not r.passed and r.severity == ERROR)

    @property
    def warnings(self) -> tuple[ExpectationOutcome, ...]:
        """Failed expectations that do not prevent publishing."""
        return tuple(r for r in self.results if not r.passed and r.severity == WARNING)

    @property
    def notes(self) -> tuple[ExpectationOutcome, ...]:
        """Passed expectations with a message: there was nothing to judge."""
        return tuple(r for r in self.results if r.passed and r.message)

    @property
    def passed(self) -> bool:
        """Whether the build may be published; an audit without results has not passed."""
        return bool(self.results) and not self.failures
