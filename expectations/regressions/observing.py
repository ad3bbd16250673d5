"""What a check observes of a known regression, whether its findings show it or not.

That they do not is no evidence against it: it stays as it is until its level is back, its runs are
gone, or they have other figures. docs/regressions.md has the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from expectations.detector.early import MOST_AFTER
from expectations.detector.recovery import SMALLER
from expectations.detector.step import LEAST_LEVEL
from expectations.regressions.explain import place_of
from expectations.regressions.faults import NO_MORE_RUNS, Stopped, carry_over
from expectations.regressions.finding import DATA, ENVIRONMENT, LEVEL, MODEL, PAIR, SLOPE, Finding
from expectations.regressions.matching import ALIKE, UNLIKELY, Numbers
from expectations.regressions.matching import GONE as OF_CHANGE
from expectations.regressions.present import Judged, Level, current_level
from expectations.regressions.series import LEAST_RUNS, Series, mean_of
from expectations.regressions.states import (
    ACCEPTED,
    CHANGED,
    FEW,
    FIXED,
    GONE,
    MORE,
    OPEN,
    OVER,
    REFUTED,
    SHOWN,
    STOPPED,
    SURE,
    SUSPECTED,
)
from expectations.regressions.store import Row, key_of

__all__ = ["Memory", "Observed", "has_grown", "observe", "recovery_note", "repeat_note"]

_CLEAR_WITH_OTHERS = 3.0  # standard errors of a suspicion that others of its group bear out
_GROWN = 1.5  # times the change that was reported, when it is reported again


class Observed(NamedTuple):
    """What is observed: the finding as it is now (None: as it was), and what is said of it."""

    finding: Finding | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known when a check begins, and the series of its build.

    known: the present state of each regression; stopped: configurations that no longer run, by
    origin, campaign and ID; matches: findings by the IDs of their regressions; explain_again: gives
    a finding of a regression the cause that its runs show by now.
    """

    known: Sequence[Row]
    judged: Judged
    numbers: Numbers
    stopped: Mapping[tuple[str, ...], Stopped]
    matches: Mapping[str, Finding]
    explain_again: Callable[[Row, Finding], Finding]


def observe(row: Row, memory: Memory) -> dict[str, Observed]:
    """Return what is observed of a regression, by the names in `states`."""
    seen, is_open = memory.matches.get(row["regression_id"]), row["state"] in OPEN
    stop = memory.stopped.get((row["origin"], row["campaign"], row["configuration_id"]))
    if is_open and not seen and not memory.numbers.holds(row):
        note = "its runs are no longer in the warehouse: they were forgotten"
        return {GONE: Observed(note=note)}
    if stop and is_open and row["kind"] not in {DATA, MODEL}:
        note, series = (
            stop.finding.what,
            {key: of_key for key, (of_key, _) in memory.judged.items()},
        )
        heir = carry_over(memory.numbers.finding_of(row), stop, series)
        return {STOPPED: Observed(heir, note)} if heir or row["note"] != note else {}
    judged = memory.judged.get(key_of(row))
    if seen:
        seen = _against_level_before(row, seen)
        if judged and seen.kind != ENVIRONMENT:
            seen = current_level(seen, *judged, since=row["run_ids"][0])
        if row["state"] == FIXED and not (judged and _is_worse_again(row, seen, *judged)):
            return {}
        seen = memory.explain_again(row, seen)
        return _observe_finding(row, seen, memory.numbers)
    if row["state"] not in OPEN | ACCEPTED:
        return {}
    if row["kind"] in {DATA, MODEL}:
        back = "it runs again" if row["metric"] == NO_MORE_RUNS else "data are available again"
        note = back if row["kind"] == DATA else "within the model's band again"
        return {OVER: Observed(note=note)} if is_open else {}
    if judged is None or row["kind"] == ENVIRONMENT:
        return {}  # its runs are not in this build, or it is taken off
    if row["state"] == SUSPECTED:
        return _observe_suspicion(row, judged[0], memory)
    if note := _note_of_reload(row, judged[0]):
        return {REFUTED: Observed(note=note)}
    now = current_level(memory.numbers.finding_of(row), *judged, since=row["run_ids"][0])
    whole = _whole_of(row, memory)
    return _observe_finding(row, now, memory.numbers) or (
        {REFUTED: Observed(note=whole)} if whole else {}
    )


def _is_worse_again(row: Row, finding: Finding, series: Series, levels: Sequence[Level]) -> bool:
    """Whether most of a change is in the runs since its recovery, which was a dip."""
    onset = series.place(finding.onset_utc)
    back = series.place(row["recovered_utc"] or row["onset_utc"])
    since = max(back, levels[-1].start)
    goes_on = finding.run_ids[-1] in series.runs[-1] or back - onset >= LEAST_RUNS
    if finding.kind != LEVEL or finding.recovery or not goes_on or since - back >= LEAST_RUNS:
        return False
    left = abs(mean_of(series.values[since:]) - row["before"]) if series.values[since:] else 0.0
    return left > ALIKE * _size(row) > 0


def _against_level_before(row: Row, finding: Finding) -> Finding:
    """Return a shift against the level that was before it when it was told.

    A few runs in between that are worse are a step of the same ramp.
    """
    before, level, after = row["before"], finding.before, finding.after
    if {finding.kind, row["kind"]} != {LEVEL} or before is None or level is None or after is None:
        return finding
    if finding.runs_before >= LEAST_RUNS or (level - before) * (after - level) <= 0:
        return finding
    return finding.between(before, after, runs_before=row["runs_before"])


def _observe_finding(row: Row, finding: Finding, numbers: Numbers) -> dict[str, Observed]:
    """Return what a finding says of a regression."""
    if finding.kind == row["kind"] == SLOPE:
        # The last line of a bent slope begins later than the slope, and any line near its start.
        names = ("onset_run_id", "onset_utc", "onset_build", "last_good_run_id")
        finding = replace(finding, **{name: row[name] for name in names})
    if finding.recovery:
        return {OVER: Observed(finding, recovery_note(finding))}
    observed = dict[str, Observed]()
    if not finding.is_early:
        observed[SHOWN] = Observed(finding)
    else:
        observed[FEW] = Observed(finding, repeat_note(finding))
        if finding.runs_after >= LEAST_LEVEL and (finding.p_value or 0.0) <= UNLIKELY:
            observed[SHOWN] = Observed(finding)
    if finding.runs_after > row["runs_after"]:
        observed[MORE] = Observed(finding)
    if note := _what_changed(row, finding, numbers):
        observed[CHANGED] = Observed(finding, note)
    return observed


def _what_changed(row: Row, finding: Finding, numbers: Numbers) -> str:
    """Return what is otherwise with a regression than it was told, '' if nothing is."""
    runs = f"with {finding.runs_after} runs"
    if finding.kind == SLOPE != row["kind"]:
        return "the level drifts"
    if has_grown(row, finding):
        return "the change has grown"
    if finding.kind in {LEVEL, PAIR} and 0 < finding.size <= SMALLER * _size(row):
        first = finding.run_ids[0]
        part = first not in {row["run_ids"][0], finding.onset_run_id}
        text = "a part of it is gone:" if part else f"{runs} it is"
        return f"{text} {finding.after:.4g} {finding.unit}, not {row['after']:.4g}"
    earlier, later = finding.uncertain
    is_level = finding.kind == row["kind"] == LEVEL and not finding.is_early
    if is_level and not -earlier <= numbers.of(row) - finding.onset_no <= later:
        # Runs that came late, or of older builds, date it otherwise.
        return f"{runs} it began with {finding.onset_run_id}"
    first, last = finding.onset_first_build, finding.onset_last_build
    were = numbers.between(finding.key, row["onset_first_build"], row["onset_last_build"])
    if is_level and 0 < 2 * numbers.between(finding.key, first, last) <= were:
        return f"{runs} it began with {first}" + (f" to {last}" if first != last else "")
    if place_of(finding.cause) != place_of(row["cause"]):
        return f"{runs} the cause is {finding.cause or 'unknown'}"
    return ""


def has_grown(row: Row, finding: Finding) -> bool:
    """Whether a change is so much larger than it was that it is told again."""
    return finding.size >= _GROWN * _size(row) > 0


def _size(row: Row) -> float:
    was = row["before"], row["after"]
    return 0.0 if None in was else float(abs(was[1] - was[0]))


def _observe_suspicion(row: Row, series: Series, memory: Memory) -> dict[str, Observed]:
    """Return what the runs since a suspicion say of it, now that nothing is found there."""
    onset, finding = series.place(row["onset_utc"]), memory.numbers.finding_of(row)
    before, after = row["before"], row["after"]
    rest, whole = series.values[onset + 1 :], series.values[onset:]
    if not rest:
        return {}
    stands = any(
        item["group_id"] == row["group_id"] and item["state"] in SURE for item in memory.known
    )
    if stands and len(whole) > MOST_AFTER and finding.effect:
        # Others of its group are more than suspected: they bear it out if it is half as large.
        left = (mean_of(whole) - before) / (after - before)
        error = (1 / len(whole) + 1 / max(finding.runs_before, 1)) ** 0.5
        if left > ALIKE and left * finding.effect >= _CLEAR_WITH_OTHERS * error:
            more = {"runs_after": len(whole), "run_ids": series.run_ids_of(onset)}
            return {SHOWN: Observed(finding.between(before, mean_of(whole), **more))}
    if len(rest) <= MOST_AFTER and (mean_of(rest) - before) / (after - before) > ALIKE:
        return {}
    runs = "1 run" if len(rest) == 1 else f"{len(rest)} runs"
    note = f"not borne out: {mean_of(rest):.4g} {row['unit']} in the {runs} after it"
    return {REFUTED: Observed(note=note)}


def _note_of_reload(row: Row, series: Series) -> str:
    """Return how the runs of a regression differ from what they were, '' if they do not.

    Runs that are loaded again can have other figures: then the runs that were worse are not, or
    those before them were not better.
    """
    onset, reloaded = series.place(row["onset_utc"]), frozenset(row["run_ids"])
    before = series.values[max(onset - row["runs_before"], 0) : onset]
    after = [
        v for v, run in zip(series.values, series.runs, strict=True) if reloaded.intersection(run)
    ]
    if not before or not after or row["kind"] == SLOPE:
        return ""
    was, now = mean_of(before), mean_of(after)
    if (now - was) / (row["after"] - row["before"]) > OF_CHANGE:
        return ""
    return (
        f"its runs were loaded again: {now:.4g} {row['unit']} since run {row['onset_run_id']}, not "
        f"{row['after']:.4g}, and {was:.4g} {row['unit']} before, not {row['before']:.4g}"
    )


def _whole_of(row: Row, memory: Memory) -> str:
    """Return which other regression of its series a regression is a part of by now, '' if none."""
    for name, finding in memory.matches.items():
        same = finding.key == key_of(row) and row["onset_run_id"] in finding.run_ids
        if same and (finding.kind == SLOPE or finding.kind == row["kind"] == LEVEL):
            return f"part of regression {name}, which is since run {finding.onset_run_id}"
    return ""


def repeat_note(finding: Finding) -> str:
    """Return how often to run a suspected build again."""
    times = max(LEAST_LEVEL - finding.runs_after, 1)
    build = finding.onset_build or "the same build"
    seen = "1 run" if finding.runs_after == 1 else f"{finding.runs_after} runs"
    where = f", in {finding.together} configurations at once" if finding.together > 1 else ""
    return f"seen in {seen}{where}: run {build} again, {times} time{'s' * (times > 1)}"


def recovery_note(finding: Finding) -> str:
    """Return the level of a recovery and the run that it begins with, in words."""
    recovery = finding.recovery
    assert recovery is not None
    if finding.key.metric == NO_MORE_RUNS:
        return f"goes on with run {recovery.run_id}"
    if finding.kind == DATA:
        return f"complete again from run {recovery.run_id}"
    return f"{recovery.level:.4g} {finding.unit} since run {recovery.run_id}"
