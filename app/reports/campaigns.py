"""Parts about the runs of a campaign: their work, their systems, answers and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from app.reports.blocks import claim, leading_metrics, table
from app.reports.cells import MISSING
from app.reports.contrast_tables import configuration_names, heading_of, printed_change
from app.reports.document import Block, Heading, Text
from app.reports.figures import Figure, level_of, unit_of
from app.reports.judging import Answer, spread
from app.reports.questions import chart_blocks
from app.reports.report import Report
from app.reports.sections import contrast_blocks
from app.reports.tables import table_of_cells as table_written
from app.reports.text import escaped
from app.reports.words import answer_sentence, ends_of, name_of, summary_of
from app.results.labels import (
    factor_label,
    metric_label,
)
from app.results.metrics import figure as number
from app.results.queries.runs import MAIN_METRICS

__all__ = ["every", "factors", "figures_table", "nights", "others", "summary", "variability"]

_MOST_ANSWERS, _MOST_ROWS, _MOST_EACH = 5, 8, 2


# --- answers


def summary(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the contrasts that matter most, in their order, as a table of answers."""
    best: dict[str, tuple[str, Answer]] = {}
    for title, answer in report.answers:
        key = f"{title} {answer.after}"
        if answer.is_certain:
            best.setdefault(key, (title, answer))  # a section's first metric is its question
    ranked = sorted(best.values(), key=lambda item: -item[1].size)
    titles = list(dict.fromkeys(title for title, _ in ranked))[:_MOST_ANSWERS]
    kept = [
        item
        for item in best.values()
        if item[0] in titles and [r for r in ranked if r[0] == item[0]].index(item) < _MOST_EACH
    ][:_MOST_ROWS]
    rows = [
        {
            "what": title,
            "from": name_of(a.factor, a.before) if a.factor else a.before,
            "to": name_of(a.factor, a.after) if a.factor else a.after,
            "metric": a.metric,
            "answer": summary_of(a),
            "printed": _printed_changes(report, a),
            "pairs": f"{len(a.pairs)}",
        }
        for title, a in kept
    ]
    if not rows:
        return _no_answers(report)
    columns = {
        "what": "Question",
        "from": "From",
        "to": "To",
        "metric": "What",
        "answer": "Change",
        "printed": "Printed",
        "pairs": "Pairs",
    }
    return table(rows, columns, "Answers", is_small=True)


def _printed_changes(report: Report, answer: Answer) -> str | None:
    print_text = [
        item for pair in answer.pairs if (item := printed_change(pair, report.prints)) is not None
    ]
    return ends_of(min(print_text), max(print_text)) if print_text else None


def _no_answers(report: Report) -> list[Block]:
    if not report.answers:
        return [Text("No two configurations of these runs can be compared.")]
    return claim(
        " ".join(dict.fromkeys(answer_sentence(answer) for _, answer in report.answers[:3]))
    )


def others(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the main figures of the configurations that no section has shown."""
    left = [
        f
        for f in report.figures
        if f.configuration not in report.shown and f.metric in MAIN_METRICS
    ]
    return figures_table(report, left[:400], "Configurations that no section above compares")


def figures_table(report: Report, figures: Sequence[Figure], caption: str) -> list[Block]:
    """Return a table of figures: a row for each configuration, with what is printed."""
    if not figures:
        return []
    names = configuration_names(figures)
    metrics = sorted(
        {f.metric for f in figures},
        key=lambda m: (MAIN_METRICS.index(m) if m in MAIN_METRICS else len(MAIN_METRICS), m),
    )[:5]
    rows: dict[str, dict[str, str]] = {}
    head = ["Configuration"]
    for metric in metrics:
        of_metric = [f for f in figures if f.metric == metric]
        scale, unit, digits = unit_of(of_metric)
        columns = [heading_of(metric, unit), f"{metric_label(metric)}, printed"]
        for f in of_metric:
            row = rows.setdefault(
                f.configuration, {"Configuration": names[f.configuration] or "All runs"}
            )
            row[columns[0]] = number(f.value / scale, digits)
            if print_text := report.prints.get((f.configuration, metric)):
                row[columns[1]] = number(print_text.value / scale, digits)
        head += [column for column in columns if any(column in row for row in rows.values())]
    return [
        table_written(head, [[row.get(h, MISSING) for h in head] for row in rows.values()], caption)
    ]


def every(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return the figures of each configuration, of the metrics that are named or that are main."""
    metrics = said.get("metrics", MAIN_METRICS)
    chosen = [f for f in report.figures if f.metric in metrics]
    if not chosen and "metrics" not in said:
        chosen = [f for f in report.figures if f.more is not None]
    report.shown |= {f.configuration for f in chosen}
    return figures_table(report, chosen, "Figures of each configuration")


def factors(report: Report, said: Mapping[str, Any]) -> list[Block]:
    """Return a contrast of each factor that several configurations differ in, as sections."""
    every_ = list(dict.fromkeys(n for f in report.figures for n in f.factors if n != "path"))
    metrics = leading_metrics(report.figures, 2)
    blocks: list[Block] = []
    for name in every_:
        levels = {level_of(f.factors, name) for f in report.figures}
        axes = [
            a
            for a in ("message_size_bytes", "file_size_mb", "clients", *every_)
            if a != name and a in every_
        ]
        if not 1 < len(levels) <= 6 or (
            name in {"file_size_mb", "message_size_bytes"} and len(every_) > 1
        ):
            continue
        section, answers, used = contrast_blocks(
            {"contrast": name, "axes": axes, "metrics": metrics},
            report.figures,
            report.prints,
            report.spaces,
            factor_label(name),
        )
        if any(a.factor == name for a in answers):
            blocks += [Heading(3, escaped(factor_label(name))), *section]
            report.answers += [(factor_label(name), a) for a in answers]
            report.shown |= {f.configuration for f in used}
    return blocks


def variability(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return how much runs of one configuration differ apart from changes, by metric."""
    several = [
        f
        for f in report.figures
        if f.more is not None
        and len(f.values) > 1
        and min(f.values) > 0
        and not (f.unit == "%" and f.value < 1)
    ]
    if not several:
        return [
            Text(
                "No configuration has more than one complete run: "
                "a run is taken to vary as the documents' do."
            )
        ]
    rows = []
    for metric in sorted({f.metric for f in several}, key=lambda m: (m not in MAIN_METRICS, m)):
        figures = [f for f in several if f.metric == metric]
        apart = [100 * spread([f])[0] for f in figures]
        rows.append(
            {
                "metric": metric,
                "configurations": len(figures),
                "runs": sum(len(f.values) for f in figures),
                "typical": median(apart),
                "largest": max(apart),
                "earlier": sum(f.earlier > 0 for f in figures),
            }
        )
    columns = {
        "metric": "Metric",
        "configurations": "Configurations",
        "runs": "Runs",
        "typical": "Median deviation, %",
        "largest": "Largest, %",
        "earlier": "With a change of level before",
    }
    return table(
        rows[:12],
        columns,
        "Standard deviation of a run around the present level of its configuration",
    )


def nights(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the course of the main metrics: the median of all configurations by session."""
    rows = []
    for metric in MAIN_METRICS:
        figures = [f for f in report.figures if f.metric == metric and len(f.values) > 4]
        by_session: dict[int, list[float]] = {}
        for f in figures:
            for session, value in zip(f.sessions, f.values, strict=True):
                if f.value:
                    by_session.setdefault(session, []).append(100 * value / f.value)
        rows += [
            {"name": metric_label(metric), "level": float(s), "value": median(values)}
            for s, values in sorted(by_session.items())
            if len(by_session) > 4
        ]
    names = list(dict.fromkeys(row["name"] for row in rows))[:4]
    return chart_blocks(
        "by_size",
        [r for r in rows if r["name"] in names],
        "Median of all configurations by session, in percent of their present level",
        unit="% of the level",
        axis="session",
    )
