"""Which findings of a build are new, which continue and which have disappeared, as events.

The states, and who sets them:

    new           first seen                                      detector
    confirmed     seen again with more runs                       detector
    acknowledged  known and accepted: the baseline is reset       a user
    expected      an intended change: the baseline is reset       a user
    false alarm   not real                                        a user; the detector, if a later
                                                                  build no longer shows it
    fixed         at least half of the change is gone             detector
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from expectations.detector.significance import ALPHA, adjust_for_many
from expectations.regressions.explain import priority
from expectations.regressions.finding import DATA, LEVEL, MODEL, Finding, Key, Recovery
from expectations.regressions.groups import Group
from expectations.regressions.levels import Level, recovered
from expectations.regressions.series import Series
from expectations.regressions.store import Row, row_of

__all__ = ["ACCEPTED", "ACKNOWLEDGED", "CONFIRMED", "EXPECTED", "FALSE_ALARM", "FIXED", "NEW",
           "OPEN", "Judged", "triage"]  # fmt: skip

NEW, CONFIRMED, FIXED = "new", "confirmed", "fixed"
ACKNOWLEDGED, EXPECTED, FALSE_ALARM = "acknowledged", "expected", "false alarm"
OPEN = frozenset({NEW, CONFIRMED})
ACCEPTED = frozenset({ACKNOWLEDGED, EXPECTED})

_NEAR = 5  # changes of one series within so many builds are the same change

Judged = dict[Key, tuple[Series, list[Level]]]
Explain = Callable[[Finding], Finding]


def triage(
    findings: Sequence[Finding],
    known: Sequence[Row],
    judged: Judged,
    runs: pl.DataFrame,
    build_id: str,
    explain: Explain,
) -> list[Row]:
    """Return the events of a build; none if nothing changed.

    known: current state of each regression; judged: each series as it was judged (from its last
    accepted change on) and its levels; runs: as series.read_runs returns them; explain: adds the
    cause to a finding.
    """
    numbers = _Numbers(runs)
    matches = _match(findings, known, numbers)
    events = []
    for row in known:
        finding = matches.get(row["regression_id"])
        events += (
            _continued(row, finding, build_id) if finding else _disappeared(row, judged, build_id)
        )
    taken = {id(finding) for finding in matches.values()}
    fresh = [finding for finding in findings if id(finding) not in taken]
    return events + _first_seen(_significant(fresh, len(judged)), known, numbers, build_id, explain)


class _Numbers:
    """Numbers of builds in their campaigns, by time."""

    def __init__(self, runs: pl.DataFrame) -> None:
        self._campaigns = {
            (str(key[0]), str(key[1])): part.sort("start_utc")
            for key, part in runs.group_by("origin", "campaign")
        }
        self._known: dict[str, int] = {}

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


def _key_of(row: Row) -> Key:
    return Key(*(row[name] for name in Key.__dataclass_fields__))


def _match(
    findings: Sequence[Finding], known: Sequence[Row], numbers: _Numbers
) -> dict[str, Finding]:
    """Match known regressions with the findings nearest to them."""
    by_key: dict[tuple[Key, bool, bool], list[Row]] = {}
    for row in known:
        kind = row["kind"]
        by_key.setdefault((_key_of(row), kind == DATA, kind == MODEL), []).append(row)
    pairs = []
    for finding in findings:
        series = (finding.key, finding.kind == DATA, finding.kind == MODEL)
        for row in by_key.get(series, []):
            apart = _distance(finding, row, numbers)
            if apart is not None:
                pairs.append((apart, row["state"] not in OPEN, row["regression_id"], finding))
    matches: dict[str, Finding] = {}
    taken: set[int] = set()
    for _, _, regression_id, finding in sorted(pairs, key=lambda pair: pair[:3]):
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
    return apart if apart <= _NEAR else None


def _continued(row: Row, finding: Finding, build_id: str) -> list[Row]:
    """Return the events of a known regression that the build shows."""
    same = {name: row[name] for name in ("regression_id", "group_id", "leads")}
    same["parts"] = row["parts"]
    finding = replace(finding, cause=row["cause"])
    if finding.recovery and row["state"] in OPEN | ACCEPTED:
        return [
            row_of(finding, FIXED, build_id, **same, note=_recovery_note(finding.recovery, finding))
        ]
    if row["state"] == NEW and finding.runs_after > row["runs_after"]:
        return [row_of(finding, CONFIRMED, build_id, **same)]
    if row["state"] == FALSE_ALARM and row["by"] == "detector" and not finding.recovery:
        return [row_of(finding, CONFIRMED, build_id, **same, note="found again")]
    return []


def _disappeared(row: Row, judged: Judged, build_id: str) -> list[Row]:
    """Return the events of a known regression that the build does not show."""
    if row["state"] not in OPEN | ACCEPTED:
        return []
    event = {**row, "by": "detector", "build_id": build_id}
    if row["kind"] in {DATA, MODEL}:
        what = (
            "data are available again" if row["kind"] == DATA else "within the model's band again"
        )
        return [{**event, "state": FIXED, "note": what}] if row["state"] in OPEN else []
    found = judged.get(_key_of(row))
    if found is None:
        return []  # its runs are not in this build
    series, levels = found
    onset = sum(start < row["onset_utc"] for start in series.starts)
    reset = not series.starts or series.starts[0] >= row["onset_utc"]  # judged from there on
    back = recovered(series, levels, -1 if reset else onset, row["before"], row["after"])
    if back:
        recovery = {"recovered_run_id": back.run_id, "recovered_utc": back.start_utc}
        note = f"{back.level:.4g} {row['unit']} since run {back.run_id}"
        return [{**event, **recovery, "state": FIXED, "note": note}]
    if row["state"] in OPEN and not reset:
        note = f"no longer found among {len(series.run_ids)} runs"
        return [{**event, "state": FALSE_ALARM, "note": note}]
    return []


def _recovery_note(recovery: Recovery, finding: Finding) -> str:
    if finding.kind == DATA:
        return f"complete again from run {recovery.run_id}"
    return f"{recovery.level:.4g} {finding.unit} since run {recovery.run_id}"


def _significant(fresh: Sequence[Finding], series: int) -> list[Finding]:
    """Limit the false discovery rate among the new findings alone.

    Over all findings, every known shift would make it easier for a false one to pass. A finding
    that does not pass is judged again when there are more runs.
    """
    shifts = [finding for finding in fresh if finding.kind == LEVEL]
    others = [finding for finding in fresh if finding.kind != LEVEL]
    p_values = [1.0 if f.p_value is None else f.p_value for f in shifts]
    significant = adjust_for_many(p_values + [1.0] * max(series - len(shifts), 0)) <= ALPHA
    return others + [f for f, ok in zip(shifts, significant, strict=False) if ok]


def _first_seen(
    fresh: Sequence[Finding],
    known: Sequence[Row],
    numbers: _Numbers,
    build_id: str,
    explain: Explain,
) -> list[Row]:
    """Return the events of new findings: grouped, with a leader, numbered in each group."""
    groups = [Group.of(row, numbers.of(row)) for row in known if row["state"] != FALSE_ALARM]
    counts = Counter(row["group_id"] for row in known)
    events: list[Row] = []
    for finding in sorted(fresh, key=lambda f: (f.kind, *priority(f))):
        group = next((of for of in groups if of.holds(finding)), None)
        explained = replace(finding, cause=group.cause) if group else explain(finding)
        group = group or next((of for of in groups if of.is_cause_of(explained)), None)
        leads = group is None
        group = group or Group.new(explained, NEW)
        groups.append(replace(group, configuration_id=explained.key.configuration_id))
        counts[group.group_id] += 1
        same = {
            "regression_id": f"{group.group_id}.{counts[group.group_id]}",
            "group_id": group.group_id,
            "leads": leads,
        }
        if group.state in ACCEPTED:
            note = f"with {group.group_id}: {group.note}"
            events.append(row_of(explained, group.state, build_id, **same, note=note))
        else:
            events.append(row_of(explained, NEW, build_id, **same))
        if explained.recovery:
            note = _recovery_note(explained.recovery, explained)
            events.append(row_of(explained, FIXED, build_id, **same, note=note))
    return events
