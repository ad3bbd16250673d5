"""The report of a comparison: what got worse or better, and how sure that is."""

from __future__ import annotations

from collections import Counter

from app.charts.runs import ratios
from app.reports.page import Page
from app.results.comparison import ComparedRuns
from app.results.queries.comparison import VERDICTS, frame_of

__all__ = ["comparison_report"]

_MOST_ROWS = 60


def comparison_report(compared: ComparedRuns) -> Page:
    """Return the report of a comparison from `app.results.comparison`."""
    baseline, candidate = compared.baseline, compared.candidate
    page = Page(
        f"{candidate.name} against {baseline.name}",
        f"{candidate.runs:,} runs against {baseline.runs:,}.",
        candidate.origin,
    )
    counts = Counter(pair.judged.verdict for pair in compared.pairs)
    page.note(", ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v]) + ".")
    frame = frame_of(compared)
    page.section("Changes", "With 95 % confidence intervals, if there are enough runs.")
    shown = frame.head(_MOST_ROWS)
    page.chart(
        "Change from baseline",
        ratios(shown, order=shown["name"].to_list(), verdicts=VERDICTS),
    )
    if frame.height > shown.height:
        page.note(f"The chart shows the first {shown.height} of {frame.height} metrics.")
    page.section("Metrics", "Medians of the complete runs.")
    page.table(
        frame,
        {
            "configuration": "Configuration",
            "label": "Metric",
            "unit": "Unit",
            "baseline": "Baseline",
            "candidate": "Candidate",
            "change": "Change, %",
            "low": "95 % from",
            "high": "95 % to",
            "runs": "Runs",
            "verdict": "Verdict",
        },
    )
    for side, only in ((baseline, compared.only_baseline), (candidate, compared.only_candidate)):
        if only:
            page.section(f"Configurations only in {side.name}")
            for name in only:
                page.note(name)
    return page
