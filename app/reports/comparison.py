"""The report of a comparison: what got worse, what better, and how sure that is."""

from __future__ import annotations

from collections import Counter

from app.charts.runs import ratios
from app.reports.page import Page
from app.results.comparison import ComparedRuns
from app.results.queries.comparison import VERDICTS, frame_of

__all__ = ["comparison_report"]

_MOST_ROWS = 60


def comparison_report(compared: ComparedRuns) -> Page:
    """The report of what `app.results.comparison` found."""
    baseline, candidate = compared.baseline, compared.candidate
    page = Page(
        f"{candidate.name} against {baseline.name}",
        f"{candidate.runs:,} runs against {baseline.runs:,}.",
        candidate.origin,
    )
    counts = Counter(pair.judged.verdict for pair in compared.pairs)
    page.note(", ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v]) + ".")
    frame = frame_of(compared)
    page.section("Changes", "Each with its 95 % interval, where enough runs tell it.")
    shown = frame.head(_MOST_ROWS)
    page.chart(
        "Change against the baseline",
        ratios(shown, order=shown["name"].to_list(), verdicts=VERDICTS),
    )
    if frame.height > shown.height:
        page.note(f"The first {shown.height} of {frame.height} figures are drawn.")
    page.section("Figures", "Medians of the complete runs.")
    page.table(
        frame,
        {
            "configuration": "Configuration",
            "metric": "Figure",
            "unit": "Unit",
            "baseline": "Baseline",
            "candidate": "Candidate",
            "change": "Change, %",
            "low": "From, %",
            "high": "To, %",
            "runs": "Runs",
            "verdict": "Verdict",
        },
    )
    for side, only in ((baseline, compared.only_baseline), (candidate, compared.only_candidate)):
        if only:
            page.section(f"Configurations that {side.name} alone has")
            for name in only:
                page.note(name)
    return page
