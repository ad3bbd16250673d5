"""Groups that later runs show otherwise: joined, parted, or led by another regression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb

from expectations.detector.drift import is_step_alone, is_step_as_well
from expectations.regressions.finding import LEVEL, SLOPE, Explain
from expectations.regressions.groups import Group, drifts_with, groups_of, order
from expectations.regressions.known import same_regression
from expectations.regressions.matching import NEAR, Numbers
from expectations.regressions.present import Judged
from expectations.regressions.series import Series
from expectations.regressions.states import FALSE_ALARM, OPEN, SURE, WITHDRAWN
from expectations.regressions.store import DETECTOR, Row, finding_of, key_of, row_of

__all__ = ["choose_leaders", "join_groups", "name_shared_levels", "split_drifts"]

_CHANCE = 0.01  # that configurations drawn at random share a level, over all levels
_IN = "; all configurations with "  # before the shared level, in a message


def join_groups(
    known: Sequence[Row], events: Sequence[Row], judged: Judged, numbers: Numbers, build_id: str
) -> list[Row]:
    """Return the events by which the regressions of a group join another one of the same change.

    A ramp can be told as two changes before it shows what it is, and what began with one build as
    two while its dates are not sure. It joins the drift, or the group whose leader says more.
    """
    current = {row["regression_id"]: row for row in (*known, *events)}
    leaders = [
        row
        for row in current.values()
        if row["leads"] and row["state"] in OPEN and row["kind"] in {LEVEL, SLOPE}
    ]
    groups = [of for of in groups_of(list(current.values()), numbers) if of.state in OPEN]
    drifts = {of.group_id for of in groups if of.drifts}
    into: dict[str, tuple[str, str]] = {}  # where a group goes, and why
    for row in sorted(leaders, key=lambda row: (row["onset_utc"], row["regression_id"])):
        finding = finding_of(row, numbers.of(row))
        for of in groups:
            if (
                of.drifts
                and of.group_id not in {row["group_id"], *into}
                and of.onset_utc <= finding.onset_utc
                and drifts_with(finding, of, judged)
            ):
                note = f"{row['group_id']} is a part of the drift of {of.group_id}"
                into[row["group_id"]] = of.group_id, note
                break
    sure = sorted((row for row in leaders if row["state"] in SURE), key=order)
    for n, row in enumerate(sure):
        for better in sure[:n]:
            both = {row["group_id"], better["group_id"]}
            if both.isdisjoint(into) and both.isdisjoint(drifts) and _began_together(row, better):
                note = f"{row['group_id']} began with the same run as {better['group_id']}"
                into[row["group_id"]] = better["group_id"], note
                break
    same = {"by": DETECTOR, "build_id": build_id, "leads": False}
    return [
        {**row, **same, "group_id": into[row["group_id"]][0], "note": into[row["group_id"]][1]}
        for row in current.values()
        if row["group_id"] in into
    ]


def _began_together(row: Row, other: Row) -> bool:
    """Whether two shifts are of one configuration and begin with one run."""
    alike = ("origin", "campaign", "configuration_id", "kind", "onset_run_id")
    return row["kind"] == LEVEL and all(row[of] == other[of] for of in alike)


def split_drifts(
    known: Sequence[Row],
    events: Sequence[Row],
    judged: Judged,
    numbers: Numbers,
    build_id: str,
    explain: Explain,
) -> list[Row]:
    """Return the events by which drifts leave a group of steps that have no part in them.

    Two changes that begin with one build are one story until one of them shows that it drifts.
    """
    members: dict[str, list[Row]] = {}
    for row in {row["regression_id"]: row for row in (*known, *events)}.values():
        if row["state"] in SURE and row["kind"] in {LEVEL, SLOPE}:
            members.setdefault(row["group_id"], []).append(row)
    said: list[Row] = []
    for rows in members.values():
        slopes = sorted((row for row in rows if row["kind"] == SLOPE), key=order)
        steps = [
            row
            for row in rows
            if slopes and row["kind"] == LEVEL and _is_step_beside(row, slopes[0], judged, numbers)
        ]
        if not steps:
            continue
        lead = min(steps, key=order)
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
            said.append(
                row_of(alone, lead["state"], build_id, **same_regression(lead) | {"leads": True})
            )
    return said


def _is_step_beside(row: Row, drift: Row, judged: Judged, numbers: Numbers) -> bool:
    """Whether a regression is a step near the start of a drift of its configuration, and no part.

    Its step alone has to describe its series, and must not describe the one that drifts.
    """
    own, other = judged.get(key_of(row)), judged.get(key_of(drift))
    beside = row["configuration_id"] == drift["configuration_id"]
    if not (own and other and beside) or abs(numbers.of(row) - numbers.of(drift)) > NEAR:
        return False

    def places(series: Series) -> tuple[int, int]:
        return series.place(row["onset_utc"]), series.place(drift["onset_utc"])

    (stays, _), (drifts, _) = own, other
    alone = is_step_alone(stays.values, *places(stays))
    return alone and not is_step_as_well(drifts.values, *places(drifts))


def choose_leaders(known: Sequence[Row], events: Sequence[Row], build_id: str) -> list[Row]:
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
        best = min(left, key=order)
        same = {"by": DETECTOR, "build_id": build_id}
        if leader:
            note = f"{best['regression_id']} leads the group; {leader['note']}"
            said.append({**leader, **same, "leads": False, "note": note})
        said.append({**best, **same, "leads": True})
    return said


def name_shared_levels(
    known: Sequence[Row],
    events: Sequence[Row],
    judged: Judged,
    labels: Mapping[str, Mapping[str, str]],
    build_id: str,
) -> list[Row]:
    """Return the events of a build, where leaders name the factor level that their group shares.

    judged: says which configurations could have been in the group; labels: factors and labels of
    each configuration, by its ID.
    """
    current = {row["regression_id"]: row for row in (*known, *events)}
    members: dict[str, set[str]] = {}
    for row in current.values():
        if row["state"] in OPEN:
            members.setdefault(row["group_id"], set()).add(row["configuration_id"])
    said = list(events)
    for leader in current.values():
        if not leader["leads"] or leader["state"] not in OPEN:
            continue
        key = key_of(leader)
        others = {of.configuration_id for of in judged if replace(
            of, configuration_id=key.configuration_id) == key}  # fmt: skip
        level = _shared_level(members[leader["group_id"]], others, labels)
        message = leader["message"].partition(_IN)[0] + (_IN + level if level else "")
        if message == leader["message"]:
            continue
        if any(event is leader for event in events):
            said[next(i for i, event in enumerate(said) if event is leader)] = {
                **leader, "message": message}  # fmt: skip
        else:
            note = f"in all configurations with {level}" if level else "in other configurations too"
            said.append({**leader, "by": DETECTOR, "build_id": build_id, "message": message,
                         "note": note})  # fmt: skip
    return said


def _shared_level(
    members: set[str], others: set[str], labels: Mapping[str, Mapping[str, str]]
) -> str:
    """Return the factor levels that only these configurations have, '' without any.

    The probability that as many configurations drawn at random all have a level is that of the
    hypergeometric distribution; it counts once for each level that they could share.
    """
    every = sorted((members | others) & labels.keys())
    if len(members) < 2 or not members <= labels.keys():
        return ""
    levels = {(name, level) for of in members for name, level in labels[of].items() if level}
    chances: dict[float, list[str]] = {}
    for name, level in sorted(levels):
        having = {of for of in every if labels[of].get(name) == level}
        if members <= having:
            chance = comb(len(having), len(members)) / comb(len(every), len(members))
            chances.setdefault(chance, []).append(f"{name} {level}")
    least = min(chances, default=1.0)
    return " and ".join(chances[least]) if least * len(levels) <= _CHANCE else ""
