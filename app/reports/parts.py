"""The parts of reports by name: each returns its blocks, none where there is nothing to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.reports import campaigns, findings, systems
from app.reports.document import Block
from app.reports.report import Report

__all__ = ["LATE", "PARTS"]

#: Parts that need all answers of the report.
LATE = frozenset(("summary", "others"))
PARTS: Mapping[str, Callable[[Report, Mapping[str, Any]], list[Block]]] = {
    name: getattr(module, name)
    for module, names in (
        (campaigns, "workload conclusions settings topology summary others every"),
        (campaigns, "factors variability nights"),
        (findings, "regressions_open regressions regressions_all night sides run_figures"),
        (systems, "health advice what_if"),
    )
    for name in names.split()
}
