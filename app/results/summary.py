"""A comparison as Markdown for a pull request: the verdict first, then what it rests on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from app.results.compared import BUILDS, DECIDED, ComparedRuns, Pair, difference_of
from app.results.labels import metric_label, short_labels, unit_label
from app.results.markdown import code, plain, table
from app.results.queries.comparison import (
    SIDES,
    counts_of,
    missing_figures,
    noise_between_builds,
    parts_of_intervals,
    pooled_changes,
    sources_that_differ,
)
from app.results.sides import Side
from app.results.words import counted
from expectations.metrics import four_digits
from expectations.verdicts.verdict import BETTER, CHANGED, DIFFERS, SAME, UNDECIDED, WORSE

__all__ = ["page_of", "summary"]

_LISTED = 20  # pairs of a table: a comment on GitHub takes 65,536 characters
_NAMED = 5  # configurations that only one side has


def summary(comparison: ComparedRuns, command: str, address: str = "") -> str:
    """Return the summary of a comparison.

    command: what makes it again; address: of the dashboard, for a link, '' without one.
    """
    pairs = sorted(comparison.pairs, key=lambda pair: -pair.size)
    short = short_labels([pair.configuration for pair in comparison.pairs])
    differ = [pair for pair in pairs if pair.judged.verdict in DECIDED]
    # What the fewest runs decide comes first; None: not even a thousand would.
    undecided = sorted(
        (pair for pair in pairs if pair.judged.verdict == UNDECIDED),
        key=lambda pair: pair.judged.more_runs or math.inf,
    )
    sides = f"{code(comparison.candidate.name)} against {code(comparison.baseline.name)}"
    runs = f"Candidate: {_runs(comparison.candidate)}; baseline: {_runs(comparison.baseline)}."
    parts = [f"### {_verdict(comparison)}: {sides}", f"{counts_of(comparison.pairs)}. {runs}"]
    if len(short) == 1:
        parts.append(f"Configuration: {plain(*short)}.")
    if differ:
        parts.append(_table(differ, short, with_more=False))
    if undecided:
        parts += [
            f"**Not decided: {len(undecided)}.** {_what_decides(undecided)}",
            _table(undecided, short, with_more=True),
        ]
    parts += [line for line in _remarks(comparison) if line]
    parts.append(f"Made by {code(command)}.")
    if page := page_of(comparison, address):
        parts.append(f"[The comparison in the dashboard](<{page}>)")
    return "\n\n".join(parts) + "\n"


def page_of(comparison: ComparedRuns, address: str) -> str:
    """Return the address of the page that compares two builds, campaigns, machines or MQ levels.

    '' if the dashboard has no address, or a side is something else.
    """
    labels = {
        label for side in (comparison.baseline, comparison.candidate) for label in side.terms
    } - {"origin"}
    kind = SIDES.get(label := labels.pop()) if len(labels) == 1 else None
    if not address or kind is None:
        return ""
    terms = {
        "compare": kind,
        "candidate": comparison.candidate.terms[label] or "",
        "baseline": comparison.baseline.terms[label] or "",
        "origin": comparison.candidate.origin,
    }
    return f"{address.rstrip('/')}/comparison?{urlencode(terms)}"


def _verdict(comparison: ComparedRuns) -> str:
    verdicts = Counter(pair.judged.verdict for pair in (*comparison.pairs, *comparison.pooled))
    if comparison.is_worse and not verdicts[WORSE]:
        return "Figures are missing"
    if verdicts[WORSE]:
        return "Worse and better" if verdicts[BETTER] else "Worse"
    if verdicts[BETTER] or verdicts[CHANGED]:
        return "Better" if verdicts[BETTER] else "Changed"
    if verdicts[DIFFERS]:
        return "Differs"
    if verdicts[UNDECIDED]:
        return "No difference is shown" if verdicts[SAME] else "Not decided"
    return "The same" if verdicts[SAME] else "Agrees"


def _runs(side: Side) -> str:
    if side.is_reference:
        return f"{plain(side.name)} figures"
    number = counted(side.runs, f"{side.origin} run")
    return f"{number}{side.of_builds}" + (f" ({side.days})" if side.days else "")


def _table(pairs: Sequence[Pair], short: dict[str, str], *, with_more: bool) -> str:
    with_parts, with_figures = any(p.part for p in pairs), any(p.figure for p in pairs)
    headings = [
        *([] if with_more else ["verdict"]),
        "metric",
        *(["configuration"] if len(short) > 1 else []),
        *(["part"] if with_parts else []),
        *(["figure"] if with_figures else []),
        "baseline", "candidate", "unit", "change", "95 % interval", "runs",
        *(["more"] if with_more else []),
    ]  # fmt: skip
    rows = []
    for pair in pairs[:_LISTED]:
        judged = pair.judged
        rows.append([
            *([] if with_more else [judged.verdict]),
            metric_label(pair.metric),
            *([short[pair.configuration]] if len(short) > 1 else []),
            *([pair.part] if with_parts else []),
            *([pair.figure] if with_figures else []),
            four_digits(judged.baseline), four_digits(judged.candidate), unit_label(pair.unit),
            difference_of(judged), difference_of(judged, with_interval=True),
            f"{judged.baseline_runs}, {judged.candidate_runs}",
            *([_more(judged.more_runs)] if with_more else []),
        ])  # fmt: skip
    numbers = [i for i, name in enumerate(headings) if name in _NUMBERS]
    rest = f"\n\n{len(pairs) - _LISTED} more are not listed." if len(pairs) > _LISTED else ""
    return table(headings, numbers, rows) + rest


_NUMBERS = ("baseline", "candidate", "change", "95 % interval", "runs", "more")


def _what_decides(pairs: Sequence[Pair]) -> str:
    """Say how many more runs decide the first of these pairs, which are in that order, and half."""
    more = [pair.judged.more_runs for pair in pairs if pair.judged.more_runs]
    if not more:
        return "A thousand runs more would not decide them."
    first, half = more[0], more[(len(more) - 1) // 2]
    decided = sum(runs <= first for runs in more)
    text = f"{counted(first, 'more run')} per side would decide {decided}"
    if half > first:
        text += f", {half} more {sum(runs <= half for runs in more)}"
    return f"{text}, if difference and noise stay as they are."


def _more(runs: int | None) -> str:
    return str(runs) if runs else "more than 1,000" if runs is None else ""


def _remarks(comparison: ComparedRuns) -> list[str]:
    """Return what the verdicts rest on, and what is not compared, by reason."""
    lines = []
    if history := noise_between_builds(comparison).strip():
        further = " More runs of them are runs of one more build each."
        lines.append(history + ("" if comparison.question == BUILDS else further))
    lines += [f"Over all configurations: {text}." for text in pooled_changes(comparison)]
    lines += filter(
        None,
        (
            plain(missing_figures(comparison).strip()),
            parts_of_intervals(comparison).strip(),
            sources_that_differ(comparison).strip(),
        ),
    )
    for side, only in (
        (comparison.baseline, comparison.only_baseline),
        (comparison.candidate, comparison.only_candidate),
    ):
        if only:
            more = f" and {len(only) - _NAMED} more" if len(only) > _NAMED else ""
            lines.append(f"Only in {code(side.name)}: {plain('; '.join(only[:_NAMED]))}{more}.")
    if comparison.incomplete:
        runs = counted(comparison.incomplete, "run")
        lines.append(f"{runs} left out because records or files are missing.")
    return lines
