"""Sections of a report: a contrast as sentences, charts and a table.

contrast   the factor; from, to: its levels (default: none or the first, and all others)
where      levels of other factors: one, a list, "" for none, "*" for any that is stated
follow     factors that change with it; axes: over which it may differ, that of the chart first
metrics    those that are judged, the main one first; peak: only the best figure along a factor
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.reports.contrast_tables import PEAK, axis_table, levels_of, names_apart, pair_tables
from app.reports.document import Block, Text
from app.reports.figures import Figure, Print, level_of, number_of, unit_of
from app.reports.judging import Answer, judge, pairs_of
from app.reports.questions import FEW, chart_blocks
from app.reports.text import escaped
from app.reports.words import answer_sentence, cause_sentence
from app.results.labels import factor_label, metric_label, small

__all__ = ["contrast_blocks"]

_MOST_LINES = 6
_MOST_SENTENCES = 3
_DENSE = 0.55  # of the cells of a table by level that have a figure


def contrast_blocks(
    says_: Mapping[str, Any],
    figures: Sequence[Figure],
    prints: Mapping[tuple[str, str], Print],
    spaces: Mapping[str, Mapping[str, float]],
    title: str,
) -> tuple[list[Block], list[Answer], list[Figure]]:
    """Return the blocks of a contrast, its answers, and the figures that it shows."""
    factor, axes = str(says_["contrast"]), [str(axis) for axis in says_.get("axes", ())]
    metrics = list(says_.get("metrics", ("rate", "cost_per_GB")))
    chosen = [
        f for m in metrics for f in figures if f.metric == m and _suits(f, says_.get("where", {}))
    ]
    if "varies" in says_ and len(levels_of(chosen, str(says_["varies"]))) < 2:
        return [], [], []
    if "peak" in says_:
        chosen = _peaks(chosen, str(says_["peak"]))
    levels = levels_of(chosen, factor)
    before = str(says_.get("from", levels[0] if levels else ""))
    wanted = says_.get("to", [level for level in levels if level != before])
    after = [str(level) for level in ([wanted] if isinstance(wanted, str) else wanted)]
    answers: list[Answer] = []
    shown: dict[int, Figure] = {}
    for level in after:
        matched = pairs_of(chosen, factor, before, level, [*says_.get("follow", ()), *PEAK])
        shown |= {id(f): f for pair in matched for f in pair}
        answers += judge(matched, factor, before, level, axes)
    if not answers and says_.get("alone"):
        answers, along = _answers_along(chosen, axes)
        shown = {id(f): f for f in along}
        factor = answers[0].factor if answers else factor
    used = [f for f in chosen if id(f) in shown]
    if not used:
        return [], [], []
    axis = next((a for a in axes if _is_axis(used, a) and a != factor), "")
    if answers and answers[0].factor in axes and not axis:
        axis = answers[0].factor
    text = " ".join(map(escaped, _sentences(answers, metrics)))
    blocks: list[Block] = [Text(text, is_claim=True)] if text else []
    costs = [a for a in answers if a.metric.startswith("cost_")]
    if len(costs) == 1 and costs[0].is_certain and (why := cause_sentence(costs[0], spaces)):
        blocks.append(Text(escaped(why)))
    over = axis or (factor if _is_axis(used, factor) and len(levels) > FEW else "")
    blocks += _charts(used, answers, factor, over, title)
    few = max((len(answer.pairs) for answer in answers), default=0)
    is_along = bool(answers) and answers[0].factor != says_["contrast"]
    if few == 1 and not is_along:
        axis = ""
    if (few == 1 and not is_along) or (axis and _is_dense(used, factor, axis)):
        blocks += axis_table(used, prints, answers, factor, axis, title)
    else:
        blocks += pair_tables(answers, prints, title)
    return blocks, answers, used


def _peaks(figures: Sequence[Figure], axis: str) -> list[Figure]:
    """Return the best figure along a factor of each configuration that differs in it alone."""
    best: dict[object, Figure] = {}
    for f in figures:
        rest = f.metric, tuple(sorted((n, level) for n, level in f.factors.items() if n != axis))
        if rest not in best or (f.value > best[rest].value) == (f.more is not False):
            best[rest] = f
    return [
        replace(f, factors={PEAK[0] if n == axis else n: level for n, level in f.factors.items()})
        for f in best.values()
    ]


def _suits(item: Figure, where: Mapping[str, object]) -> bool:
    for name, wanted in where.items():
        level = level_of(item.factors, name)
        levels = wanted if isinstance(wanted, list) else [wanted]
        if not any(
            w == level or (w == "*" and level not in {"", "N"}) or str(w) == level for w in levels
        ):
            return False
    return True


def _is_axis(figures: Sequence[Figure], axis: str) -> bool:
    """Whether a factor has several levels, all of them numbers."""
    levels = {level_of(f.factors, axis) for f in figures}
    return len(levels) > 1 and all(abs(number_of(level)[0]) != float("inf") for level in levels)


def _is_dense(figures: Sequence[Figure], factor: str, axis: str) -> bool:
    """Whether most series of figures have most levels of an axis."""
    names = names_apart(figures, factor, [axis])
    series = {(f.metric, names[f.configuration]) for f in figures}
    return len(figures) >= _DENSE * len(series) * len(levels_of(figures, axis))


def _answers_along(own: Sequence[Figure], axes: Sequence[str]) -> tuple[list[Answer], list[Figure]]:
    """Return what figures do along the first axis that they vary on, if no pair has both sides."""
    for axis in axes:
        if _is_axis(own, axis):
            levels = levels_of(own, axis)
            matched = pairs_of(own, axis, levels[0], levels[-1])
            if matched:
                return judge(
                    matched, axis, levels[0], levels[-1], [a for a in axes if a != axis]
                ), list(own)
    return [], []


def _sentences(answers: Sequence[Answer], metrics: Sequence[str]) -> Iterator[str]:
    """Yield one to three sentences: the main metric first, then what it costs."""
    several = len({answer.after for answer in answers}) > 1
    order = sorted(answers, key=lambda a: (several and not a.is_certain, metrics.index(a.metric)))
    for index, answer in enumerate(order[: _MOST_SENTENCES if several else 2]):
        yield answer_sentence(answer, whole=not several and not index)


def _charts(
    figures: Sequence[Figure], answers: Sequence[Answer], factor: str, axis: str, title: str
) -> list[Block]:
    blocks: list[Block] = []
    names = names_apart(figures, factor, [axis] if axis else [])
    if len({f.configuration for f in figures}) <= FEW:
        return []
    for metric in list(dict.fromkeys(f.metric for f in figures))[:2]:
        points = [f for f in figures if f.metric == metric]
        scale, unit, _ = unit_of(points)
        rows = [
            {
                "name": ", ".join(filter(None, names[f.configuration])) or metric_label(metric),
                "others": names[f.configuration][0] or metric_label(metric),
                "series": names[f.configuration][1],
                "value": f.value / scale,
                "level": number_of(level_of(f.factors, axis))[0] if axis else None,
            }
            for f in points
        ]
        series = {row["name"] for row in rows}
        label = metric_label(metric)
        if axis and len(series) <= _MOST_LINES:
            blocks += chart_blocks(
                "by_size",
                rows,
                f"{label} by {_axis_label(axis)}",
                about=title,
                half=True,
                unit=unit,
                axis=axis,
            )
        elif not axis and len(rows) <= 24:
            blocks += chart_blocks(
                "bars",
                [row | {"name": row["others"]} for row in rows],
                label,
                about=title,
                half=True,
                unit=unit,
                series="series",
                stacked=False,
            )
        else:
            pairs = [p for a in answers if a.metric == metric for p in a.pairs]
            full = names_apart([p.candidate for p in pairs], factor if len(answers) > 2 else "", [])
            blocks += chart_blocks(
                "changes",
                [
                    {
                        "name": ", ".join(filter(None, full[p.candidate.configuration])),
                        "value": p.judged.estimate,
                        "low": p.judged.low,
                        "high": p.judged.high,
                        "verdict": p.judged.verdict,
                    }
                    for p in sorted(pairs, key=lambda p: -abs(p.shift))
                    if p.is_ratio
                ][:16],
                f"{label}: change" + (", the 16 largest" if len(pairs) > 16 else ""),
                about=title,
                unit="%",
            )
    return blocks


def _axis_label(axis: str) -> str:
    return {"latency_ms_oneway": "latency, one way", "cpus": "processors"}.get(
        axis, small(factor_label(axis))
    )
