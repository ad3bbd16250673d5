"""What becomes of a known regression, whether a build shows it or not.

A suspicion becomes new with a level of the detector, or with three runs that are all far off; it is
withdrawn if half of it is gone in the runs after the first, or if six runs have not shown it.

That a build does not show a regression is no evidence against it: it stays as it is until its level
is back, or its figures change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from expectations.regressions.finding import (
    DATA,
    LEVEL,
    MODEL,
    PAIR,
    SLOPE,
    Explain,
    Finding,
    Recovery,
)
from expectations.regressions.groups import place_of
from expectations.regressions.levels import LEAST_RUNS
from expectations.regressions.matching import GONE, Numbers
from expectations.regressions.present import Judged, current_level
from expectations.regressions.series import Series, mean_of
from expectations.regressions.states import (
    ACCEPTED,
    CONFIRMED,
    FALSE_ALARM,
    FIXED,
    NEW,
    OPEN,
    SUSPECTED,
    WITHDRAWN,
)
from expectations.regressions.stopped import STOPPED, Stopped, carry_over
from expectations.regressions.store import DETECTOR, Row, finding_of, key_of, parts_of, row_of

__all__ = [
    "end_stopped",
    "explain_again",
    "has_grown",
    "judge_seen",
    "judge_unseen",
    "note_again",
    "recovery_note",
    "restore_level_before",
    "same_regression",
]

_ENOUGH = 3  # runs that are all far off: no suspicion any more
_UNSURE = 0.01  # probability that a series has no part in a change of many
_HALF = 0.5  # of a suspicion: less in the next runs contradicts it
_CLEAR_WITH_OTHERS = 3.0  # standard errors of a suspicion that others of its group bear out
_PATIENCE = 6  # runs in which a suspicion has to become more

_ONSET = ("onset_run_id", "onset_utc", "onset_build", "last_good_run_id")
_SHRUNK = 0.8  # of the change that was reported, when its new size is
_GROWN = 1.5  # times the change that was reported, when it is reported again


def end_stopped(
    row: Row, stopped: Stopped, judged: Judged, numbers: Numbers, build_id: str
) -> list[Row]:
    """Return the event of an open regression whose configuration no longer runs, said once."""
    note, known = stopped.finding.what, {key: series for key, (series, _) in judged.items()}
    heir = carry_over(finding_of(row, numbers.of(row)), stopped, known)
    if heir:
        return [row_of(heir, row["state"], build_id, **same_regression(row), note=note)]
    if row["note"] == note:
        return []
    return [{**row, "by": DETECTOR, "build_id": build_id, "note": note}]


def explain_again(row: Row, finding: Finding, causes: dict[str, str], explain: Explain) -> Finding:
    """Return a finding with the cause that its runs show by now.

    The leader of a group is explained again once it has twice the runs; the group follows it.
    causes: of the groups explained so far; filled here.
    """
    group = row["group_id"]
    if row["leads"] and row["state"] in OPEN and finding.runs_after >= 2 * row["runs_after"] > 0:
        finding = explain(finding)
        causes[group] = finding.cause
        return finding
    return replace(finding, cause=causes.get(group) or row["cause"] or "", parts=parts_of(row))


def restore_level_before(row: Row, finding: Finding, known: Sequence[Row]) -> Finding:
    """Return a shift against the level that was before it when it was told.

    A few runs in between that are worse are a step of the same ramp, unless they were told as a
    change of their own: then the shift is what has come since.
    """
    before, level = row["before"], finding.before
    if finding.kind != LEVEL or row["kind"] != LEVEL or before is None or level is None:
        return finding
    worse = (level - before) * ((finding.after or 0.0) - level) > 0
    own = any(
        key_of(other) == finding.key
        and other["state"] in OPEN | ACCEPTED
        and other["regression_id"] != row["regression_id"]
        and other["onset_utc"] < finding.onset_utc
        and other["before"] is not None
        and abs(other["after"] - level) < abs(other["before"] - level)
        for other in known
    )
    if finding.runs_before >= LEAST_RUNS or not worse or own:
        return finding
    return replace(
        finding,
        before=before,
        low=None if finding.low is None else finding.low + level - before,
        high=None if finding.high is None else finding.high + level - before,
        effect=abs((finding.after or 0.0) - before)
        / max(abs((finding.after or 0.0) - level), 1e-300)
        * (finding.effect or 0.0),
        runs_before=row["runs_before"],
    )


def judge_seen(row: Row, finding: Finding, numbers: Numbers, build_id: str) -> list[Row]:
    """Return the events of a known regression that the build shows."""
    same = same_regression(row)
    if finding.kind == row["kind"] == SLOPE:
        # The last line of a bent slope begins later than the slope, and any line near its start.
        same |= {name: row[name] for name in _ONSET}
    if row["state"] == SUSPECTED:
        unsure = finding.runs_after < _ENOUGH or (finding.p_value or 0.0) > _UNSURE
        if finding.recovery or (finding.is_early and unsure):
            return []  # what a suspicion becomes is judged by all of its runs
        return [row_of(finding, NEW, build_id, **same)]
    if finding.recovery and row["state"] in OPEN | ACCEPTED:
        return [
            row_of(finding, FIXED, build_id, **same, note=recovery_note(finding.recovery, finding))
        ]
    if row["state"] == NEW and finding.runs_after > row["runs_after"]:
        return [row_of(finding, CONFIRMED, build_id, **same)]
    if finding.is_early and row["state"] not in OPEN:
        if row["state"] != WITHDRAWN:
            return []
        return [row_of(finding, SUSPECTED, build_id, **same, note=note_again(finding))]
    if row["state"] == WITHDRAWN and not finding.recovery:
        return [row_of(finding, NEW, build_id, **same)]
    if row["state"] == FALSE_ALARM and row["by"] == DETECTOR and not finding.recovery:
        return [row_of(finding, CONFIRMED, build_id, **same, note="found again")]
    if row["state"] not in OPEN:
        return []
    if finding.kind == SLOPE != row["kind"]:
        return [row_of(finding, row["state"], build_id, **same, note="the level drifts")]
    if has_grown(row, finding):
        return [row_of(finding, row["state"], build_id, **same, note="the change has grown")]
    shrunk = _size(finding.before, finding.after) <= _SHRUNK * _size(row["before"], row["after"])
    if shrunk and finding.kind in {LEVEL, PAIR} and finding.before is not None:
        later = (
            finding.run_ids[0] != row["run_ids"][0] and finding.run_ids[0] != finding.onset_run_id
        )
        said = "a part of it is gone:" if later else f"with {finding.runs_after} runs it is"
        note = f"{said} {finding.after:.4g} {finding.unit}, not {row['after']:.4g}"
        return [row_of(finding, row["state"], build_id, **same, note=note)]
    if _is_dated_otherwise(row, finding, numbers):
        note = f"with {finding.runs_after} runs it began with {finding.onset_run_id}"
        return [row_of(finding, row["state"], build_id, **same, note=note)]
    if place_of(finding.cause) != place_of(row["cause"]):
        note = f"with {finding.runs_after} runs the cause is {finding.cause or 'unknown'}"
        return [row_of(finding, row["state"], build_id, **same, note=note)]
    return []


def _is_dated_otherwise(row: Row, finding: Finding, numbers: Numbers) -> bool:
    """Whether runs that came late, or of older builds, date a shift to another build."""
    earlier, later = finding.uncertain
    apart = numbers.of(row) - finding.onset_no
    return (
        finding.kind == row["kind"] == LEVEL
        and not finding.is_early
        and not -earlier <= apart <= later
    )


def same_regression(row: Row) -> Row:
    """Return what an event has in common with those before it of one regression."""
    return {name: row[name] for name in ("regression_id", "group_id", "leads", "owner", "bug")}


def has_grown(row: Row, finding: Finding) -> bool:
    """Whether a change is so much larger than it was that it is told again."""
    was = _size(row["before"], row["after"])
    return _size(finding.before, finding.after) >= _GROWN * was > 0


def _size(before: float | None, after: float | None) -> float:
    return 0.0 if before is None or after is None else abs(after - before)


def judge_unseen(
    row: Row,
    judged: Judged,
    matches: Mapping[str, Finding],
    groups: Mapping[str, str],
    numbers: Numbers,
    build_id: str,
    *,
    stands: bool,
) -> list[Row]:
    """Return the events of a known regression that the build does not show.

    groups: of each regression; stands: whether more than a suspicion stands in its group.
    """
    if row["state"] not in OPEN | ACCEPTED:
        return []
    event = {**row, "by": DETECTOR, "build_id": build_id}
    if row["state"] in OPEN and not numbers.holds(row):
        note = "its runs are no longer in the warehouse: they were forgotten"
        return [{**event, "state": WITHDRAWN, "note": note}]
    if row["kind"] in {DATA, MODEL}:
        what = (
            "it runs again"
            if row["metric"] == STOPPED
            else "data are available again"
            if row["kind"] == DATA
            else "within the model's band again"
        )
        return [{**event, "state": FIXED, "note": what}] if row["state"] in OPEN else []
    found = judged.get(key_of(row))
    if found is None:
        return []  # its runs are not in this build
    series, levels = found
    onset = series.place(row["onset_utc"])
    if row["state"] == SUSPECTED:
        sure = _borne_out(row, series, onset, numbers) if stands else None
        if sure:
            return [row_of(sure, NEW, build_id, **same_regression(row))]
        return _withdrawn(event, series, onset)
    if note := _other_figures(row, series):
        return [{**event, "state": FALSE_ALARM, "note": note}] if row["state"] in OPEN else []
    present = current_level(
        finding_of(row, numbers.of(row)), series, levels, since=row["run_ids"][0]
    )
    if said := judge_seen(row, present, numbers, build_id):
        return said
    other = next(
        (
            name
            for name, finding in matches.items()
            if finding.key == series.key
            and finding.kind in {SLOPE, LEVEL}
            and row["onset_run_id"] in finding.run_ids
            and (finding.kind == SLOPE or row["kind"] == LEVEL)
        ),
        None,
    )
    if row["state"] in OPEN and other:
        note = f"part of regression {other}, which is since run {matches[other].onset_run_id}"
        same = {
            "group_id": groups[other],
            "leads": row["leads"] and groups[other] == row["group_id"],
        }
        return [{**event, **same, "state": FALSE_ALARM, "note": note}]
    return []


def _borne_out(row: Row, series: Series, onset: int, numbers: Numbers) -> Finding | None:
    """Return a suspicion with all of its runs if they bear out what others of its group show."""
    runs, finding = len(series.values) - onset, finding_of(row, numbers.of(row))
    if runs < _PATIENCE or not finding.effect or finding.before is None or finding.after is None:
        return None
    after = mean_of(series.values[onset:])
    left = (after - finding.before) / (finding.after - finding.before)
    score = left * finding.effect / (1 / runs + 1 / max(finding.runs_before, 1)) ** 0.5
    if left <= _HALF or score < _CLEAR_WITH_OTHERS:
        return None
    return replace(
        finding,
        after=after,
        low=None if finding.low is None else finding.low + after - finding.after,
        high=None if finding.high is None else finding.high + after - finding.after,
        effect=left * finding.effect,
        runs_after=runs,
        run_ids=series.run_ids_of(onset),
    )


def _withdrawn(event: Row, series: Series, onset: int) -> list[Row]:
    """Return the event that withdraws a suspicion, if the runs after the first contradict it."""
    after = series.values[onset + 1 :]
    if not after:
        return []
    left = (mean_of(after) - event["before"]) / (event["after"] - event["before"])
    if left > _HALF and len(after) < _PATIENCE:
        return []
    runs = "1 run" if len(after) == 1 else f"{len(after)} runs"
    note = f"not borne out: {mean_of(after):.4g} {event['unit']} in the {runs} after it"
    return [{**event, "state": WITHDRAWN, "note": note}]


def note_again(finding: Finding) -> str:
    """Return how often to run a suspected build again."""
    times = max(_ENOUGH - finding.runs_after, 1)
    build = finding.onset_build or "the same build"
    seen = "1 run" if finding.runs_after == 1 else f"{finding.runs_after} runs"
    where = f", in {finding.together} configurations at once" if finding.together > 1 else ""
    return f"seen in {seen}{where}: run {build} again, {times} time{'s' * (times > 1)}"


def _other_figures(row: Row, series: Series) -> str:
    """Return how the runs of a regression differ from what they were, '' if they do not.

    Runs that are loaded again can have other figures: then the runs that were worse are not, or
    those before them were not better.
    """
    onset, known = series.place(row["onset_utc"]), frozenset(row["run_ids"])
    before = series.values[max(onset - row["runs_before"], 0) : onset]
    after = [v for v, of in zip(series.values, series.runs, strict=True) if known.intersection(of)]
    if not before or not after or row["kind"] == SLOPE:
        return ""
    shift = row["after"] - row["before"]
    was, now = mean_of(before), mean_of(after)
    if (now - was) / shift > GONE:
        return ""
    return (
        f"its runs were loaded again: {now:.4g} {row['unit']} since run {row['onset_run_id']}, not "
        f"{row['after']:.4g}, and {was:.4g} {row['unit']} before, not {row['before']:.4g}"
    )


def recovery_note(recovery: Recovery, finding: Finding) -> str:
    """Return the level of a recovery and the run that it begins with, in words."""
    if finding.key.metric == STOPPED:
        return f"goes on with run {recovery.run_id}"
    if finding.kind == DATA:
        return f"complete again from run {recovery.run_id}"
    return f"{recovery.level:.4g} {finding.unit} since run {recovery.run_id}"
