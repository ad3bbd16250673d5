"""Tables of a contrast: figures by a level of an axis, or pairs, with what is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.reports.cells import MISSING
from app.reports.document import Block
from app.reports.figures import Figure, Print, level_of, number_of, order_of, unit_of
from app.reports.judging import Answer, Pair
from app.reports.tables import table_of_cells
from app.reports.words import change, name_of
from app.results.labels import factor_label, metric_label
from app.results.metrics import figure
from app.results.words import listed
from expectations.verdicts.verdict import NOT_JUDGED, UNDECIDED

__all__ = [
    "PEAK",
    "axis_table",
    "configuration_names",
    "heading_of",
    "levels_of",
    "names_apart",
    "pair_tables",
    "printed_change",
]

PEAK = ("peak_cpus",)
_MOST_PAIRS = 24
_MOST_COLUMNS = 12


def levels_of(figures: Sequence[Figure], factor: str) -> list[str]:
    """Return the levels of a factor, numbers by size."""
    return sorted({level_of(f.factors, factor) for f in figures}, key=number_of)


# --- drawn


def names_apart(
    figures: Sequence[Figure], factor: str, without: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """Return what tells configurations apart: the others' levels, and that of the contrast.

    A factor that others determine is left out.
    """
    names = list(dict.fromkeys(n for f in figures for n in f.factors if n not in PEAK))
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
    return {name: others for name, (others, _) in names_apart(figures, "", []).items()}


def axis_table(
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
    levels = levels_of(figures, axis)
    if len(metrics) * len(levels) > _MOST_COLUMNS and len(metrics) > 1:
        return [
            block
            for metric in metrics
            for block in axis_table(
                [f for f in figures if f.metric == metric],
                prints,
                answers,
                factor,
                axis,
                f"{title}: {metric_label(metric)}",
            )
        ]
    names = names_apart(figures, factor, [axis])
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
    names = names_apart([p.baseline for a in answers for p in a.pairs], "", [answers[0].factor])
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
                peak = f.factors.get(PEAK[0])
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
