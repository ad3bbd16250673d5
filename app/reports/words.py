"""What an editor prints of an answer: from ... to ... by level, and the pair that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from math import isfinite

from app.reports.cells import cell_text
from app.reports.figures import level_of, number_of, unit_of
from app.reports.judging import Answer, Leaf, Pair
from app.results.labels import level_label, metric_label, setting_label, small
from app.results.metrics import figure
from app.results.words import counted, listed
from expectations.verdicts.verdict import NOT_JUDGED, SAME, UNDECIDED

__all__ = [
    "answer_sentence",
    "cause_sentence",
    "change",
    "day",
    "days",
    "ends_of",
    "figure_of",
    "level_phrase",
    "name_of",
    "spans",
    "summary_of",
]

_TRIPLED = 200.0  # percent: what more than triples is a multiple
_MANY = 6  # pairs: fewer have their ends printed; and answers of a sentence
_CLOSE = 1.5  # points between ends that are printed as one number
_SMALL = 2.0  # percent: a difference that does not matter
_NEVER = 1_000  # runs
_PART = 0.5  # of a difference in CPU time: what has that much is named
#: How a sentence says that something has a level of these factors.
_SIZED = frozenset(
    ("file_size_mb", "message_size_bytes", "latency_km", "latency_ms_oneway", "number")
)
_BEFORE = {
    "machine": "on {}",
    "network": "over {}",
    "protocol": "over {}",
    "mode": "as {}",
    "source": "from {}",
    "target": "to {}",
    "connection": "with {} connection",
    "rni": "at {} relative nest intensity",
    "transaction": "for {}",
    "target_storage": "on {}",
    "queue": "with {} queues",
    "persistent": "for {} messages",
    "syncpoint": "{}",
    "git_revision": "with build {}",
    "campaign": "in {}",
    "night": "in {}",
    "mq_level": "with MQ {}",
}
_SIDES = frozenset(("git_revision", "campaign", "mq_level", "night"))
_CHOSEN = {"tls": "TLS", "ams": "AMS", "compmsg": "compression", "cipher": "TLS"}
_DOES = {"transactions_per_second": "does {} transactions a second", "rate": "moves {}"}


def day(value: date | datetime | None) -> str:
    """Return a date."""
    return cell_text(value.date() if isinstance(value, datetime) else value)


def days(first: date | None, last: date | None) -> str:
    """Return the days from one moment to another: one date, or the first and the last."""
    return day(first) if day(first) == day(last) else f"{day(first)} to {day(last)}"


def name_of(factor: str, level: str) -> str:
    """Return a level as a table calls it.

    >>> [name_of(*one) for one in (("machine", "z16"), ("tls", "N"), ("clients", "8000"), ("protocol", "TCP"))]
    ['z16', 'no TLS', '8,000 clients', 'TCP/IP']
    """  # noqa: E501
    if factor == "accounting":
        return "accounting class 3" if level == "Y" else "no accounting"
    if factor == "key_interval":
        return "keys not renewed" if level == "N" else f"keys renewed after {level}"
    if factor in _SIDES:
        return level or "none"
    factor = factor.removeprefix("peak_")
    if factor == "loss_pct":
        return f"{level} % loss" if float(level or 0) else "no loss"
    if factor in _CHOSEN and level in {"N", ""}:
        return f"no {_CHOSEN[factor]}"
    if not level:
        return f"no {small(setting_label(factor, 'Y'))}"
    if factor in _SIZED:
        return level_label(factor, level)
    is_word = not isfinite(number_of(level)[0]) and level not in {"Y", "N"}
    if is_word:
        return {"TCP": "TCP/IP", "FASP": "fasp.io"}.get(level, level_label(factor, level))
    return setting_label(factor.removeprefix("x_"), level)


def level_phrase(factor: str, levels: Sequence[str], every: Sequence[str] = ()) -> str:
    """Return in words that something has one of these levels; `every`: all that there are.

    >>> at("file_size_mb", ["10", "1024"]), at("ams", ["N"]), at("machine", ["z16"])
    ('at 10 MB and 1 GB', 'without AMS', 'on z16')
    >>> at("ams", ["Integrity", "Privacy"], ["Integrity", "N", "Privacy"])
    'with AMS'
    """
    if factor in _CHOSEN:
        named = [level for level in levels if level not in {"", "N"}]
        if not named:
            return f"without {_CHOSEN[factor]}"
        if len(named) > 1 and set(named) == set(every) - {"", "N"} and len(named) == len(levels):
            return f"with {_CHOSEN[factor]}"
        return f"with {_with(factor, named)}"
    if len(levels) > 2 and all(isfinite(number_of(level)[0]) for level in levels):
        ends = [name_of(factor, level) for level in (levels[0], levels[-1])]
        if ends[0].split()[-1] == ends[1].split()[-1]:
            ends[0] = ends[0].rpartition(" ")[0]
        return f"{'at' if factor in _SIZED else 'with'} {ends[0]} to {ends[1]}"
    names = listed([name_of(factor, level) for level in levels])
    last = {name_of(factor, level).split()[-1] for level in levels}
    if len(levels) > 1 and len(last) == 1:  # 8 and 10 CPUs
        (end,) = last
        named = [name_of(factor, level).removesuffix(f" {end}") for level in levels]
        names = f"{listed(named)} {end}"
    if factor in _SIZED:
        return f"at {names}"
    if names.startswith("no "):
        return f"without {names.removeprefix('no ')}"
    return _BEFORE.get(factor, "with {}").format(names)


def _with(factor: str, levels: Sequence[str]) -> str:
    names = listed([name_of(factor, level) for level in levels])
    return (
        names
        if names.startswith(_CHOSEN[factor]) or factor == "cipher"
        else (f"{_CHOSEN[factor]} {names}")
    )


def change(value: float, unit: str = "%", *, signed: bool = True, decimals: int = 1) -> str:
    """Return a change in percent with its sign; what more than triples is a multiple.

    >>> change(4.21), change(-12.4, decimals=0), change(703.0), change(-0.04), change(1.5, "points")
    ('+4.2 %', '-12 %', '8.0 times', '0.0 %', '+1.5 points')
    """
    if unit == "%" and value > _TRIPLED:
        return f"{1 + value / 100:,.1f} times"
    value = value if signed else abs(value)
    text = f"{value:{'+' if signed else ''}.{decimals}f}" if unit == "%" else f"{value:+.3g}"
    return f"{text if float(text) else text.lstrip('+-')} {unit}"


def spans(leaf: Leaf, *, signed: bool = True) -> str:
    """Return the change of a leaf: one number where its pairs agree, otherwise both ends."""
    changes = [pair.judged.estimate for pair in leaf.pairs]
    unit = leaf.pairs[0].judged.unit
    low, high = min(changes), max(changes)
    if len(leaf.pairs) >= _MANY and leaf.ends[0] == leaf.ends[1]:
        low = high = leaf.ends[0]
    return ends_of(low, high, unit, signed=signed)


def ends_of(low: float, high: float, unit: str = "%", *, signed: bool = True) -> str:
    """Return changes from one to another; one number if they are close.

    >>> [ends_of(*both) for both in ((27.3, 340.0), (43.1, 46.8), (9.6, 10.2), (-5.0, 20.0))]
    ['1.3 to 4.4 times', '+43 to +47 %', '+10 %', '-5 to +20 %']
    """
    if unit != "%":
        both = f"{low:+.3g}" if f"{low:+.3g}" == f"{high:+.3g}" else f"{low:+.3g} to {high:+.3g}"
        return f"{both} {unit}"
    if high > _TRIPLED:
        first, last = f"{1 + low / 100:,.1f}", f"{1 + high / 100:,.1f}"
        return f"{last if first == last else f'{first} to {last}'} times"
    if abs(high - low) <= _CLOSE:
        middle = (low + high) / 2
        is_one = f"{low:.1f}" == f"{high:.1f}" and abs(middle) < 9.5
        return change(middle, decimals=int(is_one), signed=signed)
    sign = "+" if signed else ""
    if not signed:
        low, high = sorted((abs(low), abs(high)))
    first, last = (
        text if float(text) else "0" for text in (f"{low:{sign}.0f}", f"{high:{sign}.0f}")
    )
    return f"{first} to {last} %" if first != last else f"{first} %"


def answer_sentence(answer: Answer, *, whole: bool = True) -> str:
    """Return the answer in words; `whole`: with the sides, and the pair that shows it most."""
    label = metric_label(answer.metric)
    before, after = (
        level_phrase(answer.factor, [level]) if answer.factor else f"in {level}"
        for level in (answer.before, answer.after)
    )
    verdicts = {leaf.verdict for leaf in answer.leaves}
    if verdicts == {SAME}:
        return f"{label} is the same {after} as {before}, within 2 %."
    if verdicts <= {UNDECIDED, SAME, NOT_JUDGED}:
        return _undecided_sentence(answer, label, before, after)
    sure = [leaf for leaf in answer.leaves if leaf.verdict not in {UNDECIDED, SAME}]
    signs = {pair.judged.estimate > 0 for leaf in sure for pair in leaf.pairs}
    is_multiple = any(spans(leaf).endswith("times") for leaf in answer.leaves)
    leaves = _collapse(answer)
    if len(leaves) == 1 and len(signs) == 1:
        span = spans(leaves[0][1], signed=False)
        everywhere = (
            f", at every {_axes(answer)}"
            if answer.axes and leaves[0][1].ends[0] == leaves[0][1].ends[1]
            else ""
        )
        if is_multiple:
            text = f"{label} {after} is {span} what it is {before}{everywhere}"
        else:
            word = "higher" if signs == {True} else "lower"
            text = f"{label} is {span} {word} {after} than {before}{everywhere}"
    elif len(signs) == 1 and not is_multiple:
        word = "higher" if signs == {True} else "lower"
        text = (
            f"{label} is {word} {after} than {before}: {_join_leaves(leaves, answer, signed=False)}"
        )
    else:
        changes = _join_leaves(leaves, answer, signed=True)
        text = f"{label} {after} against {before.removeprefix('in ')}: {changes}"
    shown_most = _largest_pair(answer) if whole and len(answer.pairs) > 1 else ""
    return f"{text}.{f' {shown_most}' if shown_most else ''}"


def _axes(answer: Answer) -> str:
    names = {
        "file_size_mb": "file size",
        "message_size_bytes": "message size",
        "cpus": "number of processors",
        "latency_ms_oneway": "distance",
        "clients": "number of clients",
        "mode": "mode",
        "ams": "AMS policy",
        "rni": "class of work",
        "key_interval": "renewal of keys",
    }
    return listed(
        [names.get(axis, axis.removeprefix("x_").replace("_", " ")) for axis in answer.axes]
    )


def _collapse(answer: Answer) -> list[tuple[Mapping[str, tuple[str, ...]], Leaf]]:
    """Return the leaves of a sentence: those of the first axis together if they are too many."""
    if len(answer.leaves) <= _MANY:
        return [(leaf.at, leaf) for leaf in answer.leaves]
    axis = next(iter(answer.leaves[0].at))
    by_levels: dict[tuple[str, ...], list[Pair]] = {}
    for leaf in answer.leaves:
        by_levels.setdefault(leaf.at.get(axis, ()), []).extend(leaf.pairs)
    groups = list(by_levels.items())
    if len(groups) > _MANY:
        groups = [groups[0], groups[len(groups) // 2], groups[-1]]
    return [({axis: levels}, Leaf({axis: levels}, tuple(pairs))) for levels, pairs in groups]


def _join_leaves(
    leaves: Iterable[tuple[Mapping[str, tuple[str, ...]], Leaf]], answer: Answer, *, signed: bool
) -> str:
    """Return leaves one after another, those of one level of the first axis under its name."""
    every = {
        axis: sorted({level_of(p.baseline.factors, axis) for p in answer.pairs}, key=number_of)
        for axis in answer.axes
    }
    parts: dict[str, list[str]] = {}
    for where, leaf in leaves:
        first, *rest = [
            level_phrase(axis, levels, every.get(axis, ())) for axis, levels in where.items()
        ] or [""]
        span = spans(leaf, signed=signed) + (" (not certain)" if leaf.verdict == UNDECIDED else "")
        parts.setdefault(first, []).append(f"{span} {' '.join(rest)}".strip())
    return "; ".join(
        f"{own_levels[0]} {first}".strip()
        if len(own_levels) == 1 and " at " not in own_levels[0]
        else f"{first} {listed(own_levels)}"
        for first, own_levels in parts.items()
    )


def _largest_pair(answer: Answer) -> str:
    """Return the pair with the largest certain change, in figures."""
    sure = [
        pair for pair in answer.pairs if pair.judged.verdict not in {UNDECIDED, SAME, NOT_JUDGED}
    ]
    if not sure:
        return ""
    pair = max(sure, key=lambda item: abs(item.shift))
    where = " ".join(
        level_phrase(axis, [level])
        for axis in answer.axes
        if (level := level_of(pair.baseline.factors, axis))
    )
    sides = [
        name_of(answer.factor, level) if answer.factor else level
        for level in (answer.after, answer.before)
    ]
    figures = [figure_of(answer, item) for item in (pair.judged.candidate, pair.judged.baseline)]
    does = _DOES.get(answer.metric, "costs {}" if answer.metric.startswith("cost_") else "has {}")
    by = change(pair.judged.estimate, pair.judged.unit)
    if sides[0][:1].isdigit():  # of 8 and of 40 clients
        label = small(metric_label(answer.metric))
        after, before = (
            level_phrase(answer.factor, [item]) for item in (answer.after, answer.before)
        )
        text = f"{label} is {figures[0]} {after}, {figures[1]} {before} ({by})"
    else:
        text = f"{sides[0]} {does.format(figures[0])}, {sides[1]} {figures[1]} ({by})"
    sentence = f"{where}, {text}." if where else f"{text}."
    is_name = any(sign.isdigit() for sign in sentence.split(maxsplit=1)[0])  # of a build
    return sentence if is_name else f"{sentence[:1].upper()}{sentence[1:]}"


def figure_of(answer: Answer, value: float) -> str:
    """Return a figure of an answer's metric with its unit, as its table has it."""
    scale, unit, digits = unit_of([f for p in answer.pairs for f in (p.baseline, p.candidate)])
    text = figure(value / scale, digits)
    is_bare = answer.metric == "transactions_per_second" or unit == "count"
    return text if is_bare else f"{text} {unit}".strip()


def _undecided_sentence(answer: Answer, label: str, before: str, after: str) -> str:
    runs = sorted(
        {n for p in answer.pairs for n in (p.judged.baseline_runs, p.judged.candidate_runs)}
    )
    more = [p.judged.more_runs for p in answer.pairs]
    each = (
        "once"
        if runs == [1]
        else f"{runs[0]} times"
        if len(runs) == 1
        else f"{runs[0]} to {runs[-1]} times"
    )
    if all(abs(p.judged.estimate) <= _SMALL for p in answer.pairs if p.is_ratio):
        text = f"{label} {after} does not differ from that {before}"
        return f"{text} by more than the noise ({_all(answer)})."
    text = f"Undecided: {small(label)} {after} against {before} ({_all(answer)}); each ran {each}"
    most = max((n or _NEVER for n in more), default=_NEVER)
    if most >= _NEVER:
        return f"{text}, and no number of runs is sure to decide."
    return f"{text}, and {counted(most, 'more run')} of each would decide."


def _all(answer: Answer) -> str:
    changes = [pair.judged.estimate for pair in answer.pairs]
    return ends_of(min(changes), max(changes), answer.pairs[0].judged.unit, signed=True)


def cause_sentence(answer: Answer, parts: Mapping[str, Mapping[str, float]]) -> str:
    """Return where a difference in cost is: the address space that has most of it, or ''.

    `parts`: CPU time by address space of each configuration.
    """
    added: dict[str, float] = {}
    for pair in answer.pairs:
        before, after = (
            parts.get(item.configuration, {}) for item in (pair.baseline, pair.candidate)
        )
        if before and after:
            for space in {*before, *after}:
                added[space] = added.get(space, 0) + after.get(space, 0) - before.get(space, 0)
    total = sum(added.values())
    if not total or not added:
        return ""
    name = max(added, key=lambda space: added[space] / total)
    share = added[name] / total
    if not _PART <= share <= 1.2:
        return ""
    verb = "added" if total > 0 else "saved"
    return f"{100 * min(share, 1):.0f} % of the {verb} CPU time is in {name}."


def summary_of(answer: Answer) -> str:
    """Return the answer as a table of answers has it."""
    every = [leaf.verdict for leaf in answer.leaves]
    if set(every) == {SAME}:
        return "the same"
    return _join_leaves(_collapse(answer), answer, signed=True)
