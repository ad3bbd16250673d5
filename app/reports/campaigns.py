"""Parts about the runs of a campaign: their work, their systems, answers and figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any

from app.reports.blocks import claim, table
from app.reports.cells import MISSING
from app.reports.contrast_tables import configuration_names, heading_of, printed_change
from app.reports.document import Block, Chart, Heading, Text
from app.reports.figures import Figure, level_of, number_of, unit_of
from app.reports.judging import Answer, spread
from app.reports.questions import chart_blocks
from app.reports.report import Report
from app.reports.sections import contrast_blocks
from app.reports.tables import table_of_cells as table_written
from app.reports.text import escaped
from app.reports.words import answer_sentence, ends_of, name_of, summary_of
from app.results.labels import (
    factor_label,
    level_label,
    metric_label,
)
from app.results.metrics import figure as number
from app.results.queries.runs import MAIN_METRICS
from app.results.words import counted, listed
from ingest.base.extras import is_installed
from ingest.base.visible import visible

__all__ = [
    "conclusions",
    "every",
    "factors",
    "figures_table",
    "nights",
    "others",
    "settings",
    "summary",
    "team_text",
    "topology",
    "variability",
    "workload",
]

_MOST_ANSWERS, _MOST_ROWS, _MOST_EACH = 5, 8, 2
_MOST_WAYS = 10
_ATTACHED = ("", "direct", "bindings", "client")  # connections with nothing in between
_NO_SETTINGS = frozenset(("machine", "mq_level", "path"))


def _levels_of(report: Report) -> dict[str, set[str]]:
    levels: dict[str, set[str]] = {}
    for figure in report.figures:
        for name, level in figure.factors.items():
            levels.setdefault(name, set()).add(level)
    return levels


def workload(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what the runs do, in two lines, from the factors of their manifests."""
    if not report.values.get("runs"):
        return []
    levels = _levels_of(report)

    def said(name: str, text: str) -> str:
        own_levels = sorted(levels.get(name, set()) - {""}, key=number_of)
        if not own_levels:
            return ""
        names = [name_of(name, level) for level in own_levels]
        is_range = len(own_levels) > 2 and all(
            isfinite(number_of(level)[0]) for level in own_levels
        )
        return text.format(f"{names[0]} to {names[-1]}" if is_range else listed(names))

    work = (
        "Each run transfers files" if "file_size_mb" in levels else "Each transaction is a message"
    )
    parts = [
        said("file_size_mb", "of {}"),
        "" if "file_size_mb" in levels else said("message_size_bytes", "of {}"),
        said("mode", "as {}"),
        said("transaction", "({})"),
        said("persistent", "{}"),
        said("clients", "from {}"),
    ]
    text = " ".join(filter(None, (work, *parts)))
    drivers = report.values.get("drivers")
    ways = "; ".join(
        filter(
            None, (said("source", "from {}"), said("target", "to {}"), said("network", "over {}"))
        )
    )
    more = ". ".join(
        filter(None, (ways and f"They go {ways}", drivers and f"The driver is {listed(drivers)}"))
    )
    return [Text(f"**Workload.** {escaped(text)}.{f' {escaped(more)}.' if more else ''}")]


def team_text(report: Report, part: str) -> list[Block]:
    """Return what a team wrote for a campaign: CAMPAIGN.PART.md beside its manifest or results.

    Its headings become bold lines.
    """
    campaign = str(report.values.get("campaign") or "")
    if not campaign or Path(campaign).name != campaign:
        return []
    paths = report.reader.frame(
        "select distinct path from marts.dim_load where list_contains(?, source_id) order by path",
        (tuple(report.values.get("sources") or ()),),
    )["path"]
    for folder in dict.fromkeys(Path(path).parent for path in paths):
        try:
            text = (folder / f"{campaign}.{part}.md").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        return [Text(re.sub(r"(?m)^#{1,6} +(.*)$", r"**\1**", visible(text)).strip())]
    return []


def conclusions(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return what the team concludes."""
    return team_text(report, "conclusions")


def settings(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return the factors of the runs and their levels."""
    levels = _levels_of(report)
    rows = [
        {
            "what": factor_label(name),
            "levels": ", ".join(
                level_label(name, level) for level in sorted(stated_levels, key=number_of)[:12]
            )
            + (", …" if len(stated_levels) > 12 else ""),
        }
        for name, stated_levels in sorted(levels.items())
        if name not in _NO_SETTINGS
    ]
    return table(
        rows, {"what": "Factor", "levels": "Levels"}, "Factors of the runs, as the manifests say"
    )


def topology(report: Report, _: Mapping[str, Any]) -> list[Block]:
    """Return a drawing of the systems, queue managers, channels and partners of the runs."""
    condition = (
        "origin = $origin and list_contains($systems, system_id)"
        " and interval_start_utc between $from_utc and $until_utc"
    )
    questions: dict[str, tuple[str, dict[str, str], str]] = {
        "machines": (
            "fct_processor_interval",
            {
                "system_id": "system",
                "any_value(sysplex)": "sysplex",
                "any_value(machine_type || '-' || machine_model)": "machine",
                "max(processors_online) filter (processor_type = 'CP')": "cps",
                "max(processors_online) filter (processor_type = 'zIIP')": "ziips",
            },
            condition,
        ),
        "managers": (
            "fct_queue_manager_interval",
            {"queue_manager": "queue_manager", "system_id": "system"},
            condition,
        ),
        "channels": (
            "fct_channel_interval",
            {
                "queue_manager": "queue_manager",
                "remote_queue_manager_or_application": "remote",
                "count(distinct channel_name)": "channels",
            },
            f"{condition} and channel_type ilike '%sender%'",
        ),
        "facilities": ("fct_cf_interval", {"coupling_facility": "coupling_facility"}, condition),
        "disks": (
            "fct_volume_interval",
            {"control_unit_model": "control_unit"},
            f"{condition} and control_unit_model <> ''",
        ),
    }
    rows = {
        name: [
            dict(zip(columns.values(), row, strict=True))
            for row in report.ask({"mart": mart, "columns": columns, "where": where, "order": "1"})
        ]
        for name, (mart, columns, where) in questions.items()
    }
    ends = {(f.factors.get("source"), f.factors.get("network")) for f in report.figures}
    ends |= {(f.factors.get("target"), f.factors.get("network")) for f in report.figures}
    away = sorted({str(name) for name, _ in ends if name and name not in {"z/OS", "USS", "queue"}})
    rows["partners"] = [
        {
            "partner": name,
            "networks": sorted({net for network, net in ends if network == name and net}),
        }
        for name in away
    ]
    if not (rows["machines"] or rows["managers"]):
        return _ways(report)
    text = listed(
        [
            counted(len(items), name.removesuffix("s"), name)
            for name, items in {
                "systems": rows["machines"],
                "queue managers": rows["managers"],
                "partners off z/OS": rows["partners"],
            }.items()
            if items
        ]
    )
    spec = None
    if is_installed("charts"):
        from app.reports import charts

        spec = charts.topology(rows)
    title = "Systems, queue managers and channels in the time of the runs"
    return [Chart(title, spec, f"{text}."), *_ways(report)]


def _ways(report: Report) -> list[Block]:
    """Return a drawing of the ways that data went in the runs, as their factors say."""
    names = ("source", "connection", "network", "target")
    stated = sorted({tuple(f.factors.get(name, "") for name in names) for f in report.figures})
    ways = []
    for source, connection, network, target in stated:
        if source or target or connection:
            between = [] if connection in _ATTACHED else [connection]
            boxes = [source or "Clients", *between, target or "Queue manager"]
            over = [network or connection if connection in _ATTACHED else network]
            ways.append((boxes, over * (len(boxes) - 1)))
    if not ways:
        return []
    spec = None
    if is_installed("charts"):
        from app.reports import charts

        spec = charts.ways(ways[:_MOST_WAYS])
    text = "; ".join(" to ".join(boxes) for boxes, _ in ways)
    few = f", {_MOST_WAYS} of {len(ways)}" if len(ways) > _MOST_WAYS else ""
    return [Chart(f"The ways of the data{few}", spec, f"{len(ways)} ways: {text}.")]


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
    judged = {f.metric for f in report.figures if f.more is not None}
    metrics = [m for m in MAIN_METRICS if m in judged][:2] or sorted(judged)[:2]
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
