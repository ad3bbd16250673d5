"""Judge the runs of a build and store new regressions as events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb

from expectations.limits import Limits
from expectations.metrics import measure_of
from expectations.regressions.against_model import find_outside_band, read_predictions
from expectations.regressions.builds import Unsettled, find_worse_builds
from expectations.regressions.environment import without_environment
from expectations.regressions.explain import explain, is_cost, read_parts
from expectations.regressions.faults import (
    find_breaks,
    find_incomplete_runs,
    find_missing_metrics,
    find_stopped,
    read_labels,
)
from expectations.regressions.finding import DATA, ENVIRONMENT, MODEL, PAIR, Finding, Key
from expectations.regressions.levels import find_level_shifts
from expectations.regressions.losses import Losses
from expectations.regressions.present import Judged, with_recovery
from expectations.regressions.series import (
    LEAST_RUNS,
    Series,
    holds_runs,
    mean_of,
    per_work,
    read_runs,
    read_series,
)
from expectations.regressions.states import SUSPECTED
from expectations.regressions.store import Row, key_of, read_current, write_events, writing
from expectations.regressions.triage import triage
from expectations.thresholds import Thresholds

__all__ = ["Judgement", "judge_build"]


_OF_WHOLE = 0.1  # of the threshold: what a part has to change of the whole


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of judging a build.

    events: new events; current: the last event of each regression, including new ones; series:
    number of series; unsettled: those with too few runs for a verdict; wandering: series whose
    level moves by itself, and how far, as a share.
    """

    events: tuple[Row, ...] = ()
    current: tuple[Row, ...] = ()
    series: int = 0
    unsettled: Unsettled = field(default_factory=Unsettled)
    wandering: dict[Key, float] = field(default_factory=dict)


def judge_build(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    build_id: str,
    limits: Limits,
    thresholds: Thresholds | None = None,
) -> Judgement:
    """Judge the build behind `connection` and append its events to `folder`.

    thresholds: the least change worth reporting by series, default the one in `limits` for all.
    A build without the marts of runs has no events. One check at a time: the caller sees to it.
    People may answer meanwhile. What they answered stays as it is until the next check, which
    judges with their answers.
    """
    stored = read_current(folder)
    if not holds_runs(connection):
        return Judgement(current=tuple(stored))
    (series, breaks), runs = read_series(connection), read_runs(connection)
    level = limits.false_discovery_percent / 100
    thresholds = thresholds or Thresholds(limits.least_percent)
    by_run = [item for item in per_work(series) if item.more_is_better is not None]
    by_session = [item.of_sessions() for item in by_run]
    by_session, environment = without_environment(by_session, thresholds.least, level)
    long = [item for item in by_session if len(item.values) >= LEAST_RUNS]
    short = [item for item, sessions in zip(by_run, by_session, strict=True)
             if len(sessions.values) < LEAST_RUNS]  # fmt: skip
    suspected = {key_of(row) for row in stored if row["state"] == SUSPECTED}
    shifts, of_long, ranges = find_level_shifts(long, thresholds.least, level, suspected)
    worse, of_short, unsettled = find_worse_builds(short, thresholds.least, level)
    levels = [*of_long, *of_short]
    judged: Judged = {
        item.key: (item, at) for item, at in zip([*long, *short], levels, strict=True)
    }
    whole = {item.key: abs(mean_of(item.values)) for item in by_run if item.key.whole}
    findings = [with_recovery(finding, *judged[finding.key]) for finding in (*shifts, *worse)]
    findings = _worth_reporting([*findings, *environment], thresholds, whole)
    # What is measured otherwise by now is not missing, though not in its series yet.
    begun = {item.key: item.run_ids for item in breaks}
    known_series = [
        item for item in series if item.run_ids[-1] in begun.get(item.key, item.run_ids)
    ]
    labels = read_labels(connection)
    stopped = find_stopped(runs, labels)
    findings += [
        *find_incomplete_runs(runs),
        *find_missing_metrics(known_series, runs, limits.quiet_runs),
        *find_breaks(breaks, runs),
        *(item.finding for item in stopped.values()),
        *find_outside_band([*long, *short], levels, read_predictions(connection)),
    ]
    by_configuration: dict[tuple[str, ...], list[Series]] = {}
    for item in series:
        by_configuration.setdefault(item.key.of_configuration, []).append(item)

    def with_cause(finding: Finding) -> Finding:
        if finding.kind in {DATA, ENVIRONMENT, MODEL}:
            return finding
        split = read_parts(connection, finding, judged[finding.key][0])
        others = by_configuration[finding.key.of_configuration]
        if finding.kind != PAIR:
            others = [other.of_sessions() for other in others]
        return explain(finding, others, split)

    before, losses = {row["event_id"] for row in stored}, Losses(series, runs)
    with writing(folder):
        stored = read_current(folder)
        answered = {row["regression_id"] for row in stored if row["event_id"] not in before}
        events = triage(
            findings, stored, judged, runs, build_id, with_cause, level, stopped, labels
        )
        events = [
            event | {"lost_percent": losses.percent(event)}
            for event in events
            if event["regression_id"] not in answered
        ]
        events = write_events(events, folder)
    current = {row["regression_id"]: row for row in (*stored, *events)}
    return Judgement(
        events=tuple(events),
        current=tuple(current.values()),
        series=len(long) + len(short),
        unsettled=unsettled,
        wandering={
            item.key: far for item, far in zip(long, ranges, strict=True) if far is not None
        },
    )


def _worth_reporting(
    findings: Sequence[Finding], thresholds: Thresholds, whole: Mapping[Key, float]
) -> list[Finding]:
    """Return the findings whose change is not below the threshold of their series.

    whole: the usual size of each metric of whole runs. What changes in a system or an address space
    has to matter there too: a tenth of the threshold, if the figure is a cost, which adds up.
    """

    def matters(finding: Finding) -> bool:
        key = finding.key
        if finding.change_percent is None or finding.before is None or finding.after is None:
            return True
        least = thresholds.least_percent(key.metric, key.campaign)
        total = whole.get(replace(key, system_id="", address_space=""), 0.0)
        if key.whole or not is_cost(key.metric):
            total = 0.0
        change = abs(finding.after - finding.before)
        base = measure_of(key.metric, finding.unit, finding.more_is_better).base(finding.before)
        return change >= least / 100 * max(base, _OF_WHOLE * total)

    return [finding for finding in findings if matters(finding)]
