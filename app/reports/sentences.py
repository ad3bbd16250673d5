"""Sentences that figures make: what leads, rises, stops rising, or is lost in the noise.

Each pattern takes rows of figures and returns a `Said`: a sentence, and the comparisons that it
rests on. Two figures are compared as `perfhouse compare` does it, so a sentence says "leads",
"rises" or "falls" only where the verdict is decided, and gives the 95 % interval; otherwise it
gives the figures and says that their runs do not decide. One that is picked from several, such as
the best, is compared with each of them, and the verdicts are corrected for their number (S. Holm,
Scandinavian Journal of Statistics 6 (1979), 65-70). A row has name, metric, unit,
more_is_better, value (the median), runs and values (one per run); published and predicted,
predicted_low and predicted_high where there are any; file_size_mb and message_size_bytes, without
which rows are no rivals of each other unless they are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite, log, nan
from typing import Any, NamedTuple

from app.reports.facts import bounds, day, difference, listed, mean_of, of_metric, percent
from app.reports.facts import change as change_in_words
from app.reports.labelled import level_in_words
from app.results.labels import metric_label, small, unit_label
from expectations.metrics import measure_of
from expectations.verdicts.samples import ALPHA, compare

__all__ = [
    "ALONE", "WORK", "Said", "across", "best_first", "changed", "compared", "course", "knee",
    "last", "leader", "on_average", "predicted", "printed", "range_of", "reason", "spread",
    "steady", "two_sides", "varied", "within_noise",
]  # fmt: skip

Row = Mapping[str, Any]
_ONE_EACH = "1 and 1"  # runs, which decide nothing
_ENDLESS = 100.0  # times: an interval as wide says nothing
ALONE = "all runs"  #: the name of configurations that differ in nothing but the level
_DECIDED = {"better", "worse", "changed"}
_ACROSS = {  # verdicts, and how they are counted
    "better": "better", "worse": "worse", "changed": "different", "same": "the same",
}  # fmt: skip
_OF_MANY = "not certain, being one of several"
WORK = {  # what rows must have in common to be rivals: its column, how to say it, its unit
    "file_size_mb": ("files", "MB"),
    "message_size_bytes": ("messages", "B"),
}
_PLACES = ("in ", "outside ", "with ", "without ")  # a name that begins so needs no "of"
_INCOMPLETE = "incomplete: "  # which every excluded run is
_AS_PRINTED = 5.0  # percent: documents round their figures, and their machines differ


class Said(NamedTuple):
    """A sentence, and its comparisons: a row each, for the appendix that lists them.

    metric, unit; name and value; against and before, what it is compared with; change, low and high
    in percent (None: no interval); runs; verdict.
    """

    text: str
    claims: tuple[dict[str, Any], ...] = ()
    is_course: bool = False  # of one configuration along a level, not of several


def compared(before: Row, after: Row, alpha: float = ALPHA) -> dict[str, Any]:
    """Return the comparison of two figures of a metric, with its 95 % interval and verdict.

    The change is in percent; of percentages it is in points, in parts of the first figure. A metric
    without a better direction has `changed` for a decided difference.
    `alpha`: of the verdict, below 5 % for one of several comparisons.
    """
    is_in_points, size = after["unit"] == "%", before["value"]
    sides = before["values"], after["values"]
    measure = measure_of(after["metric"], after["unit"], after["more_is_better"])
    judged = compare(*sides, measure)
    part = 1.0  # of the estimate, in percent or points
    if is_in_points != (judged.unit != "%"):
        part = size / 100 if is_in_points else 100 / size if size else nan
    ends = [part * end for end in (judged.estimate, judged.low, judged.high)]
    has_interval = judged.high - judged.low < 100 * _ENDLESS
    claim = {
        "metric": after["metric"], "unit": after["unit"], "name": after["name"],
        "value": after["value"], "against": before["name"], "before": size,
        "is_in_points": is_in_points, "change": ends[0] if isfinite(part) else None,
        "low": ends[1] if has_interval and isfinite(part) else None,
        "high": ends[2] if has_interval and isfinite(part) else None,
        "runs": f"{before['runs']} and {after['runs']}", "verdict": judged.verdict,
        "p_value": judged.p_value,
    }  # fmt: skip
    if alpha < ALPHA and claim["verdict"] in _DECIDED:
        strict = compare(*sides, measure, alpha=alpha)
        if strict.verdict not in _DECIDED:
            claim["verdict"] = _OF_MANY
    return claim


def _one_of(one: Row, others: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the comparisons of a row with each of the others, corrected for their number."""
    claims = [compared(other, one) for other in others]
    order = sorted(range(len(claims)), key=lambda place: claims[place].get("p_value", 1.0))
    is_open = False
    for rank, place in enumerate(order):
        if claims[place]["verdict"] not in _DECIDED:
            continue
        claims[place] = (
            claims[place] | {"verdict": _OF_MANY}
            if is_open
            else compared(others[place], one, ALPHA / (len(order) - rank))
        )
        is_open = claims[place]["verdict"] not in _DECIDED
    return claims


def leader(rows: Sequence[Row]) -> Said | None:
    """Say which configuration leads and by how much, as far as the runs decide it."""
    ordered = best_first(rows)
    if len(ordered) < 2:
        return None
    best, *rivals = ordered
    claims = _one_of(best, rivals)
    close = [
        (row, claim)
        for row, claim in zip(rivals, claims, strict=True)
        if claim["verdict"] not in _DECIDED
    ]
    if not close:
        return Said(
            f"{_name(best)} has the {_best(best)} {_what(best)}, {_figure(best)}: "
            f"{change_in_words(claims[0])} against {rivals[0]['name']} ({_figure(rivals[0])}).",
            (claims[0],),
        )
    has_others = len(close) < len(rivals)
    open_ = [(row, claim) for row, claim in close if claim["verdict"] != "same"]
    if not open_:
        same = [f"{row['name']} ({_figure(row)})" for row in (best, *(row for row, _ in close))]
        same[0] = f"{_name(best)} ({_figure(best)})"
        return Said(
            f"{listed(same)} are the same in {_what(best)} within the tolerance"
            f"{', and ahead of the others' if has_others else ''}.",
            tuple(claim for _, claim in close),
        )
    if not has_others:
        return within_noise(ordered)
    return _leaders(best, close, [row for row in rivals if all(row is not one for one, _ in close)])


def _leaders(best: Row, close: Sequence[tuple[Row, dict[str, Any]]], others: Sequence[Row]) -> Said:
    """Say that the best and those close to it lead, if all of them are certain to be ahead."""
    rivals = [row for row, _ in close]
    ahead = [_one_of(row, others) for row in rivals]
    figures = [f"{row['name']} ({_figure(row)})" for row in rivals]
    if all(claim["verdict"] in _DECIDED for claims in ahead for claim in claims):
        return Said(
            f"{listed([f'{_name(best)} ({_figure(best)})', *figures])} lead with the {_best(best)} "
            f"{_what(best)}: no difference between them is certain, and each is ahead of "
            f"{others[0]['name']} ({_figure(others[0])}).",
            (*(claim for _, claim in close), *(claims[0] for claims in ahead)),
        )
    return Said(
        f"{_name(best)} has the best {_what(best)}, {_figure(best)}, but its lead over "
        f"{listed(figures)} is not certain.",
        tuple(claim for _, claim in close),
    )


def within_noise(rows: Sequence[Row]) -> Said | None:
    """Say that no configuration leads, where no difference from the best is decided."""
    ordered = best_first(rows)
    if len(ordered) < 2:
        return None
    low, high = sorted((ordered[0], ordered[-1]), key=lambda row: row["value"])
    claims = _one_of(ordered[0], ordered[1:])
    if any(claim["verdict"] in _DECIDED for claim in claims):
        return None
    if all(_figure(row) == _figure(low) for row in ordered):
        each = ", in one run each" if all(row["runs"] == 1 for row in ordered) else ""
        what = metric_label(low["metric"])
        return Said(f"{what} is {_figure(low)} of all of them{each}.", (claims[-1],))
    lies = (
        f"{_what(low)} lies between {_figure(low)} ({low['name']}) "
        f"and {_figure(high)} ({high['name']})"
    )
    if all(row["runs"] == 1 for row in ordered):  # nothing is known of the noise
        return Said(f"{lies[:1].upper()}{lies[1:]}, one run each.", (claims[-1],))
    return Said(
        f"No configuration leads: {lies}; no difference from the best is certain.", (claims[-1],)
    )


def last(rows: Sequence[Row]) -> Said | None:
    """Say how far the last one is behind the best, where it is certain to be behind all."""
    ordered = best_first(rows)
    if len(ordered) < 3:
        return None
    claim, *claims = _one_of(ordered[-1], ordered[:-1])
    if any(one["verdict"] not in _DECIDED for one in (claim, *claims)):
        return None
    return Said(
        f"{_name(ordered[-1])} has the {_best(ordered[-1], worst=True)} {_what(ordered[-1])}, "
        f"{_figure(ordered[-1])}: {change_in_words(claim)} against {ordered[0]['name']}.",
        (claim,),
    )


def course(rows: Sequence[Row], level: str, unit: str) -> Said | None:
    """Say how a figure goes from the first to the last level of a factor: rises, falls, stays."""
    ordered = _along(rows, level, unit)
    if len(ordered) < 2:
        return None
    first, final = ordered[0], ordered[-1]
    claim = compared(first, final)
    what = f"{metric_label(final['metric'])}{_of(final['name'])}"
    ends = f"from {_figure(first)} at {first['at']} to {_figure(final)} at {final['at']}"
    if claim["verdict"] in _DECIDED:
        word = "rises" if claim["change"] > 0 else "falls"
        text = f"{what} {word} {ends}: {change_in_words(claim)}."
    elif claim["verdict"] == "same":
        text = f"{what} stays the same within the tolerance {ends}."
    else:
        why = (
            ", in one run each"
            if claim["runs"] == _ONE_EACH
            else f"; {_runs(claim)} do not decide whether that is a difference"
        )
        text = f"{what} goes {ends}{why}."
        if _figure(first) == _figure(final):
            text = f"{what} is {_figure(first)} at {first['at']} and at {final['at']}{why}."
    return Said(text, (_at_levels(claim, first, final),), is_course=True)


def knee(rows: Sequence[Row], level: str, unit: str) -> Said | None:
    """Say at which level a figure stops improving: from there no step to a later one is better."""
    ordered = _along(rows, level, unit)
    if len(ordered) < 4 or ordered[0]["more_is_better"] is None:
        return None
    if not any(compared(a, b)["verdict"] == "better" for a, b in pairwise(ordered)):
        return None
    for place, row in enumerate(ordered[:-1]):
        if all(compared(row, later)["verdict"] != "better" for later in ordered[place + 1 :]):
            break
    else:
        return None  # it is still improving at the last level
    final = ordered[-1]
    claim = compared(row, final)
    word = "rising" if row["more_is_better"] else "falling"
    return Said(
        f"It stops {word} at {row['at']}, with {_figure(row)}; at {final['at']} it is "
        f"{_figure(final)} ({_verdict(claim)}).",
        (_at_levels(claim, row, final),),
        is_course=True,
    )


def printed(rows: Iterable[Row]) -> Said | None:
    """Say how figures lie to those that a document printed: the furthest of them."""
    found = [row for row in rows if row.get("published") and row["value"] > 0]
    if not found:
        return None
    far = max(found, key=lambda row: _distance(row, "published"))
    claim = _beside(far, "published", far["published"])
    if len(found) == 1:
        return Said(
            f"The {_what(far)} published for {far['name']} was {_figure(far, 'published')}; these "
            f"runs have {_figure(far)} ({difference(claim)}).",
            (claim,),
        )
    if difference(claim).startswith("0.0 "):
        return Said(f"{_what(far)[:1].upper()}{_what(far)[1:]} is as published throughout.")
    unit = "points" if claim["is_in_points"] else "%"
    near = f"; all are within 5 {unit} of them" if abs(claim["change"]) <= _AS_PRINTED else ""
    return Said(
        f"The furthest from the published figures is {_what(far)} of {far['name']}, {_figure(far)} "
        f"where {_figure(far, 'published')} was printed ({difference(claim)}){near}.",
        (claim,),
    )


def predicted(rows: Iterable[Row]) -> Said | None:
    """Say how figures lie to the model's band: the one that is furthest outside, or inside all."""
    found = [
        row for row in rows
        if row.get("predicted") and row.get("predicted_low") is not None and row["value"] > 0
    ]  # fmt: skip
    if not found:
        return None
    far = max(found, key=lambda row: _distance(row, "predicted"))
    is_inside = far["predicted_low"] <= far["value"] <= far["predicted_high"]
    band = f"{_figure(far, 'predicted_low')} to {_figure(far, 'predicted_high')}"
    where = "inside" if is_inside else "above" if far["value"] > far["predicted_high"] else "below"
    claim = _beside(far, f"predicted, {band}", far["predicted"])
    return Said(
        f"The model predicts {_figure(far, 'predicted')} for {far['name']}, with a band of {band}; "
        f"{_figure(far)} lies {where} it.",
        (claim,),
    )


def reason(before: Row, after: Row, parts: Sequence[Row]) -> Said | None:
    """Say which part of the CPU time makes most of a difference that is decided.

    `parts`: name, part (address space), cpu_seconds of a run of both configurations.
    """
    claim = compared(before, after)
    if claim["verdict"] not in _DECIDED or before["name"] == after["name"]:
        return None
    first, second = (
        {row["part"]: row["cpu_seconds"] for row in parts if row["name"] == one["name"]}
        for one in (before, after)
    )
    if not first or not second:
        return None
    rises = (claim["change"] or 0) > 0
    moved = {part: second.get(part, 0) - first.get(part, 0) for part in {**first, **second}}
    part = max(sorted(moved), key=lambda one: moved[one] if rises else -moved[one])
    if (moved[part] > 0) != rises or not moved[part]:
        return None
    row = {
        "metric": "cpu_seconds", "unit": "CPU s", "name": f"{after['name']}: {part}",
        "value": second.get(part, 0.0), "runs": claim["runs"],
    }  # fmt: skip
    old = first.get(part, 0.0)
    return Said(
        f"Most of the difference in CPU time is in {part}: {_figure(row)} a "
        f"run of {after['name']}, {_figure(row | {'value': old})} of {before['name']}.",
        (_claim(row, f"{before['name']}: {part}", old, None),),
    )


def changed(row: Row) -> Said:
    """Say what a regression changed, since when and with which build, and its likely cause."""
    what = f"{row['heading']} of {row['configuration'] or row['campaign']}"
    if not row["metric"] and row["cause"]:  # runs that are left out
        of, why = row["configuration"] or row["campaign"], row["cause"].removeprefix(_INCOMPLETE)
        return Said(f"Runs of {of} have been excluded since {day(row['onset_utc'])}: {why}.")
    if row["change_percent"] is None or row["before"] is None or not row["metric"]:
        return Said(f"{what}: {row['message']}.")
    low, high = bounds(row)
    claim = {
        "metric": row["metric"], "unit": row["unit"],
        "name": row["configuration"] or row["campaign"],
        "value": row["after"], "against": f"before {day(row['onset_utc'])}",
        "before": row["before"], "change": row["change_percent"], "low": low, "high": high,
        "runs": f"{row['runs_before']} and {row['runs_after']}", "verdict": "worse",
    }  # fmt: skip
    if low is None or high is None:
        claim["verdict"] = "undecided"
    if row.get("kind") == "model":
        return Said(
            f"{what} is {_figure(row, 'after')} where the model predicts {_figure(row, 'before')} "
            f"({percent(row['change_percent'])}), since {day(row['onset_utc'])}.",
            (claim,),
        )
    word = "rose" if row["change_percent"] > 0 else "fell"
    build = f" with build {row['onset_build']}" if row["onset_build"] else ""
    cause = f" Likely cause: {row['cause']}." if row["cause"] else ""
    return Said(
        f"{what} {word} from {_figure(row, 'before')} to {_figure(row, 'after')} on "
        f"{day(row['onset_utc'])}{build}: {change_in_words(claim)}.{cause}",
        (claim,),
    )


def steady(row: Row) -> Said:
    """Say how much runs deviate around their level, and whether levels changed.

    `row`: metric, typical_percent, largest_percent and changes, as `facts.noise` returns them.
    """
    changes = (
        "no configuration changed its level"
        if not row["changes"]
        else "a configuration changed its level once"
        if row["changes"] == 1
        else f"levels changed {row['changes']} times"
    )
    typical, largest = (
        percent(row[name], signed=False) for name in ("typical_percent", "largest_percent")
    )
    return Said(
        f"{metric_label(row['metric'])} of a run deviates by {typical} in a typical configuration "
        f"and by {largest} in the noisiest; {changes}."
    )


def two_sides(row: Row, baseline: str, candidate: str) -> Said:
    """Say what a compared figure is on both sides: the row of a comparison with a verdict."""
    claim = _of_two(row, baseline, candidate)
    return Said(
        f"{metric_label(row['metric'])} of {row['short']} is {row['verdict']} with {candidate} "
        f"than with {baseline}: {_figure(row, 'candidate')} against {_figure(row, 'baseline')}, "
        f"{change_in_words(claim)}.",
        (claim | {"name": f"{claim['name']}, {candidate}"},),
    )


def _of_two(row: Row, baseline: str, candidate: str) -> dict[str, Any]:
    """Return the claim of a row of a comparison."""
    return {
        "metric": row["metric"], "unit": row["unit"], "name": row["short"],
        "value": row["candidate"], "against": baseline, "before": row["baseline"],
        "change": row["change"], "low": row["low"], "high": row["high"], "runs": row["runs"],
        "verdict": row["verdict"],
    }  # fmt: skip


def across(rows: Sequence[Row], baseline: str, candidate: str) -> Said | None:
    """Say in how many configurations a figure is better or worse on one side than on the other.

    `rows`: those of a metric in a comparison, so the verdicts are those of its table.
    """
    claims = [_of_two(row, baseline, candidate) for row in rows if row["change"] is not None]
    if not claims:
        return None
    what = f"{metric_label(claims[0]['metric'])} with {candidate}"
    if len(claims) == 1:
        (claim,) = claims
        ends = f"{_figure(claim)} where it is {_figure(claim, 'before')} with {baseline}"
        return Said(f"{what} is {ends}: {_verdict(claim)}.", (claim,))
    groups = Counter(claim["verdict"] for claim in claims)
    if not any(groups[verdict] for verdict in _ACROSS):
        low, high = (end(claims, key=lambda claim: claim["change"]) for end in (min, max))
        is_one_each = all(claim["runs"] == _ONE_EACH for claim in claims)
        mean = mean_of([claim["change"] for claim in claims])
        if mean["low"] is not None and not mean["low"] <= 0 <= mean["high"]:
            together = claims[0] | mean | {
                "name": what, "value": None, "before": None, "change": mean["mean"],
                "runs": f"{len(claims)} pairs", "verdict": "changed",
            }  # fmt: skip
            return Said(
                f"{what} differs from that with {baseline} by {change_in_words(together)} on "
                f"average over {len(claims)} configurations, each too noisy to show it.",
                (low, high, together),
            )
        return Said(
            f"{what} differs from that with {baseline} by {percent(low['change'])} "
            f"({low['name']}) to {percent(high['change'])} ({high['name']}); no difference is "
            f"statistically significant{', in one run each' if is_one_each else ''}.",
            (low, high),
        )
    seen = {word: groups[verdict] for verdict, word in _ACROSS.items() if groups[verdict]}
    counts = [f"{word} in {count}" for word, count in seen.items()]
    undecided = len(claims) - sum(groups[verdict] for verdict in _ACROSS)
    counts += [f"undecided in {undecided}"] if undecided else []
    total = f"{len(claims)} configurations"
    text = f"Of {total}, {small(what)} is {listed(counts)}"
    blank = dict.fromkeys(("value", "before", "change", "low", "high", "runs", "verdict"))
    found = [claims[0] | blank | {"name": f"{total}: {listed(counts)}"}]
    decided = [claim for claim in claims if claim["verdict"] in _DECIDED]
    if decided:
        most = max(decided, key=lambda claim: abs(claim["change"]))
        text += f"; the most with {most['name']}, {change_in_words(most)}"
        found.append(most)
    return Said(f"{text}.", tuple(found))


def on_average(row: Row) -> Said | None:
    """Say what a factor does on average over pairs of configurations, if that is significant.

    `row`: of `facts.effects`, with `what`, the factor and its level in words.
    """
    if row["low"] is None or row["low"] <= 0 <= row["high"]:
        return None
    is_one = row["pairs"] == 1
    claim = {
        "metric": row["metric"], "unit": None, "name": row["what"], "value": None,
        "against": None, "before": None, "change": row["mean"], "low": row["low"],
        "high": row["high"], "runs": "1 pair" if is_one else f"{row['pairs']} pairs",
        "verdict": "changed",
    }  # fmt: skip
    pairs = (
        "In the only pair of configurations that differ in it alone"
        if is_one
        else f"On average over {row['pairs']} pairs of configurations"
    )
    return Said(
        f"{pairs}, {_what(row)} changes by {change_in_words(claim)}{_but(row)}.",
        (claim,),
    )


def _but(row: Row) -> str:
    """Return that single pairs go the other way than their mean, if they do."""
    is_mixed = row.get("lowest") is not None and row["lowest"] < 0 < row["highest"]
    return f"; in some pairs it {'falls' if row['mean'] > 0 else 'rises'}" if is_mixed else ""


def varied(rows: Sequence[Row]) -> Said | None:
    """Say which name's figures differ the most from one to the next, and which one's the least.

    `rows`: a figure each, several of a name; they are transfers, say, rather than runs.
    """
    figures: dict[str, list[Row]] = {}
    for row in rows:
        figures.setdefault(row["name"], []).append(row)
    ends = [
        (low, high)
        for own in figures.values()
        for low, high in [(min(own, key=_value), max(own, key=_value))]
        if len(own) > 1
    ]
    if len(ends) < 2:
        return None
    ends.sort(key=lambda pair: pair[1]["value"] / pair[0]["value"])
    (_, least), (low, most) = (ends[0], ends[-1])
    return Said(
        f"{metric_label(most['metric'])} of {most['name']} differs the most from one transfer to "
        f"another, {_figure(low)} to {_figure(most)}; that of {least['name']} the least, "
        f"{_figure(ends[0][0])} to {_figure(least)}.",
        tuple(
            _claim(high, "its lowest", low["value"], 100 * (high["value"] / low["value"] - 1))
            for low, high in (ends[-1], ends[0])
        ),
    )


def range_of(rows: Sequence[Row]) -> Said | None:
    """Say between what figures without a better direction lie, such as shares."""
    found = sorted(rows, key=lambda row: row["value"])
    if len(found) < 2 or found[0]["value"] == found[-1]["value"]:
        return None
    low, high = found[0], found[-1]
    if _figure(low) == _figure(high):
        return Said(f"{metric_label(low['metric'])} is {_figure(low)} of all of them.")
    pairs = len(found) * (len(found) - 1) / 2
    claim = compared(low, high, ALPHA / pairs)
    return Said(
        f"{metric_label(low['metric'])} goes from {_figure(low)} ({low['name']}) to "
        f"{_figure(high)} ({high['name']}); {_verdict(claim)}.",
        (claim,),
    )


def spread(rows: Sequence[Row]) -> Said | None:
    """Say between what figures lie whose files or messages differ in size."""
    found = sorted(rows, key=lambda row: row["value"])
    sizes = {words for column, (words, _) in WORK.items() if len({r.get(column) for r in rows}) > 1}
    if len(found) < 2 or not sizes:
        return None
    low, high = found[0], found[-1]
    return Said(
        f"{metric_label(low['metric'])} lies between {_figure(low)} ({low['name']}) and "
        f"{_figure(high)} ({high['name']}); their {' and '.join(sizes)} differ in size, so "
        f"none is called better.",
        (_claim(high, low["name"], low["value"], None),),
    )


def _of(name: str) -> str:
    """Return whose figure it is as a sentence goes on: "of TCP", but "outside syncpoint"."""
    return "" if name == ALONE else f" {name}" if name.startswith(_PLACES) else f" of {name}"


def _best(row: Row, *, worst: bool = False) -> str:
    return "highest" if bool(row["more_is_better"]) != worst else "lowest"


def _value(row: Row) -> float:
    return float(row["value"])


def best_first(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a metric with a better direction, one per name, the best first."""
    one_each = {row["name"]: row for row in rows}
    found = [row for row in one_each.values() if row["more_is_better"] is not None]
    return sorted(found, key=lambda row: -row["value"] if row["more_is_better"] else row["value"])


def _along(rows: Sequence[Row], level: str, unit: str) -> list[dict[str, Any]]:
    found = sorted((row for row in rows if row[level] is not None), key=lambda row: row[level])
    return [dict(row) | {"at": level_in_words(row[level], unit)} for row in found]


def _at_levels(claim: dict[str, Any], first: Row, final: Row) -> dict[str, Any]:
    name = "" if final["name"] == ALONE else f"{final['name']}, "
    return claim | {"name": f"{name}{final['at']}", "against": first["at"]}


def _claim(row: Row, against: str, before: float, change: float | None) -> dict[str, Any]:
    return {
        "metric": row["metric"], "unit": row["unit"], "name": row["name"], "value": row["value"],
        "against": against, "before": before, "change": change, "low": None, "high": None,
        "runs": str(row["runs"]), "verdict": None,
    }  # fmt: skip


def _distance(row: Row, column: str) -> float:
    """Return how far a figure is from another one: half as much is as far as twice as much."""
    if row["unit"] == "%":
        return float(abs(row["value"] - row[column]) / 100)
    return abs(log(row["value"] / row[column]))


def _beside(row: Row, against: str, figure: float) -> dict[str, Any]:
    """Return the claim of how a figure differs from a single one: in percent, or in points."""
    is_in_points = row["unit"] == "%"
    change = row["value"] - figure if is_in_points else 100 * (row["value"] / figure - 1)
    return _claim(row, against, figure, change) | {"is_in_points": is_in_points}


def _name(row: Row) -> str:
    """Return a name as a sentence begins with it: "Clients", but "z/OS" and "xLinux"."""
    name = str(row["name"])
    word = name.split(" ", maxsplit=1)[0].rstrip(",")
    return name[:1].upper() + name[1:] if word.isalpha() and word.islower() else name


def _what(row: Row) -> str:
    return small(metric_label(row["metric"]))


def _figure(row: Row, column: str = "value") -> str:
    unit = unit_label(row["unit"] or "")
    return f"{of_metric(row[column], row['metric'])} {unit}".strip()


def _runs(claim: Row) -> str:
    return f"{claim['runs']} runs"


def _verdict(claim: Row) -> str:
    if claim["verdict"] in _DECIDED:
        return change_in_words(claim)
    if claim["verdict"] == "same":
        return "the same within the tolerance"
    if claim["runs"] == _ONE_EACH:
        return "one run each"
    return f"{_runs(claim)} do not decide whether they differ"
