"""Verdicts on systems and queue managers: the worst figure of each check beside its limit.

The figures are rows of marts.fct_health_interval; what is judged, and by which limits, is the seed
health_limit, whose limits a site can change. A figure is judged by interval, and by the thing that
it is of (a buffer pool, a channel): the worst of them is the verdict.
"""

from __future__ import annotations

import csv
import os
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from app.results.queries.clock import UTC, Offsets, local_of, local_offsets
from app.results.queries.owners import OWNERS, RecordOwner, record_owners
from app.results.queries.scope import Scope
from app.results.reader import Reader
from app.results.words import counted
from expectations.metrics import seed
from expectations.verdicts.verdict import ALARM, NOT_JUDGED, WARNING, WITHIN
from ingest.base.errors import SettingsError
from ingest.lake.sql import literal

__all__ = [
    "Limit", "alarms", "finding", "findings", "in_a_line", "kept_limit", "latest", "limits",
    "summary", "verdicts", "with_unit", "worst_first",
]  # fmt: skip

_WORST_FIRST = (ALARM, WARNING, WITHIN, NOT_JUDGED)
_VARIABLE = "PERFHOUSE_HEALTH"
_KEYS = {"warning", "alarm", "remedy", "source"}
_USUAL = timedelta(days=28)  # the time before, whose same hours say what is usual
_DAY = timedelta(days=1)
_ENOUGH = 5  # intervals of the same hour
_ROUNDING = 1e-4  # relative: a figure as near to its limit as this keeps it, as records are rounded


class Limit(NamedTuple):
    """What is judged, and its limits, in its unit; None: there is no such verdict.

    kind: of owner; is_below: low is bad; remedy: what to change, and in which direction; formula:
    in fields of records; needs: the records that it is judged on; page: path of the page with its
    chart; parameter: there, of the name that the figure is of.
    """

    name: str
    warning: float | None
    alarm: float | None
    is_below: bool
    kind: str
    label: str
    unit: str
    remedy: str
    source: str
    formula: str
    needs: str
    page: str
    parameter: str

    @property
    def first(self) -> float:
        """The limit that a good figure keeps."""
        return next(limit for limit in (self.warning, self.alarm) if limit is not None)

    def verdict(self, value: float | None) -> str:
        """Return the verdict on a figure."""
        if value is None:
            return NOT_JUDGED
        sign = -1 if self.is_below else 1
        for limit, verdict in ((self.alarm, ALARM), (self.warning, WARNING)):
            if limit is not None and sign * value > sign * limit + _ROUNDING * abs(limit):
                return verdict
        return WITHIN


def limits() -> Mapping[str, Limit]:
    """Return the limits by name. Raises SettingsError for a site's file with a mistake."""
    named = os.environ.get(_VARIABLE, "")
    if named and not Path(named).is_file():
        raise SettingsError(f"{named}: no such file (set in ${_VARIABLE})")
    return _limits(named, Path(named).stat().st_mtime_ns if named else 0)


@cache
def _limits(named: str, _changed: int) -> Mapping[str, Limit]:
    with seed("dbt/seeds/health/health_limit.csv").open(newline="", encoding="utf-8") as rows:
        held = {row["check_name"]: _limit(**row) for row in csv.DictReader(rows)}
    for name, changes in (_read(Path(named)) if named else {}).items():
        if name not in held:
            raise SettingsError(f"{named}: {name} unknown")
        source = f"limit of this site ({Path(named).name})"
        held[name] = held[name]._replace(**{"source": source, **changes})
    return held


def _limit(check_name: str, warning: str, alarm: str, is_below: str, **texts: str) -> Limit:
    first, second = (float(text) if text else None for text in (warning, alarm))
    return Limit(check_name, first, second, is_below == "true", **texts)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the changes of a site by name of the limit."""
    try:
        held = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    for name, entry in held.items():
        if not isinstance(entry, dict) or set(entry) - _KEYS:
            raise SettingsError(f"{path}: {name} may have {', '.join(sorted(_KEYS))}")
        for key in {"warning", "alarm"} & set(entry):
            if isinstance(entry[key], bool) or not isinstance(entry[key], int | float):
                raise SettingsError(f"{path}: {name}: {key} must be a number")
    return held


def verdicts(
    reader: Reader, scope: Scope, kind: str, names: Collection[str] | None = None
) -> pl.DataFrame:
    """Return one row per owner and limit of a kind of owner, the worst verdicts first.

    owner, verdict, value, of (what the figure is of), moment (start of its interval, UTC), beyond
    and intervals (how many were beyond the first limit, of how many), usual (the middle 80 % of
    this hour in the 28 days before, [low, high]; null with fewer than five intervals; hours are of
    the owners' local time, of UTC if they have none in common), and the fields of Limit. names: of
    the limits; None: all. Raises SettingsError.
    """
    held = limits()
    judged = [
        check
        for check in held.values()
        if check.kind == kind and (names is None or check.name in names)
    ]
    before = scope.start - _USUAL
    (part,) = {system.system for system in OWNERS.values() if system.name == scope.owner}
    systems = sorted({label.split("/")[part] for label in scope.labels})
    local = local_offsets(reader, scope.origin, systems, before, scope.end)
    hours = UTC if isinstance(local, str) else local
    checked = reader.frame(_query(judged, hours), (*scope.parameters, before))
    declared = pl.DataFrame(
        [{"place": number, **check._asdict()} for number, check in enumerate(judged)],
        schema_overrides={"warning": pl.Float64, "alarm": pl.Float64},
    )
    rows = (
        pl.DataFrame({"owner": list(scope.labels)})
        .join(declared, how="cross")
        .join(checked, on=["owner", "name"], how="left")
    )
    verdict = [
        held[name].verdict(value) for name, value in rows.select("name", "value").iter_rows()
    ]
    order = {verdict: rank for rank, verdict in enumerate(_WORST_FIRST)}
    return (
        rows.with_columns(verdict=pl.Series(verdict, dtype=pl.String))
        .sort(pl.col("verdict").replace_strict(order), "place", "owner")
        .drop("place")
    )


def latest(reader: Reader) -> list[tuple[Scope, pl.DataFrame]]:
    """Return the verdicts on the latest day of records, by origin and kind of owner, with the day.

    Of all owners that have records in the last 24 hours of the origin. Raises SettingsError.
    """
    scopes = []
    for kind, owner in OWNERS.items():
        owners = record_owners(reader, owner)
        for origin in sorted({record_owner.origin for record_owner in owners}):
            of_origin = [record_owner for record_owner in owners if record_owner.origin == origin]
            end = max(record_owner.end for record_owner in of_origin)
            labels = tuple(
                sorted(
                    record_owner.label
                    for record_owner in of_origin
                    if record_owner.end > end - _DAY
                )
            )
            scope = Scope(origin, labels, end - _DAY, end, owner.name)
            scopes.append((scope, verdicts(reader, scope, kind)))
    return scopes


def worst_first(reader: Reader, owners: Sequence[RecordOwner]) -> list[RecordOwner]:
    """Return owners of one kind, those first whose figures of the latest day are worst.

    As they come if the limits cannot be read.
    """
    try:
        rows_ = [row for _, rows in latest(reader) for row in rows.iter_rows(named=True)]
    except SettingsError:
        return list(owners)
    bad = Counter[tuple[str, str]]()
    for row in rows_:
        bad[row["owner"], row["verdict"]] += row["verdict"] in (ALARM, WARNING)
    return sorted(
        owners, key=lambda owner_row: [-bad[owner_row.label, ALARM], -bad[owner_row.label, WARNING]]
    )


def findings(reader: Reader) -> list[dict[str, Any]]:
    """Return what `latest` finds as people and programs read it, the worst first.

    subject, check, value, unit, limit (what a good figure keeps), verdict (alarm, warning,
    within, not judged), remedy, source, needs, origin, at_utc; none before the first build. Raises
    SettingsError.
    """
    if not reader.is_built:
        return []
    rows = [
        finding(row, scope.origin)
        for scope, worst in latest(reader)
        for row in worst.iter_rows(named=True)
    ]
    order = _WORST_FIRST
    return sorted(rows, key=lambda row: (order.index(row["verdict"]), row["origin"] != "measured"))


def finding(row: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """Return a row of `verdicts` as people and programs read it."""
    return {
        "subject": " ".join(filter(None, (row["owner"], row["of"]))),
        "check": row["label"],
        "limit": kept_limit(row),
        "origin": origin,
        "at_utc": row["moment"],
        **{name: row[name] for name in ("value", "unit", "verdict", "remedy", "source", "needs")},
    }


def kept_limit(row: Mapping[str, Any]) -> str:
    """Return the limit that a figure is beyond, or the first one, with its sign."""
    limits_of = (
        (row["alarm"], row["warning"])
        if row["verdict"] == ALARM
        else (row["warning"], row["alarm"])
    )
    return f"{'>=' if row['is_below'] else '<='} {next(x for x in limits_of if x is not None):g}"


def in_a_line(row: Mapping[str, Any]) -> str:
    """Return a finding in words."""
    unit, limit = row["unit"], with_unit(row["limit"], row["unit"])
    value = "" if row["value"] is None else " " + with_unit(f"{row['value']:.4g}", unit)
    return f"{row['subject']}: {row['check']}{value}, limit {limit}"


def with_unit(number: str, unit: str) -> str:
    """Return a number, or a limit, with its unit.

    >>> with_unit("<= 1", "times"), with_unit("2", "days")
    ('<= 1 time', '2 days')
    """
    is_one = number.rsplit(" ", maxsplit=1)[-1] == "1" and unit in ("times", "days")
    return f"{number} {unit.removesuffix('s') if is_one else unit}".rstrip()


def alarms(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the alarms with their remedies in words, by what each is of."""
    return {
        f"{row['origin']} {row['subject']} {row['check']}": f"{in_a_line(row)}: {row['remedy']}"
        for row in rows
        if row["verdict"] == ALARM
    }


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return in a line how many findings there are of each kind, and the worst; '' without any."""
    number_of = Counter(row["verdict"] for row in rows)
    judged = len(rows) - number_of[NOT_JUDGED]
    if not judged:
        return ""
    bad = [row for row in rows if row["verdict"] in (ALARM, WARNING)]
    worst = f"; worst: {in_a_line(bad[0])}" if bad else ""
    number, more = number_of["alarm"], number_of["warning"]
    return (
        f"{counted(number, 'alarm')} and {counted(more, 'warning')} in "
        f"{counted(judged, 'figure')} of systems and queue managers{worst}"
    )


def _query(judged: Sequence[Limit], hours: Offsets) -> str:
    """SQL: the worst interval of each owner and limit, and what is usual at its hour."""
    hour, past = (f"hour({local_of(f'{side}.moment', hours)})" for side in ("worst", "every"))
    held = ", ".join(
        f"({literal(check.name)}, {-1 if check.is_below else 1}, {check.first}::double)"
        for check in judged
    )
    names = ", ".join(literal(check.name) for check in judged)
    return f"""
        with every as (
            select
                check_name as name, owner, subject as "of",
                interval_start_utc as moment, interval_end_utc as until, value, sign, first
            from marts.fct_health_interval
            inner join (values {held}) as held (check_name, sign, first) using (check_name)
            where
                origin = $1 and list_contains($2, owner) and is_worst
                and check_name in ({names})
                and interval_start_utc < $4 and interval_end_utc >= $5
        ),

        here as (
            select * from every
            where until >= $3 and (moment >= $3 or until > $3 + interval 2 second)
        ),

        worst as (
            select
                owner, name, arg_max(value, sign * value) as value,
                arg_max(coalesce("of", ''), sign * value) as "of",
                arg_max(moment, sign * value) as moment,
                count(distinct moment) filter (
                    sign * value > sign * first + {_ROUNDING} * abs(first)
                ) as beyond,
                count(distinct moment) as intervals
            from here
            group by all
        ),

        past as (
            select owner, name, quantile_cont(every.value, [0.1, 0.9]) as usual
            from every
            inner join worst using (owner, name)
            where every.until < $3 and {past} = {hour}
            group by all
            having count(*) >= {_ENOUGH}
        )

        select worst.* replace (nullif("of", '') as "of"), past.usual
        from worst
        left join past using (owner, name)
    """
