"""Sections of a report: a contrast as sentences, charts and a table; a question of a mart; a text.

contrast   the factor; from, to: its levels (default: none or the first, and all others)
where      levels of other factors: one, a list, "" for none, "*" for any that is stated
follow     factors that change with it; axes: over which it may differ, that of the chart first
metrics    those that are judged, the main one first; peak: only the best figure along a factor
mart       a table of marts, and columns: SQL = heading; where, order, most; section: a column
whose values are headings; says: a sentence of the first row, with {heading in c0, c1}
chart      of a question: kind, title, and its columns by role (name, value, series, start, end)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.reports.cells import MISSING
from app.reports.cells import cell_text as as_cell
from app.reports.document import Block, Chart, Table, Text
from app.reports.figures import Figure, Print, level_of, number_of, order_of, unit_of
from app.reports.judging import Answer, Pair, judge, pairs_of
from app.reports.presets import Row
from app.reports.tables import MOST_ROWS, table_of, table_of_cells
from app.reports.text import escaped
from app.reports.words import answer_sentence, cause_sentence, change, name_of
from app.results.labels import factor_label, metric_label, small, unit_label
from app.results.metrics import figure
from app.results.words import listed
from expectations.verdicts.verdict import NOT_JUDGED, UNDECIDED
from ingest.base.extras import is_installed

__all__ = [
    "chart_blocks",
    "configuration_names",
    "contrast_blocks",
    "heading_of",
    "pair_tables",
    "printed_change",
    "question_blocks",
]

_PEAK = ("peak_cpus",)
_MOST_LINES = 6
_MOST_PAIRS = 24
_FEW = 2  # configurations, which need no chart
_MOST_COLUMNS = 12
_MOST_SENTENCES = 3
_ROLES = ("name", "value", "series", "start", "end", "level", "moment", "low", "high")
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
    if "varies" in says_ and len(_levels(chosen, str(says_["varies"]))) < 2:
        return [], [], []
    if "peak" in says_:
        chosen = _peaks(chosen, str(says_["peak"]))
    levels = _levels(chosen, factor)
    before = str(says_.get("from", levels[0] if levels else ""))
    wanted = says_.get("to", [level for level in levels if level != before])
    after = [str(level) for level in ([wanted] if isinstance(wanted, str) else wanted)]
    answers: list[Answer] = []
    shown: dict[int, Figure] = {}
    for level in after:
        matched = pairs_of(chosen, factor, before, level, [*says_.get("follow", ()), *_PEAK])
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
    over = axis or (factor if _is_axis(used, factor) and len(levels) > _FEW else "")
    blocks += _charts(used, answers, factor, over, title)
    few = max((len(answer.pairs) for answer in answers), default=0)
    is_along = bool(answers) and answers[0].factor != says_["contrast"]
    if few == 1 and not is_along:
        axis = ""
    if (few == 1 and not is_along) or (axis and _is_dense(used, factor, axis)):
        blocks += _axis_table(used, prints, answers, factor, axis, title)
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
        replace(f, factors={_PEAK[0] if n == axis else n: level for n, level in f.factors.items()})
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


def _levels(figures: Sequence[Figure], factor: str) -> list[str]:
    return sorted({level_of(f.factors, factor) for f in figures}, key=number_of)


def _is_axis(figures: Sequence[Figure], axis: str) -> bool:
    """Whether a factor has several levels, all of them numbers."""
    levels = {level_of(f.factors, axis) for f in figures}
    return len(levels) > 1 and all(abs(number_of(level)[0]) != float("inf") for level in levels)


def _is_dense(figures: Sequence[Figure], factor: str, axis: str) -> bool:
    """Whether most series of figures have most levels of an axis."""
    names = _names(figures, factor, [axis])
    series = {(f.metric, names[f.configuration]) for f in figures}
    return len(figures) >= _DENSE * len(series) * len(_levels(figures, axis))


def _answers_along(own: Sequence[Figure], axes: Sequence[str]) -> tuple[list[Answer], list[Figure]]:
    """Return what figures do along the first axis that they vary on, if no pair has both sides."""
    for axis in axes:
        if _is_axis(own, axis):
            levels = _levels(own, axis)
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


# --- drawn


def _names(
    figures: Sequence[Figure], factor: str, without: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Return what tells configurations apart: the others' levels, and that of the contrast.

    A factor that others determine is left out.
    """
    names = list(dict.fromkeys(n for f in figures for n in f.factors if n not in _PEAK))
    kept: list[str] = []
    for name in sorted(
        names,
        key=lambda n: (n in {"x_path_length", "path", "loss_pct", "batchint"}, names.index(n)),
    ):
        apart = (*kept, factor, *without)
        by_levels: dict[tuple[str, ...], set[str]] = {}
        for f in figures:
            by_levels.setdefault(tuple(level_of(f.factors, k) for k in apart), set()).add(
                level_of(f.factors, name)
            )
        if name not in apart and max(map(len, by_levels.values())) > 1:
            kept.append(name)
    return {
        f.configuration: (
            ", ".join(
                ("to " if n == "target" else "") + name_of(n, level)
                for n in kept
                if (level := level_of(f.factors, n))
            ),
            name_of(factor, level_of(f.factors, factor))
            if factor and factor not in without
            else "",
        )
        for f in figures
    }


def heading_of(metric: str, unit: str) -> str:
    """Return the heading of a metric in a unit, which may be in its name already."""
    label = metric_label(metric)
    return label if not unit or label.endswith(f" {unit}") else f"{label}, {unit}"


def configuration_names(figures: Sequence[Figure]) -> dict[str, str]:
    """Return what tells the configurations of figures apart, in words."""
    return {name: others for name, (others, _) in _names(figures, "", []).items()}


def chart_blocks(
    kind: str,
    rows: Sequence[Row],
    title: str,
    *,
    about: str = "",
    half: bool = False,
    **options: Any,
) -> list[Block]:
    """Return a chart of rows, nothing if they have no value; without the extra, what it shows."""
    rows = [row for row in rows if row.get("value") is not None]
    if not rows:
        return []
    unit, name = options.get("unit", ""), "name"
    ends = sorted(rows, key=lambda row: row["value"])[:: max(len(rows) - 1, 1)]
    text = " to ".join(f"{figure(r['value'])} {unit_label(unit)} ({r.get(name, '')})" for r in ends)
    text = f"{about + ': ' if about else ''}{len(rows):,} value{'s' * (len(rows) > 1)}, {text}."
    spec = None
    if is_installed("charts"):
        from app.reports import charts

        half = half and charts.fits_half(kind, rows)
        spec = charts.chart_spec(kind, rows, half=half, **options)
        if spec is None:
            return []
    return [Chart(title, spec, text, half)]


def _charts(
    figures: Sequence[Figure], answers: Sequence[Answer], factor: str, axis: str, title: str
) -> list[Block]:
    blocks: list[Block] = []
    names = _names(figures, factor, [axis] if axis else [])
    if len({f.configuration for f in figures}) <= _FEW:
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
            full = _names([p.candidate for p in pairs], factor if len(answers) > 2 else "", [])
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


def _axis_table(
    figures: Sequence[Figure],
    prints: Mapping[tuple[str, str], Print],
    answers: Sequence[Answer],
    factor: str,
    axis: str,
    title: str,
) -> list[Block]:
    """Return a table with a column for each metric and level of an axis.

    Below the figures of the runs stand those that are printed, and the change to each level.
    """
    metrics = list(dict.fromkeys(f.metric for f in figures))
    levels = _levels(figures, axis)
    if len(metrics) * len(levels) > _MOST_COLUMNS and len(metrics) > 1:
        return [
            block
            for metric in metrics
            for block in _axis_table(
                [f for f in figures if f.metric == metric],
                prints,
                answers,
                factor,
                axis,
                f"{title}: {metric_label(metric)}",
            )
        ]
    names = _names(figures, factor, [axis])
    units = {m: unit_of([f for f in figures if f.metric == m]) for m in metrics}
    columns = [
        (m, level)
        for m in metrics
        for level in levels
        if any(f.metric == m and level_of(f.factors, axis) == level for f in figures)
    ]
    rows: dict[tuple[str, str, str], dict[tuple[str, str], str]] = {}
    for f in figures:
        others, side = names[f.configuration]
        column = f.metric, level_of(f.factors, axis)
        scale, _, digits = units[f.metric]
        rows.setdefault((others, side, ""), {})[column] = figure(f.value / scale, digits)
        if printed_figure := prints.get((f.configuration, f.metric)):
            rows.setdefault((others, side, "printed"), {})[column] = figure(
                printed_figure.value / scale, digits
            )
    if factor != axis:
        for answer in answers:
            for pair in answer.pairs:
                others, side = names[pair.candidate.configuration]
                column = answer.metric, level_of(pair.candidate.factors, axis)
                rows.setdefault((others, side, "change, %"), {})[column] = _change(pair)
                if print_text := _sentence(pair, prints):
                    rows.setdefault((others, side, "printed change, %"), {})[column] = print_text
    order = list(dict.fromkeys((others, side) for others, side, _ in rows))
    first = list(dict.fromkeys(others for others, _ in order))
    sides = [
        name_of(a.factor, level)
        for a in answers
        for level in (a.before, a.after)
        if a.factor == factor
    ]
    order.sort(key=lambda key: (first.index(key[0]), sides.index(key[1]) if key[1] in sides else 0))
    kinds = ("", "printed", "change, %", "printed change, %")
    body: list[list[str]] = []
    starts: list[tuple[int, str]] = []
    for others, side in order:
        if others and (not starts or starts[-1][1] != others):
            starts.append((len(body), others))
        for kind in kinds:
            if cells := rows.get((others, side, kind)):
                label = ", ".join(filter(None, (side or others, kind))) or "runs"
                body.append(
                    [
                        label,
                        *(cells.get(column, "") or MISSING for column in columns),
                    ]
                )
    head = [factor_label(factor) if factor and factor != axis else "Runs"]
    head += [
        f"{heading_of(m, units[m][1])}: {name_of(axis, level)}"
        if axis
        else heading_of(m, units[m][1])
        for m, level in columns
    ]
    sections = (
        tuple(starts) if any(side for _, side in order) and len({o for o, _ in order}) > 1 else ()
    )
    return [table_of_cells(head, body, _caption(title, figures, prints), sections=sections)]


def _caption(title: str, figures: Sequence[Figure], prints: Mapping[tuple[str, str], Print]) -> str:
    runs = sorted({len(f.values) for f in figures})
    each = (
        "one run each"
        if runs == [1]
        else f"means of {f'{runs[0]} to ' if len(runs) > 1 else ''}{runs[-1]} runs"
    )
    tables_of: dict[str, set[str]] = {}
    for f in figures:
        if p := prints.get((f.configuration, f.metric)):
            tables_of.setdefault(p.document, set()).add(p.table)
    text = "; ".join(
        f"document {d}, {listed(sorted(tables)[:4])}" for d, tables in sorted(tables_of.items())
    )
    return f"{title}: {each}{f'; printed: {text}' if text else ''}"


def _change(pair: Pair) -> str:
    """Return a change in percent as a cell; in brackets if it is not certain."""
    text = change(pair.judged.estimate, pair.judged.unit).removesuffix(" %")
    return f"({text})" if pair.judged.verdict in {UNDECIDED, NOT_JUDGED} else text


def printed_change(pair: Pair, prints: Mapping[tuple[str, str], Print]) -> float | None:
    """Return the change in percent that a document prints, or that of its figures."""
    short = {"transactions_per_second": "rate"}.get(pair.baseline.metric, pair.baseline.metric)
    if printed_figure := prints.get((pair.candidate.configuration, f"change_of_{short}")):
        return printed_figure.value
    before, after = (
        prints.get((f.configuration, f.metric)) for f in (pair.baseline, pair.candidate)
    )
    return 100 * (after.value / before.value - 1) if before and after and before.value else None


def _sentence(pair: Pair, prints: Mapping[tuple[str, str], Print]) -> str:
    value = printed_change(pair, prints)
    return "" if value is None else change(value).removesuffix(" %")


def pair_tables(
    answers: Sequence[Answer], prints: Mapping[tuple[str, str], Print], title: str
) -> list[Block]:
    """Return tables with a row for each pair: both figures, what is printed, and the change."""
    figures = [f for a in answers for p in a.pairs for f in (p.baseline, p.candidate)]
    if not figures:
        return []
    width = sum(3 + (index == 0) for index, _ in enumerate(answers))
    afters = list(dict.fromkeys(answer.after for answer in answers))
    if width > _MOST_COLUMNS + 1 and len(afters) > 1:
        return [
            b
            for after in afters
            for b in pair_tables([a for a in answers if a.after == after], prints, title)
        ]
    names = _names([p.baseline for a in answers for p in a.pairs], "", [answers[0].factor])
    rows: dict[str, dict[str, str]] = {}
    head: list[str] = []
    for answer in answers:
        both = [
            f
            for a in answers
            if a.metric == answer.metric
            for p in a.pairs
            for f in (p.baseline, p.candidate)
        ]
        scale, unit, digits = unit_of(both)
        over = heading_of(answer.metric, unit)
        sides = [
            name_of(answer.factor, s) if answer.factor else s for s in (answer.before, answer.after)
        ]
        by = f"{over}: to {sides[1]}, %" if len(afters) > 1 else f"{over}: change, %"
        for pair in sorted(answer.pairs, key=lambda p: order_of(p.baseline.factors)):
            row = rows.setdefault(names[pair.baseline.configuration][0], {})
            for f, side in zip((pair.baseline, pair.candidate), sides, strict=True):
                peak = f.factors.get(_PEAK[0])
                row[f"{over}: {side}"] = figure(f.value / scale, digits) + (
                    f" at {name_of('cpus', peak)}" if peak else ""
                )
                if printed_figure := prints.get((f.configuration, f.metric)):
                    row[f"{over}: {side} printed"] = figure(printed_figure.value / scale, digits)
            row[by] = _change(pair)
            if print_text := _sentence(pair, prints):
                row[f"{by[:-3]} printed, %"] = print_text
        head += [h for side in sides for h in (f"{over}: {side}", f"{over}: {side} printed")]
        head += [by, f"{by[:-3]} printed, %"]
    kept = [h for h in dict.fromkeys(head) if any(h in row for row in rows.values())]
    body = [
        [name or "All runs", *(row.get(h, MISSING) for h in kept)] for name, row in rows.items()
    ]
    return [
        table_of_cells(
            ["Configuration", *kept],
            body[:_MOST_PAIRS],
            _caption(title, figures, prints),
            left_out=max(len(body) - _MOST_PAIRS, 0),
        )
    ]


# --- a question of a mart


def question_blocks(says_: Mapping[str, Any], result: Sequence[Sequence[Any]]) -> list[Block]:
    """Return the blocks of a question: a sentence of its first row, a chart, a table."""
    if not result:
        return [Text(f"Not recorded: {says_['needs']}.")] if says_.get("needs") else []
    columns = dict(says_["columns"])
    rows = [dict(zip(columns, row, strict=True)) for row in result]
    blocks: list[Block] = []
    if says_.get("chart"):
        chart = dict(says_["chart"])
        roles = {role: chart.pop(role) for role in _ROLES if role in chart}
        kind, title = chart.pop("kind"), chart.pop("title", says_.get("caption", ""))
        points = [{role: row[column] for role, column in roles.items()} for row in rows]
        points = [
            p | {"value": None if p.get("value") is None else float(p["value"])} for p in points
        ]
        if "series" in roles:
            chart["series"] = "series"
        blocks += chart_blocks(kind, points, title, **chart)
    shown = [heading for heading in columns.values() if heading]
    if len(rows) == 1 and len(shown) > _FEW and "(" in next(iter(columns)):
        # totals read better from top to bottom
        rows = [
            {"what": heading.replace(": ", ", "), "value": rows[0][name]}
            for name, heading in columns.items()
            if heading and rows[0][name] not in {None, 0, ""}
        ]
        rows = [row | {"value": as_cell(row["value"])} for row in rows]
        columns = {"what": "What", "value": "Figure"} if len(rows) > 1 else {}
    table = (
        table_of(
            rows,
            columns,
            says_.get("caption", ""),
            most=MOST_ROWS,
            is_small=bool(says_.get("small")),
            section=str(says_.get("section", "")),
        )
        if any(columns.values())
        else None
    )
    return [*blocks, table] if isinstance(table, Table) else blocks
