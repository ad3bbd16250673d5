"""Verdicts on systems and queue managers: the worst figure of each check beside its limit.

A check is declared here: what is judged, from which mart, and where its chart is. Its limits are in
health.toml, which a site can change. A figure is judged by interval, and by the thing that it is
of (a buffer pool, a channel): the worst of them is the verdict.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from app.results.queries.clock import UTC, Offsets, local_of, local_offsets
from app.results.queries.owners import OWNERS, known, with_sysplex
from app.results.queries.scope import Scope
from app.results.queries.systems import Aggregate, Mart
from app.results.reader import Reader
from ingest.base.errors import SettingsError

__all__ = [
    "AMBER", "CHECKS", "GREEN", "HEALTH_FILE", "OF_QUEUE_MANAGERS", "OF_SYSTEMS", "RED", "UNKNOWN",
    "Check", "Limit", "alarms", "findings", "in_a_line", "latest", "limits", "summary", "verdicts",
]  # fmt: skip

HEALTH_FILE = Path(__file__).parents[1] / "health.toml"
RED, AMBER, GREEN, UNKNOWN = "red", "amber", "green", "not judged"
_IN_WORDS = {RED: "alarm", AMBER: "warning", GREEN: "good", UNKNOWN: UNKNOWN}
_VARIABLE = "PERFHOUSE_HEALTH"
_KEYS = {"amber", "red", "below", "remedy", "source"}
_USUAL = timedelta(days=28)  # the time before, whose same hours say what is usual
_DAY = timedelta(days=1)
_ENOUGH = 5  # intervals of the same hour
_ROUNDING = 1e-4  # relative: a figure as near to its limit as this keeps it, as records are rounded


@dataclass(frozen=True)
class Check:
    """One thing that is judged.

    name: in health.toml. value: an aggregate over the rows of one interval, in `unit`. of: SQL that
    names what the figure is of, if an owner has several. needs: the records that it is judged on.
    chart: path of the page with its chart; pick: the parameter there that takes the name `of`.
    """

    name: str
    label: str
    unit: str
    mart: Mart
    value: Aggregate
    chart: str
    needs: str
    of: str = "null"
    where: str = "true"
    pick: str = ""


class Limit(NamedTuple):
    """The limits of a check, in its unit; None: there is no such verdict. is_below: low is bad.

    remedy: what to change, and in which direction.
    """

    amber: float | None
    red: float | None
    is_below: bool
    source: str
    remedy: str = ""

    @property
    def first(self) -> float:
        """The limit that a green figure keeps."""
        return next(limit for limit in (self.amber, self.red) if limit is not None)

    def verdict(self, value: float | None) -> str:
        """Return the verdict on a figure."""
        if value is None:
            return UNKNOWN
        sign = -1 if self.is_below else 1
        for limit, verdict in ((self.red, RED), (self.amber, AMBER)):
            if limit is not None and sign * value > sign * limit + _ROUNDING * abs(limit):
                return verdict
        return GREEN


def limits() -> Mapping[str, Limit]:
    """Return the limits by check. Raises SettingsError for a site's file with a mistake."""
    named = os.environ.get(_VARIABLE, "")
    if named and not Path(named).is_file():
        raise SettingsError(f"{named}: no such file (set in ${_VARIABLE})")
    return _limits(named, Path(named).stat().st_mtime_ns if named else 0)


@cache
def _limits(named: str, _changed: int) -> Mapping[str, Limit]:
    held = _read(HEALTH_FILE)
    for name, changes in (_read(Path(named)) if named else {}).items():
        if name not in held:
            raise SettingsError(f"{named}: {name} unknown")
        held[name] = {**held[name], "source": f"limit of this site ({Path(named).name})", **changes}
    return {name: _limit(entry, f"{named or HEALTH_FILE}: {name}") for name, entry in held.items()}


def _read(path: Path) -> dict[str, dict[str, object]]:
    try:
        held = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    for name, entry in held.items():
        if not isinstance(entry, dict) or set(entry) - _KEYS:
            raise SettingsError(f"{path}: {name} may have {', '.join(sorted(_KEYS))}")
    return held


def _limit(entry: Mapping[str, object], place: str) -> Limit:
    found: dict[str, float] = {}
    for key in ("amber", "red"):
        value = entry.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SettingsError(f"{place}: {key} must be a number")
        found[key] = float(value)
    if not found:
        raise SettingsError(f"{place}: neither amber nor red")
    is_below = bool(entry.get("below", len(found) > 1 and found["red"] < found["amber"]))
    said = (str(entry.get(name, "")) for name in ("source", "remedy"))
    return Limit(found.get("amber"), found.get("red"), is_below, *said)


_MANAGER = "marts.fct_queue_manager_interval"
_POOLS = "marts.fct_buffer_pool_interval"
_PAGE_SETS = "marts.fct_page_set_interval"
_TASKS = "marts.fct_channel_initiator_task_type_interval"
_LOG, _CHANNELS, _SHARED = "logs-and-page-sets", "channel-initiator", "shared-queues"
_POOL = "'BP ' || buffer_pool"
_PAGE_SET = "'page set ' || page_set"
#: What windows look at: from a week before the first interval that is asked for.
_RECENT = """
    origin = $1 and interval_start_utc < $4
    and interval_end_utc >= cast($5 as timestamp) - interval 7 day
"""
#: A page set fills as fast as it did in the week before; the day is known after a day of records.
_FILLING = f"""(
    select
        *,
        regr_slope(used_percent, epoch(interval_end_utc) / 86400) over week as percent_a_day,
        date_diff('hour', min(interval_start_utc) over week, interval_end_utc) as hours
    from {_PAGE_SETS}
    where {_RECENT}
    window week as (
        partition by origin, system_id, queue_manager, page_set order by interval_end_utc
        range between interval 7 days preceding and current row
    )
)"""
_CHECKPOINTS = f"""(
    select *, sum(log_checkpoints) over hour as in_the_hour
    from {_MANAGER}
    where {_RECENT}
    window hour as (
        partition by origin, system_id, queue_manager order by interval_start_utc
        range between interval 59 minutes preceding and current row
    )
)"""
#: Channel records may have no start.
_SENDERS = """(
    select * replace (
        coalesce(interval_start_utc, collected_at_utc) as interval_start_utc,
        coalesce(interval_end_utc, collected_at_utc) as interval_end_utc
    )
    from marts.fct_channel_interval
    where channel_type ilike '%sender%'
)"""
_STATISTICS = "SMF 115 (class 1)"
_POOL_RECORDS = "SMF 115 (class 3, subtype 2 or 215) of buffer pools"
_PAGE_SET_RECORDS = "SMF 115-201 of page sets"
_CHANNEL_RECORDS = "SMF 116 (class 4) of sender channels"


def _busiest(kind: str, label: str) -> Check:
    """Return the check of the busiest task of a kind in the channel initiator."""
    return Check(
        kind, label, "%", _TASKS, "max(max_task_busy_percent)", _CHANNELS,
        "SMF 115-231 of the channel initiator", where=f"task_type = '{kind}'",
    )  # fmt: skip


OF_QUEUE_MANAGERS = (
    Check("buffers-free", "Fewest free buffers", "%", _POOLS, "min(lowest_free_percent)", _LOG,
          _POOL_RECORDS, _POOL, "page_gets > 0", "pool"),
    Check("buffers-short", "No buffer free", "times", _POOLS, "sum(short_on_buffers)", _LOG,
          _POOL_RECORDS, _POOL, pick="pool"),
    Check("buffer-writes", "Synchronous writes", "times", _POOLS,
          "sum(synchronous_write_threshold_hits)", _LOG, _POOL_RECORDS, _POOL, pick="pool"),
    Check("buffer-hits", "Buffer pool hits", "%", _POOLS,
          "100 * (1 - sum(page_reads) / nullif(sum(page_gets_old), 0))", _LOG, _POOL_RECORDS,
          _POOL, pick="pool"),
    Check("log-writer", "Log writer busy", "%", _MANAGER, "max(log_writer_busy_percent)", _LOG,
          _STATISTICS),
    Check("log-buffers", "Waits for a log buffer", "times", _MANAGER, "sum(log_buffer_waits)",
          _LOG, _STATISTICS),
    Check("checkpoints", "Checkpoints", "in an hour", _CHECKPOINTS, "max(in_the_hour)", _LOG,
          _STATISTICS),
    Check("page-set-used", "Page set in use", "%", _PAGE_SETS, "max(used_percent)", _LOG,
          _PAGE_SET_RECORDS, _PAGE_SET, pick="page-set"),
    Check("page-set-full", "Page set full", "times", _PAGE_SETS, "sum(full_count)", _LOG,
          _PAGE_SET_RECORDS, _PAGE_SET, pick="page-set"),
    Check("page-set-days", "Until a page set is full, up to 365", "days", _FILLING,
          "min(least(if(percent_a_day > 0, (100 - used_percent) / percent_a_day, 365), 365))",
          _LOG, f"{_PAGE_SET_RECORDS}, of a day or more", _PAGE_SET, "hours >= 24", "page-set"),
    Check("storage-short", "Short on storage", "times", _MANAGER,
          "sum(short_on_storage_count + short_on_storage_abends)", "queue-manager", _STATISTICS),
    Check("mq-structure-full", "Structure full", "times", "marts.fct_cf_structure_interval",
          "sum(structure_full)", _SHARED, "SMF 115-5 of coupling facility structures",
          "structure_name", pick="structure"),
    Check("smds-used", "SMDS in use", "%", "marts.fct_smds_interval",
          "max(used_percent)", _SHARED, "SMF 115 of shared message data sets", "structure_name"),
    Check("channels-used", "Channels, of the limit", "%", "marts.fct_channel_initiator_interval",
          "max(greatest(current_channels_percent, active_channels_percent))", _CHANNELS,
          "SMF 115-231 of the channel initiator"),
    _busiest("dispatcher", "Busiest dispatcher"),
    _busiest("adapter", "Busiest adapter task"),
    _busiest("dns", "DNS task busy"),
    Check("batches-full", "Full batches", "%", _SENDERS,
          "100 * sum(full_batches) / nullif(sum(batches), 0)", _CHANNELS, _CHANNEL_RECORDS,
          "channel_name"),
    Check("nettime", "NETTIME", "ms", _SENDERS,
          "max(nettime_average_us) / 1000", _CHANNELS, _CHANNEL_RECORDS, "channel_name"),
)  # fmt: skip

_CAPACITY = "marts.fct_lpar_capacity_interval"
_CLASSES = "marts.fct_service_class_period_interval"
_FACILITIES = "marts.fct_cf_interval"
_DATA_SETS = with_sysplex("""(
    select * replace (coalesce(interval_start_utc, interval_end_utc) as interval_start_utc)
    from marts.fct_data_set_interval
)""")
_AVERAGE = "coalesce(long_term_average_msu, four_hour_average_msu)"
_CLASS = "service_class || coalesce('.' || period, '')"
_FACILITY = "coupling_facility"
_WLM_RECORDS = "SMF 72-3 of service classes of importance 1 and 2"
_CF_RECORDS = "SMF 74-4 of coupling facilities"
_CPU_RECORDS = "SMF 70-1"
_DATA_SET_RECORDS = "SMF 42-6 of data sets"

OF_SYSTEMS = (
    # On an idle system z/OS's own work is most of it.
    Check("capture-ratio", "Capture ratio", "%", "marts.fct_cpu_reconciliation",
          "100 * sum(class_seconds) / nullif(sum(processor_seconds), 0)", "lpars",
          "SMF 70-1 and 72-3 of intervals with half a processor of work or more",
          where="processor_type = 'CP' and class_seconds > 0 "
          "and processor_seconds > 0.5 * interval_seconds"),
    Check("cap", "Four-hour average", "% of cap", _CAPACITY,
          f"100 * max({_AVERAGE} / nullif(defined_capacity_msu, 0))", "lpars",
          f"{_CPU_RECORDS} of an LPAR with a defined capacity"),
    Check("group-cap", "Four-hour average, group", "% of cap", _CAPACITY,
          "100 * max(group_four_hour_average_msu / nullif(group_capacity_msu, 0))", "lpars",
          f"{_CPU_RECORDS} of an LPAR in a capacity group", "capacity_group",
          "capacity_group is not null"),
    Check("capped", "Soft capped", "%", _CAPACITY, "max(soft_capped_percent)", "lpars",
          _CPU_RECORDS),
    Check("latent-demand", "Latent demand", "% of MSU", _CAPACITY,
          "100 * max(latent_demand_msu / nullif(consumed_msu, 0))", "lpars", _CPU_RECORDS),
    Check("ziip-on-cp", "zIIP-eligible time on CPs", "%", "marts.fct_ziip_interval",
          "max(eligible_on_cp_percent)", "lpars", "SMF 70-1 and 72-3 with zIIP times",
          where="ziips_online > 0 and eligible_seconds > 0.01 * interval_seconds"),
    Check("performance-index", "Performance index", "", _CLASSES, "max(performance_index)",
          "workload", _WLM_RECORDS, _CLASS, "importance <= 2", ""),
    Check("cpu-delay", "CPU delay", "% of samples", _CLASSES, "max(delay_cpu_percent)",
          "workload", _WLM_RECORDS, _CLASS,
          "importance <= 2 and using_samples + delay_samples >= 100"),
    Check("device-response", "Response time of a volume", "ms", "marts.fct_volume_interval",
          "max(average_response_us) / 1000", "storage",
          "SMF 74-1 of volumes with a request per second or more",
          "coalesce(nullif(volume, ''), device_number)", "requests_per_second >= 1"),
    Check("zhpf", "Requests with zHPF", "%", _DATA_SETS,
          "sum(zhpf_percent * ios) / nullif(sum(ios) filter (where zhpf_percent is not null), 0)",
          "storage", _DATA_SET_RECORDS, where="zhpf_percent is not null"),
    Check("small-blocks", "Bytes in small blocks", "%", _DATA_SETS,
          "100 * coalesce(sum(bytes_written) filter (where block_bytes < 20000), 0) "
          "/ sum(bytes_written)", "storage", f"{_DATA_SET_RECORDS} that are written sequentially",
          where="organisation = 'PS' and bytes_written > 0 and block_bytes > 0"),
    Check("cf-busy", "Coupling facility busy", "%", _FACILITIES, "max(busy_percent)",
          "coupling-facility", _CF_RECORDS, _FACILITY),
    Check("cf-shared", "Shared CF processors", "", _FACILITIES,
          "max(greatest(shared_processors, coalesce(dynamic_dispatching, false)::int))",
          "coupling-facility", _CF_RECORDS, _FACILITY),
    Check("cf-delayed", "Delayed requests", "%", "marts.fct_cf_delay_interval",
          "max(delayed_percent)", "coupling-facility", _CF_RECORDS,
          "structure_name || ', ' || delay_reason"),
    Check("cf-service", "Synchronous service time", "µs", "marts.fct_cf_request_interval",
          "max(average_service_us)", "coupling-facility", _CF_RECORDS, "structure_name",
          "request_kind = 'synchronous' and requests >= 100", "structure"),
    Check("structure-used", "List structure in use", "%",
          "marts.fct_cf_structure_use_interval",
          "max(greatest(entries_used_percent, elements_used_percent))", "coupling-facility",
          "SMF 74-4 with the entries and elements of list structures", "structure_name",
          "structure_type in ('list', 'serialized list') and structure_name not like 'IXC%'",
          "structure"),
    Check("crypto-busy", "Crypto card busy", "%", "marts.fct_crypto_card_interval",
          "max(utilisation_percent)", "crypto-and-hardware", "SMF 70-2 of crypto cards",
          "card_kind || ' ' || card_number"),
)  # fmt: skip

#: The checks, by the kind of owner (app.results.queries.owners).
CHECKS: Mapping[str, Sequence[Check]] = {
    "system": OF_SYSTEMS,
    "queue manager": OF_QUEUE_MANAGERS,
}


def verdicts(reader: Reader, scope: Scope, checks: Sequence[Check]) -> pl.DataFrame:
    """Return one row per owner and check, the worst verdicts first.

    owner, name, label, unit, verdict, value, of (what the figure is of), moment (start of its
    interval, UTC), beyond and intervals (how many were beyond the first limit, of how many), usual
    (the middle 80 % of this hour in the 28 days before, [low, high]; null with fewer than five
    intervals; hours are of the owners' local time, of UTC if they have none in common), amber, red,
    is_below, source, remedy, needs, chart, pick. Raises SettingsError.
    """
    limited = limits()
    before = scope.start - _USUAL
    (part,) = {one.system for one in OWNERS.values() if one.name == scope.owner}
    systems = sorted({label.split("/")[part] for label in scope.labels})
    local = local_offsets(reader, scope.origin, systems, before, scope.end)
    hours = UTC if isinstance(local, str) else local
    found = reader.frame(_query(scope, checks, limited, hours), (*scope.parameters, before))
    declared = pl.DataFrame(
        [
            {
                "place": place, "name": one.name, "label": one.label, "unit": one.unit,
                **limited[one.name]._asdict(), "needs": one.needs, "chart": one.chart,
                "pick": one.pick,
            }
            for place, one in enumerate(checks)
        ],
        schema_overrides={"amber": pl.Float64, "red": pl.Float64},
    )  # fmt: skip
    rows = (
        pl.DataFrame({"owner": list(scope.labels)})
        .join(declared, how="cross")
        .join(found, on=["owner", "name"], how="left")
    )
    judged = [
        limited[name].verdict(value) for name, value in rows.select("name", "value").iter_rows()
    ]
    order = {verdict: rank for rank, verdict in enumerate((RED, AMBER, GREEN, UNKNOWN))}
    return (
        rows.with_columns(verdict=pl.Series(judged, dtype=pl.String))
        .sort(pl.col("verdict").replace_strict(order), "place", "owner")
        .drop("place")
    )


def latest(reader: Reader) -> list[tuple[Scope, pl.DataFrame]]:
    """Return the verdicts on the latest day of records, by origin and kind of owner, with the day.

    Of all owners that have records in the last 24 hours of the origin. Raises SettingsError.
    """
    found = []
    for kind, owner in OWNERS.items():
        here = known(reader, owner)
        for origin in sorted({one.origin for one in here}):
            own = [one for one in here if one.origin == origin]
            end = max(one.end for one in own)
            labels = tuple(sorted(one.label for one in own if one.end > end - _DAY))
            scope = Scope(origin, labels, end - _DAY, end, owner.name)
            found.append((scope, verdicts(reader, scope, CHECKS[kind])))
    return found


def findings(reader: Reader) -> list[dict[str, Any]]:
    """Return what `latest` finds as people and programs read it, the worst first.

    subject, check, value, unit, limit (what a good figure keeps), verdict (alarm, warning, good,
    not judged), remedy, source, needs, origin, at_utc; none before the first build. Raises
    SettingsError.
    """
    if not reader.is_built:
        return []
    rows = [
        {
            "subject": " ".join(filter(None, (row["owner"], row["of"]))),
            "check": row["label"],
            "value": row["value"],
            "unit": row["unit"],
            "limit": _kept_limit(row),
            "verdict": _IN_WORDS[row["verdict"]],
            "remedy": row["remedy"],
            "source": row["source"],
            "needs": row["needs"],
            "origin": scope.origin,
            "at_utc": row["moment"],
        }
        for scope, found in latest(reader)
        for row in found.iter_rows(named=True)
    ]
    order = list(_IN_WORDS.values())
    return sorted(rows, key=lambda row: (order.index(row["verdict"]), row["origin"] != "measured"))


def _kept_limit(row: Mapping[str, Any]) -> str:
    """Return the limit that a figure is beyond, or the first one, with its sign."""
    limits_of = (row["red"], row["amber"]) if row["verdict"] == RED else (row["amber"], row["red"])
    return f"{'>=' if row['is_below'] else '<='} {next(x for x in limits_of if x is not None):g}"


def in_a_line(row: Mapping[str, Any]) -> str:
    """Return a finding in words."""
    unit, limit = row["unit"], _with_unit(row["limit"], row["unit"])
    value = "" if row["value"] is None else " " + _with_unit(f"{row['value']:.4g}", unit)
    return f"{row['subject']}: {row['check']}{value}, limit {limit}"


def _with_unit(number: str, unit: str) -> str:
    """Return a number, or a limit, with its unit.

    >>> _with_unit("<= 1", "times"), _with_unit("2", "days")
    ('<= 1 time', '2 days')
    """
    is_one = number.removeprefix("<= ").removeprefix(">= ") == "1" and unit in ("times", "days")
    return f"{number} {unit.removesuffix('s') if is_one else unit}".rstrip()


def alarms(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the alarms with their remedies in words, by what each is of."""
    return {
        f"{row['origin']} {row['subject']} {row['check']}": f"{in_a_line(row)}: {row['remedy']}"
        for row in rows
        if row["verdict"] == _IN_WORDS[RED]
    }


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return in a line how many findings there are of each kind, and the worst; '' without any."""
    counted = Counter(row["verdict"] for row in rows)
    judged = len(rows) - counted[UNKNOWN]
    if not judged:
        return ""
    bad = [row for row in rows if row["verdict"] in (_IN_WORDS[RED], _IN_WORDS[AMBER])]
    worst = f"; worst: {in_a_line(bad[0])}" if bad else ""
    number, more = counted["alarm"], counted["warning"]
    return (
        f"{number} alarm{'s' * (number != 1)} and {more} warning{'s' * (more != 1)} in {judged} "
        f"figure{'s' * (judged != 1)} of systems and queue managers{worst}"
    )


def _query(
    scope: Scope, checks: Sequence[Check], limited: Mapping[str, Limit], hours: Offsets
) -> str:
    """SQL: the worst interval of each owner and check, and what is usual at its hour."""
    here, past = (f"hour({local_of(f'{of}.moment', hours)})" for of in ("worst", "every"))
    every = " union all ".join(
        f"""
        select
            '{one.name}' as name, {scope.owner} as owner, cast({one.of} as varchar) as "of",
            interval_start_utc as moment, max(interval_end_utc) as until,
            round(cast({one.value} as double), 6) as value,
            {-1 if limited[one.name].is_below else 1} as sign,
            cast({limited[one.name].first} as double) as first
        from {one.mart}
        where origin = $1 and list_contains($2, {scope.owner})
            and interval_start_utc < $4 and interval_end_utc >= $5 and {one.where}
        group by all
        """
        for one in checks
    )
    return f"""
        with every as (select * from ({every}) where value is not null and isfinite(value)),

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
            where
                every.until < $3 and coalesce(every."of", '') = worst."of"
                and {past} = {here}
            group by all
            having count(*) >= {_ENOUGH}
        )

        select worst.* replace (nullif("of", '') as "of"), past.usual
        from worst
        left join past using (owner, name)
    """
