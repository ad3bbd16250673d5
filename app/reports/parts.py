"""The parts of reports by name: each returns its blocks, none where there is nothing to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.reports import campaigns, environment, findings, regressions, systems
from app.reports.document import Block
from app.reports.report import Report

__all__ = ["LATE", "PARTS"]

#: Parts that need all answers of the report.
LATE = frozenset(("summary", "others"))
PARTS: Mapping[str, Callable[[Report, Mapping[str, Any]], list[Block]]] = {
    name: getattr(module, name)
    for module, names in (
        (environment, "workload conclusions settings topology"),
        (campaigns, "summary others every factors variability nights"),
        (regressions, "regressions_open regressions regressions_all"),
        (findings, "night sides run_figures"),
        (systems, "health advice what_if"),
    )
    for name in names.split()
}
