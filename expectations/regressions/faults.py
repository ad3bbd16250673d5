"""Faults of the data: runs that are incomplete, not comparable or missing, and figures of them.

A label that changes, such as the machine or the level of MQ, makes another configuration: the old
series ends. That is said once. What is open there is carried over to a configuration that differs
in one label only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Any

import duckdb
import polars as pl

from expectations.detector.step import LEAST_LEVEL
from expectations.regressions.finding import DATA, SHOWN, Finding, Key, Recovery
from expectations.regressions.series import Break, Series

__all__ = ["NO_MORE_RUNS", "Labels", "Stopped", "carry_over", "find_breaks",
           "find_incomplete_runs", "find_missing_metrics", "find_stopped", "key_of_heir",
           "read_labels"]  # fmt: skip

NO_MORE_RUNS = "stopped"  # the metric of such a finding
_KNOWN, _REGULAR = 5, 0.8  # runs with a metric, and the share of them, before its absence counts
_LEAST = 8  # builds in which a configuration ran
_BY = {"unit": "in", "source": "from"}
_CONFIGURATION = ["origin", "campaign", "configuration_id"]
_NO_LABELS = ("configuration_id", "factors_id", "origin", "source_id", "record_no",
              "configuration", "runs", "origins", "x_factors")  # fmt: skip

Labels = Mapping[str, Mapping[str, str]]
Run = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stopped:
    """A configuration that no longer runs.

    finding: what is said of it; heir: ID of the configuration that goes on, '' without one.
    """

    finding: Finding
    heir: str


def read_labels(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Return the labels and factors of each configuration, by its ID."""
    rows = connection.sql("FROM marts.dim_configuration").pl().to_dicts()
    return {
        row["configuration_id"]: {
            name: "" if value is None else str(value)
            for name, value in (row | dict(row.get("x_factors") or ())).items()
            if name not in _NO_LABELS
        }
        for row in rows
    }


def find_incomplete_runs(runs: pl.DataFrame) -> list[Finding]:
    """Find sequences of incomplete runs of a configuration; a complete run ends a sequence.

    runs: as series.read_runs returns them.
    """
    findings = []
    for rows in _by_configuration(runs).values():
        last: Run | None = None
        stretches = [list(of) for _, of in groupby(rows, key=lambda row: bool(row["is_compared"]))]
        for stretch, after in zip(stretches, [*stretches[1:], None], strict=True):
            if not stretch[0]["is_compared"]:
                why = list(dict.fromkeys(text for row in stretch for text in row["issues"] or ()))
                label = "incomplete: " + ("; ".join(why[:SHOWN]) or "no reason given")
                back = after[0] if after else None
                findings.append(
                    _finding_of_runs(stretch, label, last["run_id"] if last else "", back)
                )
            last = stretch[-1]
    return findings


def find_missing_metrics(
    series: Sequence[Series], runs: pl.DataFrame, quiet_runs: int
) -> list[Finding]:
    """Find configurations whose last `quiet_runs` complete runs lack metrics of earlier runs.

    A monitor that was switched off removes many metrics at once: one finding names them all.
    Metrics that earlier runs lacked occasionally are ignored.
    """
    whole = _by_configuration(runs.filter("is_compared"))
    lost: dict[tuple[tuple[str, ...], int], list[Key]] = {}
    for item in series:
        of = item.key.of_configuration
        times = [row["start_utc"] for row in whole.get(of, ())]
        end = sum(time <= item.starts[-1] for time in times)
        within = sum(time >= item.starts[0] for time in times[:end])
        regular = len(item.starts) >= max(_KNOWN, _REGULAR * within)
        if regular and len(times) - end >= quiet_runs:
            lost.setdefault((of, end), []).append(item.key)
    return [
        _finding_of_runs(whole[of][at:], f"no figure for {_names(keys)}",
                         whole[of][at - 1]["run_id"], metric="quiet")
        for (of, at), keys in lost.items()
    ]  # fmt: skip


def find_breaks(breaks: Sequence[Break], runs: pl.DataFrame) -> list[Finding]:
    """Return the breaks of series, one finding per place.

    breaks: as series.read_series returns them; runs: as series.read_runs does.
    """
    rows = {(row["origin"], row["run_id"]): row for row in runs.to_dicts()} if breaks else {}
    places: dict[tuple[str, str, str], dict[tuple[str, str], list[Break]]] = {}
    for item in breaks:
        by_run = places.setdefault((item.key.origin, item.run_ids[0], item.of), {})
        by_run.setdefault((item.before, item.after), []).append(item)
    findings = []
    for (origin, _, of), same in places.items():
        label = [
            f"{_names([item.key for item in alike])} {_BY[of]} {now or f'no {of}'} "
            f"instead of {was or f'no {of}'}"
            for (was, now), alike in same.items()
        ]
        first = next(iter(same.values()))[0]
        text = f"not comparable with the runs before: {'; '.join(label)}"
        stretch = [rows[origin, run] for run in first.run_ids]
        findings.append(_finding_of_runs(stretch, text, first.last_good, metric=of))
    return findings


def find_stopped(runs: pl.DataFrame, labels: Labels) -> dict[tuple[str, ...], Stopped]:
    """Find configurations that ran in most builds of their campaign and not in the last ones.

    By origin, campaign and ID. runs: as series.read_runs returns them.
    """
    stopped = dict[tuple[str, ...], Stopped]()
    every = _by_configuration(runs.sort("start_utc"))
    for campaign, names in groupby(sorted(every), key=lambda name: name[:2]):
        of = {name[2]: every[name] for name in names}
        builds = {row["build_no"] for rows in of.values() for row in rows}
        for name, rows in of.items():
            ran = {row["build_no"] for row in rows}
            within = sum(min(ran) <= no <= max(ran) for no in builds)
            quiet = sum(no > max(ran) for no in builds)
            if len(ran) >= max(_LEAST, _REGULAR * within) and quiet >= LEAST_LEVEL:
                stopped[*campaign, name] = _stop(name, rows[-1], of, labels)
    return stopped


def _stop(name: str, last: Run, of: Mapping[str, Sequence[Run]], labels: Labels) -> Stopped:
    stated = labels.get(name, {})
    heirs = [
        (rows[0]["start_utc"], other, changed[0])
        for other, rows in of.items()
        if rows[0]["start_utc"] > last["start_utc"]
        and len(
            changed := [item for item in stated if stated[item] != labels.get(other, {}).get(item)]
        )
        == 1
    ]
    reason, first, heir = f"no more runs since {last['run_id']}", None, ""
    if heirs:
        _, heir, label = min(heirs)
        first, now = of[heir][0], labels[heir][label] or "nothing"
        goes_on = first["configuration"] or heir
        reason += f": goes on as {goes_on} ({label} {now} instead of {stated[label] or 'nothing'})"
    finding = _finding_of_runs([last], reason, last["run_id"], first, metric=NO_MORE_RUNS)
    return Stopped(replace(finding, runs_after=0), heir)


def carry_over(finding: Finding, stopped: Stopped, judged: Mapping[Key, Series]) -> Finding | None:
    """Return an open change as it goes on in the heir of its configuration.

    judged: series by their keys. The heir may be at another level; the change was there when it
    began, so its levels are in proportion. None if the heir has no such series.
    """
    series = judged.get(key_of_heir(finding.key, stopped)) if stopped.heir else None
    if series is None or len(series.values) < LEAST_LEVEL or not finding.after:
        return None
    scale = median(series.values[:LEAST_LEVEL]) / finding.after
    names = ("before", "after", "low", "high")
    now: dict[str, Any] = {
        name: None if (of := getattr(finding, name)) is None else of * scale for name in names
    }
    now |= {name: getattr(series, name) for name in ("key", "configuration", "unit")}
    return replace(finding, **now, run_ids=series.run_ids_of(0), runs_after=len(series.values))


def key_of_heir(key: Key, stopped: Stopped) -> Key:
    """Return the same series of the configuration that goes on."""
    return replace(key, configuration_id=stopped.heir)


def _by_configuration(runs: pl.DataFrame) -> dict[tuple[str, ...], list[Run]]:
    parts = runs.partition_by(_CONFIGURATION, as_dict=True, maintain_order=True)
    return {tuple(map(str, key)): part.to_dicts() for key, part in parts.items()}


def _names(keys: Sequence[Key]) -> str:
    """Return every metric once, with its parts if the whole run still has it."""
    whole = {key.metric for key in keys if key.whole}
    parts = {
        " of ".join(filter(None, (key.metric, key.address_space, key.system_id)))
        for key in keys
        if key.metric not in whole
    }
    return ", ".join([*sorted(whole), *sorted(parts)])


def _finding_of_runs(
    stretch: Sequence[Run], what: str, last_good: str, after: Run | None = None,
    metric: str = "",
) -> Finding:  # fmt: skip
    """Return the finding of a stretch of runs; after: the run with which it ends, if it did."""
    first, run_ids = stretch[0], tuple(row["run_id"] for row in stretch)
    return Finding(
        kind=DATA,
        key=Key(first["origin"], first["campaign"], first["configuration_id"], metric),
        configuration=str(first["configuration"] or first["configuration_id"]),
        onset_run_id=str(first["run_id"]),
        onset_utc=first["start_utc"],
        onset_build=str(first["build"]),
        onset_no=int(first["build_no"]),
        last_good_run_id=last_good,
        runs_after=len(run_ids),
        run_ids=run_ids,
        what=what,
        recovery=Recovery(after["run_id"], after["start_utc"], 0.0) if after else None,
    )
