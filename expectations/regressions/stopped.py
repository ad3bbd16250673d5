"""Configurations that no longer run, and the ones that go on in their place.

A label that changes, such as the machine or the level of MQ, makes another configuration: the old
series ends. That is said once. What is open there is carried over to a configuration that differs
in one label only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import duckdb
import polars as pl

from expectations.regressions.finding import DATA, Finding, Key, Recovery
from expectations.regressions.series import Series

__all__ = ["STOPPED", "Stopped", "carry_over", "find_stopped", "key_of_heir", "read_labels"]

STOPPED = "stopped"  # the metric of such a finding
_LEAST = 8  # builds in which a configuration ran
_REGULAR = 0.8  # share of the builds in that period
_QUIET = 3  # builds without it
_NO_LABELS = ("configuration_id", "factors_id", "origin", "source_id", "record_no",
              "configuration", "runs", "origins", "x_factors")  # fmt: skip

Labels = Mapping[str, Mapping[str, str]]
Run = Mapping[str, Any]
Configuration = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Stopped:
    """A configuration that no longer runs.

    finding: what is said of it; heir: ID and name of the configuration that goes on, if any.
    """

    finding: Finding
    heir: tuple[str, str] | None


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


def find_stopped(runs: pl.DataFrame, labels: Labels) -> dict[Configuration, Stopped]:
    """Find configurations that ran in most builds of their campaign and not in the last ones.

    By origin, campaign and ID. runs: as series.read_runs returns them.
    """
    found = dict[Configuration, Stopped]()
    for (origin, campaign), part in runs.group_by("origin", "campaign", maintain_order=True):
        builds = sorted(part["build_no"].unique().to_list())
        of = {
            str(name): one.sort("start_utc").to_dicts()
            for (name,), one in part.group_by("configuration_id", maintain_order=True)
        }
        for name, rows in of.items():
            ran = {row["build_no"] for row in rows}
            within = sum(min(ran) <= no <= max(ran) for no in builds)
            quiet = sum(no > max(ran) for no in builds)
            if len(ran) >= max(_LEAST, _REGULAR * within) and quiet >= _QUIET:
                found[str(origin), str(campaign), name] = _stopped(name, rows[-1], of, labels)
    return found


def _stopped(name: str, last: Run, of: Mapping[str, Sequence[Run]], labels: Labels) -> Stopped:
    own = labels.get(name, {})
    heirs = [
        (rows[0]["start_utc"], other, changed[0])
        for other, rows in of.items()
        if rows[0]["start_utc"] > last["start_utc"]
        and len(changed := [of for of in own if own[of] != labels.get(other, {}).get(of)]) == 1
    ]
    what, recovery, heir = f"no more runs since {last['run_id']}", None, None
    if heirs:
        _, other, label = min(heirs, key=lambda one: one[:2])
        first = of[other][0]
        heir = other, str(first["configuration"] or other)
        recovery = Recovery(str(first["run_id"]), first["start_utc"], 0.0)
        now = labels[other][label] or "nothing"
        what += f": goes on as {heir[1]} ({label} {now} instead of {own[label] or 'nothing'})"
    finding = Finding(
        kind=DATA,
        key=Key(str(last["origin"]), str(last["campaign"]), name, STOPPED),
        configuration=str(last["configuration"] or name),
        onset_run_id=str(last["run_id"]),
        onset_utc=last["start_utc"],
        onset_build=str(last["build"]),
        onset_no=int(last["build_no"]),
        last_good=str(last["run_id"]),
        run_ids=(str(last["run_id"]),),
        runs_after=0,
        what=what,
        recovery=recovery,
    )
    return Stopped(finding, heir)


def carry_over(finding: Finding, stopped: Stopped, judged: Mapping[Key, Series]) -> Finding | None:
    """Return an open change as it goes on in the heir of its configuration.

    judged: series by their keys. The heir may be at another level; the change was there when it
    began, so its levels are in proportion. None if the heir has no such series.
    """
    if stopped.heir is None or not finding.after or finding.before is None:
        return None
    series = judged.get(key_of_heir(finding.key, stopped))
    if series is None or len(series.values) < _QUIET:
        return None
    scale = median(series.values[:_QUIET]) / finding.after
    return replace(
        finding,
        key=series.key,
        configuration=series.configuration,
        unit=series.unit,
        before=finding.before * scale,
        after=finding.after * scale,
        low=None if finding.low is None else finding.low * scale,
        high=None if finding.high is None else finding.high * scale,
        run_ids=series.run_ids_of(0),
        runs_after=len(series.values),
    )


def key_of_heir(key: Key, stopped: Stopped) -> Key:
    """Return the same series of the configuration that goes on, or of this one if none does."""
    return replace(key, configuration_id=stopped.heir[0]) if stopped.heir else key
