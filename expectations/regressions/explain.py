"""The cause of a change: its split into parts, and other metrics that changed with it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import stdev

import duckdb

from expectations.metrics import metric_label
from expectations.regressions.finding import CLEAR, Finding, Key, Part
from expectations.regressions.series import Series, has_mart, mean_of

__all__ = ["explain", "is_cost", "is_of_verb", "is_rate", "place_of", "priority", "rank_of",
           "read_parts"]  # fmt: skip

_RATE = re.compile(
    "(steady_)?rate|(transactions|messages)_per_second|transfer_time|per_file_overhead"
    "|log_physical_rate"
)
_COST = re.compile(
    "cost_per_(GB|transaction)(_of_workload)?(_after_offload)?|workload_seconds(_after_offload)?"
    "|(cpu|general_purpose|ziip_eligible|system_overhead)_seconds|ziips_needed"
)
# Times that a transfer waits for: metrics that can explain a lower rate.
_WAITS = {
    "dasd_response_time": "DASD",
    "cf_service_time": "CF",
    "log_write_latency": "MQ log",
    "NETTIME": "network",
}
_ALL_CPU = ("cost_per_GB", "cost_per_transaction", "cpu_seconds")  # on any processor
_OF_WORKLOAD = "_of_workload"
_OF_VERB = "cpu_per_"
_REST = (
    *("not charged to address spaces", "unknown, or not charged to address spaces"),
    *("not in verbs of MQ", "not waiting for these"),
)
_SPLITS = ("address space", "verb", "wait")  # splits whose parts can be a cause
_MOST = 12  # number of parts kept, the largest first
_SHARE = 0.3  # minimum share of a change for a part to be its cause
_MOVED = 1.0  # minimum change, in noise deviations, of a part
_SPILL = "work that ran on zIIPs before"
_ELSEWHERE = "outside the records, such as network or load driver"

_PARTS = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")


def priority(finding: Finding) -> tuple[object, ...]:
    """Return a sort key: costs and rates of whole runs first, larger effects first."""
    effect = min(max(finding.effect or 0.0, 1e-9), 1e9)
    is_other = _COST.fullmatch(finding.key.metric) is None
    return *rank_of(finding.key), -round(math.log2(effect)), is_other, finding.key


def rank_of(key: Key) -> tuple[bool, bool]:
    """Return a sort key: what has to lead a group, because its cause can be split."""
    return not key.whole, not _is_split(key.metric)


def read_parts(
    connection: duckdb.DuckDBPyConnection, finding: Finding, series: Series
) -> list[Part]:
    """Compare the finding's runs with those before them, by every split in the build.

    A cost is split by the use of CPU time, in its own unit: by what `fct_run_part` has, and by
    address space and system as the same metric was measured there, unless `fct_run_part` has that
    too. A rate is split by the use of the time per GB or transaction, which has a unit of its own.
    """
    metric = finding.key.metric
    if not _is_split(metric) or not has_mart(connection, "fct_run_part"):
        return []
    before, after = ([run for i in places for run in series.runs[i]]
                     for places in _entries(finding, series))  # fmt: skip
    rows = connection.execute(
        _PARTS,
        {
            "origin": finding.key.origin,
            "campaign": finding.key.campaign,
            "configuration": finding.key.configuration_id,
            "metric": metric,
            # A part of the workload has the figures of any address space.
            "part_metric": metric.replace(_OF_WORKLOAD, "").replace("workload_", "cpu_"),
            "is_cost": is_cost(metric),
            "is_total": is_cost(metric) and "_per_" not in metric,
            # Only for these do the classes add up to the metric.
            "of_all_cpu": not is_cost(metric) or metric in _ALL_CPU,
            "before": before,
            "after": after,
        },
    ).fetchall()
    return [
        Part(name, split, was, now, unit, _effect(was, now, noise), (now - was) / whole)
        for split, name, unit, was, now, noise, whole in rows
        if whole
    ]


def explain(finding: Finding, series: Sequence[Series], split: Sequence[Part]) -> Finding:
    """Return the finding with its parts and its cause.

    series: all series of its configuration; split: as read_parts returns it. A cost is caused by
    the address space and the verb with at least 30 % of the change; a rate by the wait with as much
    of the time, or by a resource that got slower. If no recorded data explain a rate, the cause
    says so.
    """
    others = [
        part
        for item in series
        if item.key != finding.key
        and (item.key.metric in _WAITS or (item.key.whole and not _are_equivalent(item, finding)))
        and (part := _change_of(finding, item)) is not None
        and abs(part.effect) >= CLEAR
    ]
    others.sort(key=lambda part: -abs(part.effect))
    causes = [*_causes(finding, split), *_slower_waits(finding, others)]
    cause = " and ".join({place_of(name): name for name in causes}.values())
    if not cause and is_rate(finding.key.metric) and finding.key.whole:
        cause = _ELSEWHERE
    return replace(finding, cause=cause, parts=(*split[:_MOST], *others[:_MOST]))


def _causes(finding: Finding, split: Sequence[Part]) -> list[str]:
    """Return work moved from zIIPs, or the largest part of each split, from 30 % on."""
    metric = finding.key.metric
    if metric in _WAITS:
        return [f"{_WAITS[metric]} ({metric_label(metric)})"]
    if is_cost(metric) and _left_ziips(split):
        return [_SPILL]
    names = []
    for dimension in _SPLITS:
        parts = [p for p in split if p.dimension == dimension and p.what not in _REST]
        most = max(parts, key=lambda part: part.share or 0.0, default=None)
        if most and (most.share or 0.0) >= _SHARE and abs(most.effect) >= _MOVED:
            names.append(str(most))
    if is_of_verb(metric):
        names.append(f"MQ {metric.removeprefix(_OF_VERB)} ({metric_label(metric)})")
    return names


def place_of(cause: str) -> str:
    """Return a cause without its share."""
    return cause.partition(" (")[0]


def is_cost(metric: str) -> bool:
    """Whether a metric is CPU time, which the parts of a run add up to."""
    return _COST.fullmatch(metric) is not None or is_of_verb(metric)


def _is_split(metric: str) -> bool:
    """Whether a metric has parts: the CPU time of a verb has none."""
    return _COST.fullmatch(metric) is not None or is_rate(metric)


def is_of_verb(metric: str) -> bool:
    """Whether a metric is the CPU time of one call of MQ."""
    return metric.startswith(_OF_VERB)


def is_rate(metric: str) -> bool:
    """Whether a metric says how long the work of a run takes, or how much is done in a time."""
    return _RATE.fullmatch(metric) is not None


def _left_ziips(split: Sequence[Part]) -> bool:
    """Whether work moved from zIIPs to general-purpose processors instead of growing."""
    part = {item.what: item for item in split if item.dimension == "zIIP"}
    left, came = part.get("on zIIPs"), part.get("on CPs, zIIP-eligible")
    if not left or not came or min(-left.effect, came.effect) < _MOVED:
        return False
    return left.before - left.after >= (came.after - came.before) / 2


def _slower_waits(finding: Finding, others: Sequence[Part]) -> list[str]:
    """Return the clearest slowdown of a resource that a rate can wait for."""
    if not is_rate(finding.key.metric):
        return []
    slower = [p.what.partition(" on ") for p in others if p.effect > 0]
    named = [
        f"{_WAITS[metric]} ({metric_label(metric)}{on}{system})"
        for metric, on, system in slower
        if metric in _WAITS
    ]
    return named[:1]


def _are_equivalent(series: Series, finding: Finding) -> bool:
    """Whether two metrics are equivalent: both costs, or both rates."""
    both = series.key.metric, finding.key.metric
    return any(all(map(kind.fullmatch, both)) for kind in (_COST, _RATE))


def _entries(finding: Finding, series: Series) -> tuple[list[int], list[int]]:
    """Return the indexes of the entries before the onset, and of those at the new level."""
    onset, after = series.place(finding.onset_utc), frozenset(finding.run_ids)
    return (
        list(range(max(onset - finding.runs_before, 0), onset)),
        [i for i in range(onset, len(series.values)) if not after.isdisjoint(series.runs[i])],
    )


def _change_of(finding: Finding, series: Series) -> Part | None:
    """Return the change of another metric; None if it has no runs before or after."""
    was, now = ([series.values[i] for i in places] for places in _entries(finding, series))
    if not was or not now:
        return None
    noise = stdev(was) if len(was) > 1 else None
    means = mean_of(was), mean_of(now)
    on = f" on {series.key.system_id}" if series.key.system_id else ""
    return Part(
        f"{series.key.metric}{on}", "figure", *means, series.unit, _effect(*means, noise), None
    )


def _effect(before: float, after: float, noise: float | None) -> float:
    """Return the shift in deviations of the earlier runs; noise below 0.1 % is rounding."""
    return (after - before) / max(noise or 0.0, abs(before) * 1e-3, 1e-12)
