"""Which findings of a build are new, which continue and which have disappeared, as events.

The states are those of expectations.regressions.states.

A suspicion becomes new with a level of the detector, or with three runs that are all far off; it is
withdrawn if half of it is gone in the runs after the first, or if six runs have not shown it.

That a build does not show a regression is no evidence against it: it stays as it is until its level
is back, or its figures change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from expectations.detector.dating import as_likely_of
from expectations.detector.drift import (
    is_part_of_drift,
    is_step_alone,
    is_step_as_well,
    looks_like_drift,
)
from expectations.detector.pooled import LEAST_SERIES
from expectations.detector.significance import LEVEL as FALSE_DISCOVERIES
from expectations.detector.significance import passes_in_families
from expectations.regressions.explain import priority, rank_of
from expectations.regressions.finding import DATA, LEVEL, MODEL, PAIR, SLOPE, Finding, Key, Recovery
from expectations.regressions.groups import Group, place_of
from expectations.regressions.present import Level, as_it_is_now
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
from expectations.regressions.stopped import STOPPED, Stopped, carried, heir_of
from expectations.regressions.store import DETECTOR, Row, finding_of, key_of, parts_of, row_of
from expectations.regressions.together import dates_of

__all__ = ["Judged", "triage"]

_SURE = frozenset({NEW, CONFIRMED})

_ENOUGH = 3  # runs that are all far off: no suspicion any more
_UNSURE = 0.01  # probability that a series has no part in a change of many
_HALF = 0.5  # of a suspicion: less in the next runs contradicts it
_CLEAR_WITH_OTHERS = 3.0  # standard errors of a suspicion that others of its group bear out
_PATIENCE = 6  # runs in which a suspicion has to become more

_ONSET = ("onset_run_id", "onset_utc", "onset_build", "last_good_run_id")
_NEAR = 5  # changes of one series within this many builds can be the same change
_FAR = 10  # the same, if their levels are the same too
_ALIKE = 0.5  # largest distance of the levels of one change, in its size
_ALIKE_EARLY = 1.0  # the same of one that a few runs size badly
_SHRUNK = 0.8  # of the change that was reported, when its new size is
_GROWN = 1.5  # times the change that was reported, when it is reported again
#: Share of the false discovery rate for the new findings of one check. A campaign is judged night
#: after night, and about ten looks in a season are independent of each other.
_OF_A_LOOK = 0.1
#: Share of a change: less in the same runs means that they have other figures. Of its runs: if no
#: more are there, the others were forgotten.
_GONE = 0.25

Judged = dict[Key, tuple[Series, list[Level]]]
Explain = Callable[[Finding], Finding]


def triage(
    findings: Sequence[Finding],
    known: Sequence[Row],
    judged: Judged,
    runs: pl.DataFrame,
    build_id: str,
    explain: Explain,
    level: float = FALSE_DISCOVERIES,
    stopped: Mapping[tuple[str, str, str], Stopped] | None = None,
) -> list[Row]:
    """Return the events of a build; none if nothing changed.

    known: current state of each regression; judged: each series as it was judged (from its last
    accepted change on) and its levels; runs: as series.read_runs returns them; explain: adds the
    cause to a finding; level: false discovery rate among the new findings of a campaign; stopped:
    configurations that no longer run.
    """
    stopped = stopped or {}
    numbers = _Numbers(runs)
    matches = _match(findings, known, numbers)
    taken = {id(finding) for finding in matches.values()}
    for row in known:
        few = matches.get(row["regression_id"])
        if few and few.is_early and row["state"] in _SURE and not _has_grown(row, few):
            del matches[row["regression_id"]]  # they do not size again what has a level
    stories = {row["group_id"] for row in known if row["state"] in _SURE}
    groups = {row["regression_id"]: row["group_id"] for row in known}
    events = list[Row]()
    causes: dict[str, str] = {}  # of the groups that were explained again
    for row in sorted(known, key=lambda row: (not row["leads"], row["regression_id"])):
        finding = matches.get(row["regression_id"])
        ended = stopped.get((row["origin"], row["campaign"], row["configuration_id"]))
        if (
            ended
            and numbers.holds(row)
            and row["state"] in OPEN
            and row["kind"] not in {DATA, MODEL}
        ):
            events += _ended(row, ended, judged, numbers, build_id)
        elif finding:
            if finding.key in judged:
                finding = as_it_is_now(finding, *judged[finding.key], since=row["run_ids"][0])
            finding = _explained_again(row, finding, causes, explain)
            events += _continued(row, finding, build_id)
        else:
            stands = row["group_id"] in stories
            events += _disappeared(row, judged, matches, groups, numbers, build_id, stands=stands)
    fresh = [finding for finding in findings if id(finding) not in taken]
    fresh = _without_inherited(fresh, known, events, stopped, numbers)
    fresh = _without_doubles(_significant(fresh, judged, level), known, numbers)
    events += _first_seen(fresh, known, events, judged, numbers, build_id, explain)
    events += _joined(known, events, judged, numbers, build_id)
    events += _parted(known, events, judged, numbers, build_id, explain)
    return events + _led_again(known, events, build_id)


def _ended(
    row: Row, stopped: Stopped, judged: Judged, numbers: _Numbers, build_id: str
) -> list[Row]:
    """Return the event of an open regression whose configuration no longer runs, said once."""
    note, known = stopped.finding.what, {key: series for key, (series, _) in judged.items()}
    heir = carried(finding_of(row, numbers.of(row)), stopped, known)
    if heir:
        return [row_of(heir, row["state"], build_id, **_same(row), note=note)]
    if row["note"] == note:
        return []
    return [{**row, "by": DETECTOR, "build_id": build_id, "note": note}]


def _without_inherited(
    fresh: Sequence[Finding],
    known: Sequence[Row],
    events: Sequence[Row],
    stopped: Mapping[tuple[str, str, str], Stopped],
    numbers: _Numbers,
) -> list[Finding]:
    """Return fresh findings without those that are known of the heir of their configuration."""
    places: dict[Key, list[int]] = {}
    for row in (*known, *events) if stopped else ():
        places.setdefault(key_of(row), []).append(numbers.of(row))
    kept = []
    for finding in fresh:
        key = finding.key
        one = stopped.get((key.origin, key.campaign, key.configuration_id))
        heir = heir_of(key, one) if one and one.heir else None
        near = places.get(heir, ()) if heir and finding.kind != DATA else ()
        if all(abs(place - finding.onset_no) > _NEAR for place in near):
            kept.append(finding)
    return kept


def _without_doubles(
    fresh: Sequence[Finding], known: Sequence[Row], numbers: _Numbers
) -> list[Finding]:
    """Return fresh findings without early ones beside another one, or a regression that stands."""
    places = [(one.key, one.onset_no) for one in fresh if not one.is_early]
    places += [(key_of(row), numbers.of(row)) for row in known if row["state"] in OPEN | ACCEPTED]
    near: dict[Key, list[int]] = {}
    for key, place in places:
        near.setdefault(key, []).append(place)
    return [
        one
        for one in fresh
        if not one.is_early
        or all(abs(place - one.onset_no) > _NEAR for place in near.get(one.key, ()))
    ]


def _explained_again(
    row: Row, finding: Finding, causes: dict[str, str], explain: Explain
) -> Finding:
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


class _Numbers:
    """Numbers of builds in their campaigns, by time."""

    def __init__(self, runs: pl.DataFrame) -> None:
        self._campaigns = {
            (str(key[0]), str(key[1])): part.sort("start_utc")
            for key, part in runs.group_by("origin", "campaign")
        }
        self._known: dict[str, int] = {}
        self._runs = frozenset(runs.select("origin", "run_id").iter_rows())

    def holds(self, row: Row) -> bool:
        """Whether the build has a regression's runs, be it some that do not count."""
        held = sum((row["origin"], run) in self._runs for run in row["run_ids"])
        return held > _GONE * len(row["run_ids"]) or not row["run_ids"]

    def of(self, row: Row) -> int:
        """Return the build number of a regression's onset, 0 without runs of its campaign."""
        name = row["regression_id"]
        if name not in self._known:
            self._known[name] = self._look_up(row)
        return self._known[name]

    def _look_up(self, row: Row) -> int:
        part = self._campaigns.get((row["origin"], row["campaign"]))
        if part is None:
            return 0
        same = part.filter(pl.col("run_id") == row["onset_run_id"])
        past = same if same.height else part.filter(pl.col("start_utc") <= row["onset_utc"])
        return int(past["build_no"].max() or 0)  # type: ignore[arg-type]


def _match(
    findings: Sequence[Finding], known: Sequence[Row], numbers: _Numbers
) -> dict[str, Finding]:
    """Match known regressions with the findings nearest to them."""
    by_key: dict[tuple[Key, bool, bool], list[Row]] = {}
    for row in known:
        kind = row["kind"]
        by_key.setdefault((key_of(row), kind == DATA, kind == MODEL), []).append(row)
    pairs = []
    for finding in findings:
        series = (finding.key, finding.kind == DATA, finding.kind == MODEL)
        for row in by_key.get(series, []):
            apart = _distance(finding, row, numbers)
            if apart is not None:
                closed = row["state"] not in OPEN
                order = (finding.is_early, apart, closed, row["onset_utc"])
                pairs.append((*order, row["regression_id"], finding))
    matches: dict[str, Finding] = {}
    taken: set[int] = set()
    for *_, regression_id, finding in sorted(pairs, key=lambda pair: pair[:5]):
        if regression_id not in matches and id(finding) not in taken:
            matches[regression_id] = finding
            taken.add(id(finding))
    return matches


def _distance(finding: Finding, row: Row, numbers: _Numbers) -> int | None:
    """Return the number of builds between two changes of a series, None if they differ."""
    if finding.kind == MODEL:
        return 0 if row["state"] != FIXED else None
    if finding.kind == DATA:
        same = row["onset_run_id"] in finding.run_ids or finding.onset_run_id in row["run_ids"]
        return 0 if same else None
    apart = abs(numbers.of(row) - finding.onset_no)
    if row["state"] == FIXED and row["recovered_utc"] is not None:
        # What begins after the recovery is another change.
        return apart if finding.onset_utc < row["recovered_utc"] and apart <= _NEAR else None
    if SLOPE in {finding.kind, row["kind"]}:
        # A level that drifts was first seen as a step, anywhere on the slope.
        on_slope = finding.onset_run_id in row["run_ids"] or row["onset_run_id"] in finding.run_ids
        # As runs come, the last line of a bent slope begins later.
        on_slope |= finding.kind == row["kind"] and row["state"] != FALSE_ALARM
        if row["state"] in OPEN and on_slope:
            return 0
        return apart + 1 if on_slope or apart <= _NEAR else None
    if row["state"] in OPEN:
        return apart if apart <= _NEAR else None
    alike = _unlike(finding, row)
    return (
        apart
        if (apart <= _NEAR and alike <= _ALIKE) or (apart <= _FAR and alike <= _ALIKE / 2)
        else None
    )


def _unlike(finding: Finding, row: Row) -> float:
    """Return how far the levels of two changes are apart, in units of the known change."""
    levels = (finding.before, finding.after, row["before"], row["after"])
    if any(level is None for level in levels) or levels[2] == levels[3]:
        return 0.0
    before, after, was, then = levels
    return max(abs(before - was), abs(after - then)) / abs(then - was)


def _continued(row: Row, finding: Finding, build_id: str) -> list[Row]:
    """Return the events of a known regression that the build shows."""
    same = _same(row)
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
            row_of(finding, FIXED, build_id, **same, note=_recovery_note(finding.recovery, finding))
        ]
    if row["state"] == NEW and finding.runs_after > row["runs_after"]:
        return [row_of(finding, CONFIRMED, build_id, **same)]
    if finding.is_early and row["state"] not in OPEN:
        if row["state"] != WITHDRAWN:
            return []
        return [row_of(finding, SUSPECTED, build_id, **same, note=_again(finding))]
    if row["state"] == WITHDRAWN and not finding.recovery:
        return [row_of(finding, NEW, build_id, **same)]
    if row["state"] == FALSE_ALARM and row["by"] == DETECTOR and not finding.recovery:
        return [row_of(finding, CONFIRMED, build_id, **same, note="found again")]
    if row["state"] not in OPEN:
        return []
    if finding.kind == SLOPE != row["kind"]:
        return [row_of(finding, row["state"], build_id, **same, note="the level drifts")]
    if _has_grown(row, finding):
        return [row_of(finding, row["state"], build_id, **same, note="the change has grown")]
    shrunk = _size(finding.before, finding.after) <= _SHRUNK * _size(row["before"], row["after"])
    if shrunk and finding.kind in {LEVEL, PAIR} and finding.before is not None:
        later = (
            finding.run_ids[0] != row["run_ids"][0] and finding.run_ids[0] != finding.onset_run_id
        )
        said = "a part of it is gone:" if later else f"with {finding.runs_after} runs it is"
        note = f"{said} {finding.after:.4g} {finding.unit}, not {row['after']:.4g}"
        return [row_of(finding, row["state"], build_id, **same, note=note)]
    if place_of(finding.cause) != place_of(row["cause"]):
        note = f"with {finding.runs_after} runs the cause is {finding.cause or 'unknown'}"
        return [row_of(finding, row["state"], build_id, **same, note=note)]
    return []


def _same(row: Row) -> Row:
    return {name: row[name] for name in ("regression_id", "group_id", "leads", "owner", "bug")}


def _has_grown(row: Row, finding: Finding) -> bool:
    """Whether a change is so much larger than it was that it is told again."""
    was = _size(row["before"], row["after"])
    return _size(finding.before, finding.after) >= _GROWN * was > 0


def _size(before: float | None, after: float | None) -> float:
    return 0.0 if before is None or after is None else abs(after - before)


def _disappeared(
    row: Row,
    judged: Judged,
    matches: Mapping[str, Finding],
    groups: Mapping[str, str],
    numbers: _Numbers,
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
        return [{**event, "state": FALSE_ALARM, "note": note}]
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
            return [row_of(sure, NEW, build_id, **_same(row))]
        return _withdrawn(event, series, onset)
    if note := _other_figures(row, series):
        return [{**event, "state": FALSE_ALARM, "note": note}] if row["state"] in OPEN else []
    present = as_it_is_now(
        finding_of(row, numbers.of(row)), series, levels, since=row["run_ids"][0]
    )
    if said := _continued(row, present, build_id):
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


def _borne_out(row: Row, series: Series, onset: int, numbers: _Numbers) -> Finding | None:
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
        run_ids=tuple(series.run_ids[onset:]),
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


def _again(finding: Finding) -> str:
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
    after = [v for v, run in zip(series.values, series.run_ids, strict=True) if run in known]
    if not before or not after or row["kind"] == SLOPE:
        return ""
    shift = row["after"] - row["before"]
    was, now = mean_of(before), mean_of(after)
    if (now - was) / shift > _GONE:
        return ""
    return (
        f"its runs were loaded again: {now:.4g} {row['unit']} since run {row['onset_run_id']}, not "
        f"{row['after']:.4g}, and {was:.4g} {row['unit']} before, not {row['before']:.4g}"
    )


def _recovery_note(recovery: Recovery, finding: Finding) -> str:
    if finding.key.metric == STOPPED:
        return f"goes on with run {recovery.run_id}"
    if finding.kind == DATA:
        return f"complete again from run {recovery.run_id}"
    return f"{recovery.level:.4g} {finding.unit} since run {recovery.run_id}"


def _significant(fresh: Sequence[Finding], judged: Judged, level: float) -> list[Finding]:
    """Limit the false discovery rate among the new findings of a campaign alone.

    Over all findings, every known shift would make it easier for a false one to pass. Series of one
    configuration that change with the same build count as one: they repeat each other. A finding
    that does not pass is judged again when there are more runs.
    """
    shifts = [f for f in fresh if f.kind in {LEVEL, SLOPE} and not f.is_early]
    others = [f for f in fresh if f.kind not in {LEVEL, SLOPE} or f.is_early]
    sizes = Counter[Hashable]((key.origin, key.campaign) for key in judged)
    changes: dict[tuple[str, str, str, int], list[Finding]] = {}
    for finding in shifts:
        key = finding.key
        change = (key.origin, key.campaign, key.configuration_id, finding.onset_no)
        changes.setdefault(change, []).append(finding)
    clearest = [
        min(1.0 if f.p_value is None else f.p_value for f in members)
        for members in changes.values()
    ]
    families = [(origin, campaign) for origin, campaign, *_ in changes]
    significant = passes_in_families(clearest, families, sizes, level * _OF_A_LOOK)
    return others + [
        finding
        for members, ok in zip(changes.values(), significant, strict=True)
        for finding in members
        if ok
    ]


def _first_seen(
    fresh: Sequence[Finding],
    known: Sequence[Row],
    events: Sequence[Row],
    judged: Judged,
    numbers: _Numbers,
    build_id: str,
    explain: Explain,
) -> list[Row]:
    """Return the events of new findings: grouped, with a leader, numbered in each group.

    events: of the build so far.
    """
    current = {row["regression_id"]: row for row in (*known, *events)}
    groups = _groups(list(current.values()), numbers)
    # Those that joined another group keep their numbers.
    counts = Counter(row["regression_id"].rpartition(".")[0] for row in known)
    leaders = {row["group_id"]: row for row in current.values() if row["leads"]}
    over: dict[Key, list[Row]] = {}
    for row in current.values():
        if row["state"] == FIXED and row["kind"] in {LEVEL, PAIR}:
            over.setdefault(key_of(row), []).append(row)
    said: list[Row] = []
    for finding in sorted(fresh, key=lambda f: (f.kind, *priority(f))):
        group = _group_of(finding, groups, judged)
        outranks = group is not None and _outranks(finding, group)
        explained = explain(finding) if outranks or not group else finding
        if group and not outranks and not group.cause and _equals(finding, group):
            # What says where the change is leads rather than what does not.
            explained = explain(finding)
            outranks = bool(explained.cause)
        if group and not outranks:
            explained = replace(finding, cause=group.cause)
        group = group or next((of for of in groups if of.is_cause_of(explained)), None)
        group = group or _story_of(explained, groups, judged)
        leads = group is None or outranks
        was = _was(finding, over.get(finding.key, ()))
        if group is None and was:
            group = replace(Group.new(explained, NEW), owner=was["owner"], bug=was["bug"])
        group = group or Group.new(explained, NEW)
        back = (
            f"back: {was['regression_id']}, fixed by run {was['recovered_run_id']}" if was else ""
        )
        counts[group.group_id] += 1
        same = {
            "regression_id": f"{group.group_id}.{counts[group.group_id]}",
            "group_id": group.group_id,
            "leads": leads,
            "owner": group.owner,
            "bug": group.bug,
        }
        if outranks:
            note = f"{same['regression_id']} leads the group"
            old = {**leaders[group.group_id], "leads": False, "note": note}
            said.append({**old, "by": DETECTOR, "build_id": build_id})
        if leads or explained.key.configuration_id != group.configuration_id:
            groups = [of for of in groups if not outranks or of.group_id != group.group_id]
            groups.append(replace(Group.new(explained, group.state), group_id=group.group_id,
                                  note=group.note, owner=group.owner, bug=group.bug))  # fmt: skip
        if group.state in ACCEPTED:
            note = f"with {group.group_id}: {group.note}"
            said.append(row_of(explained, group.state, build_id, **same, note=note))
        elif finding.is_early:
            note = "; ".join(filter(None, (back, _again(explained))))
            said.append(row_of(explained, SUSPECTED, build_id, **same, note=note))
        else:
            said.append(row_of(explained, NEW, build_id, **same, note=back))
        if leads:
            leaders[group.group_id] = said[-1]
        if explained.recovery:
            note = _recovery_note(explained.recovery, explained)
            said.append(row_of(explained, FIXED, build_id, **same, note=note))
    return said


def _was(finding: Finding, over: Sequence[Row]) -> Row | None:
    """Return the last change of a series that is over and had the same levels, if it is back."""
    alike = [
        row
        for row in over
        if finding.kind in {LEVEL, PAIR}
        and row["recovered_utc"] is not None
        and row["recovered_utc"] <= finding.onset_utc
        and _unlike(finding, row) <= (_ALIKE_EARLY if finding.is_early else _ALIKE)
    ]
    return max(alike, key=lambda row: row["recovered_utc"], default=None)


def _joined(
    known: Sequence[Row], events: Sequence[Row], judged: Judged, numbers: _Numbers, build_id: str
) -> list[Row]:
    """Return the events by which the regressions of a group join that of an earlier drift.

    A ramp can be told as two changes before it shows what it is.
    """
    current = {row["regression_id"]: row for row in (*known, *events)}
    leaders = sorted(
        (
            row
            for row in current.values()
            if row["leads"] and row["state"] in OPEN and row["kind"] in {LEVEL, SLOPE}
        ),
        key=lambda row: (row["onset_utc"], row["regression_id"]),
    )
    if not any(row["kind"] == SLOPE for row in current.values()):
        return []
    groups = [of for of in _groups(list(current.values()), numbers) if of.state in OPEN]
    said: list[Row] = []
    gone = set[str]()
    for row in leaders:
        finding = finding_of(row, numbers.of(row))
        into = next(
            (
                of.group_id
                for of in groups
                if of.group_id not in {row["group_id"], *gone}
                and of.drifts
                and of.onset_utc <= finding.onset_utc
                and _drifts(finding, of, judged)
            ),
            None,
        )
        if into is None:
            continue
        gone.add(row["group_id"])
        note = f"{row['group_id']} is a part of the drift of {into}"
        same = {"by": DETECTOR, "build_id": build_id, "group_id": into, "leads": False}
        said += [
            {**one, **same, "note": note}
            for one in current.values()
            if one["group_id"] == row["group_id"]
        ]
    return said


def _parted(
    known: Sequence[Row],
    events: Sequence[Row],
    judged: Judged,
    numbers: _Numbers,
    build_id: str,
    explain: Explain,
) -> list[Row]:
    """Return the events by which drifts leave a group of steps that have no part in them.

    Two changes that begin with one build are one story until one of them shows that it drifts.
    """
    members: dict[str, list[Row]] = {}
    for row in {row["regression_id"]: row for row in (*known, *events)}.values():
        if row["state"] in _SURE and row["kind"] in {LEVEL, SLOPE}:
            members.setdefault(row["group_id"], []).append(row)
    said: list[Row] = []
    for rows in members.values():
        slopes = sorted((row for row in rows if row["kind"] == SLOPE), key=_order)
        steps = [
            row
            for row in rows
            if slopes and row["kind"] == LEVEL and _is_step_beside(row, slopes[0], judged, numbers)
        ]
        if not steps:
            continue
        lead = min(steps, key=_order)
        drifts = [row for row in rows if row not in steps]
        drift = Group.new(finding_of(slopes[0], numbers.of(slopes[0])), slopes[0]["state"])
        same = {"by": DETECTOR, "build_id": build_id}
        note = f"{lead['regression_id']} began with the same build, but does not drift"
        said += [
            {**row, **same, "group_id": drift.group_id, "leads": row is slopes[0], "note": note}
            for row in drifts
        ]
        if not lead["leads"]:
            alone = explain(finding_of(lead, numbers.of(lead)))
            said.append(row_of(alone, lead["state"], build_id, **_same(lead) | {"leads": True}))
    return said


def _is_step_beside(row: Row, drift: Row, judged: Judged, numbers: _Numbers) -> bool:
    """Whether a regression is a step near the start of a drift of its configuration, and no part.

    Its step alone has to describe its series, and must not describe the one that drifts.
    """
    own, other = judged.get(key_of(row)), judged.get(key_of(drift))
    beside = row["configuration_id"] == drift["configuration_id"]
    if not (own and other and beside) or abs(numbers.of(row) - numbers.of(drift)) > _NEAR:
        return False

    def places(series: Series) -> tuple[int, int]:
        return series.place(row["onset_utc"]), series.place(drift["onset_utc"])

    (stays, _), (drifts, _) = own, other
    alone = is_step_alone(stays.values, *places(stays))
    return alone and not is_step_as_well(drifts.values, *places(drifts))


def _order(row: Row) -> tuple[tuple[bool, bool], int]:
    """Sort by what is most informative as the leader of a group."""
    return rank_of(key_of(row)), _member(row)


def _led_again(known: Sequence[Row], events: Sequence[Row], build_id: str) -> list[Row]:
    """Return the events by which open regressions lead whose leader was withdrawn, or has gone."""
    current = {row["regression_id"]: row for row in (*known, *events)}
    members: dict[str, list[Row]] = {}
    for row in current.values():
        members.setdefault(row["group_id"], []).append(row)
    said: list[Row] = []
    for rows in members.values():
        leader = next((row for row in rows if row["leads"]), None)
        left = [row for row in rows if row["state"] in OPEN]
        stays = leader and (
            leader["by"] != DETECTOR or leader["state"] not in {FALSE_ALARM, WITHDRAWN}
        )
        if stays or not left:
            continue
        best = min(left, key=_order)
        same = {"by": DETECTOR, "build_id": build_id}
        if leader:
            note = f"{best['regression_id']} leads the group; {leader['note']}"
            said.append({**leader, **same, "leads": False, "note": note})
        said.append({**best, **same, "leads": True})
    return said


def _groups(rows: Sequence[Row], numbers: _Numbers) -> list[Group]:
    """Return the groups, once for each of their configurations.

    A group is where its leader is: along its members it would reach from one change to the next.
    """
    drifting = {
        row["group_id"] for row in rows if row["kind"] == SLOPE and row["state"] in OPEN | ACCEPTED
    }
    first: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: (not row["leads"], _member(row))):
        if row["state"] not in {FALSE_ALARM, WITHDRAWN}:
            first.setdefault((row["group_id"], row["configuration_id"]), row)
    return [
        Group.of(row, numbers.of(row), drifts=row["group_id"] in drifting) for row in first.values()
    ]


def _member(row: Row) -> int:
    return int(row["regression_id"].rpartition(".")[2])


def _group_of(finding: Finding, groups: Sequence[Group], judged: Judged) -> Group | None:
    """Return the nearest group that a finding belongs to, or the one whose drift it is part of."""
    near = [group for group in groups if group.holds(finding)]
    if near:
        slopes = finding.kind == SLOPE
        return min(near, key=lambda group: (group.apart(finding), group.drifts != slopes))
    return next((group for group in groups if _drifts(finding, group, judged)), None)


def _story_of(finding: Finding, groups: Sequence[Group], judged: Judged) -> Group | None:
    """Return the change of many configurations that a finding of another one can be, if any.

    Its series has to be described about as well by a step at the date of that change.
    """
    own = judged.get(finding.key)
    if own is None or finding.kind not in {LEVEL, SLOPE} or not finding.key.whole:
        return None
    stories: dict[str, list[Group]] = {}
    for group in groups:
        if group.is_of_metric(finding) and group.kind == LEVEL:
            stories.setdefault(group.group_id, []).append(group)
    for story in stories.values():
        if len(story) < LEAST_SERIES:
            continue
        values, place = own[0].values, own[0].place(story[0].onset_utc)
        if finding.kind == SLOPE:
            same = is_step_as_well(values, place, own[0].place(finding.onset_utc))
        else:
            same = dates_of(finding, own[0]).cost(place) <= as_likely_of(len(story))
        if same:
            return story[0]
    return None


def _drifts(finding: Finding, group: Group, judged: Judged) -> bool:
    """Whether a finding is a part of a group's drift, or a group one of a drift that is found."""
    leader, own = judged.get(group.key), judged.get(finding.key)
    if leader is None or own is None or not group.is_beside(finding):
        return False
    since, onset = group.onset_utc, finding.onset_utc
    first, second = (leader[0].place(of) for of in (since, onset))
    if finding.kind == SLOPE and not group.drifts:
        # What is a step in one series is one in another too, if that says as much.
        places = (own[0].place(of) for of in (since, onset))
        if is_step_as_well(own[0].values, *places):
            return True
    looks = group.state in OPEN and looks_like_drift(leader[0].values, first, second)
    if group.drifts or looks:
        places = (own[0].place(of) for of in (since, onset))
        return is_part_of_drift(own[0].values, *places, is_slope=finding.kind == SLOPE)
    return finding.kind == SLOPE and is_part_of_drift(
        leader[0].values, second, first, is_slope=group.kind == SLOPE
    )


def _outranks(finding: Finding, group: Group) -> bool:
    """Whether a finding says more about the cause than what leads its group so far."""
    return _can_lead(finding, group) and rank_of(finding.key) < group.rank


def _equals(finding: Finding, group: Group) -> bool:
    """Whether a finding can say as much about the cause as what leads its group so far."""
    return _can_lead(finding, group) and rank_of(finding.key) == group.rank


def _can_lead(finding: Finding, group: Group) -> bool:
    return (
        group.state in OPEN
        and group.configuration_id == finding.key.configuration_id
        and {group.kind, finding.kind} <= {LEVEL, SLOPE, PAIR}
    )
