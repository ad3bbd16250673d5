"""Coupling facilities and their structures: use, requests, service times, delays, from SMF 74-4."""

from __future__ import annotations

from typing import Any

from app.results.queries.systems import (
    Column,
    Page,
    Panel,
    Pick,
    Section,
    Table,
    Tile,
    by,
    rate,
    share,
)

__all__ = ["PAGE"]

_FACILITIES = "marts.fct_cf_interval"
_REQUESTS = "marts.fct_cf_request_interval"
_DELAYS = "marts.fct_cf_delay_interval"
_STRUCTURES = "marts.fct_cf_structure_use_interval"
# Changed requests are among the asynchronous ones, and have no time of their own. Those of the
# secondary of a duplexed structure are the primary's.
_EXECUTED = "NOT is_included"
_ONCE = "(NOT is_included OR request_kind = 'changed')"
_NO_REQUESTS = "No requests in this time range."
_KIND = Panel(
    "Service time, synchronous and asynchronous",
    "µs per request",
    _REQUESTS,
    by("average_service_us", "requests"),
    series="request_kind",
    weight="sum(requests)",
    where=f"{_EXECUTED} and requests > 0",
    order=("synchronous", "asynchronous"),
    help="Of the structure that is chosen, or of all.",
    empty=_NO_REQUESTS,
)


def _of_facility(title: str, unit: str, value: str, meaning: str, **options: Any) -> Panel:
    return Panel(
        title, unit, _FACILITIES, value, series="coupling_facility", help=meaning, **options
    )


def _of_structure(title: str, unit: str, value: str, meaning: str, **options: Any) -> Panel:
    return Panel(
        title,
        unit,
        _STRUCTURES,
        value,
        series="structure_name",
        rank="sum(requests)",
        ranked="requests",
        help=meaning,
        **options,
    )


PAGE = Page(
    title="Coupling facility",
    about="Use of coupling facilities, requests of systems and how long they took, from SMF 74-4.",
    records="coupling facility records (SMF 74-4)",
    tiles=(
        Tile(
            "CF busy",
            "%",
            _FACILITIES,
            "max(busy_percent)",
            "most; {}",
            "arg_max(coupling_facility, busy_percent)",
        ),
        Tile(
            "CF storage used",
            "%",
            _FACILITIES,
            "max(used_percent)",
            "most; {}",
            "arg_max(coupling_facility, used_percent)",
        ),
        Tile(
            "Synchronous",
            "µs",
            _REQUESTS,
            by("average_service_us", "requests"),
            "per request, all structures",
            where="request_kind = 'synchronous'",
        ),
        Tile(
            "Asynchronous",
            "µs",
            _REQUESTS,
            by("average_service_us", "requests"),
            "per request, all structures",
            where="request_kind = 'asynchronous'",
        ),
        Tile(
            "Slowest structure",
            "µs",
            _REQUESTS,
            "max(average_service_us)",
            "{} in an interval",
            "arg_max(structure_name, average_service_us)",
            where=f"{_EXECUTED} and requests > 0",
        ),
        Tile(
            "Delayed",
            "%",
            _DELAYS,
            "max(delayed_percent)",
            "most: {}",
            "arg_max(structure_name || ', ' || delay_reason, delayed_percent)",
        ),
    ),
    sections=(
        Section(
            "Coupling facilities",
            "As all systems of the sysplex see them.",
            of="sysplex",
            panels=(
                _of_facility("CF busy", "% busy", "max(busy_percent)", "Its processors.", high=100),
                _of_facility("CF storage used", "% of storage", "max(used_percent)", "", high=100),
                _of_facility(
                    "Effective processors",
                    "processors",
                    "max(effective_processors)",
                    "Those that were dispatched.",
                ),
                Panel(
                    "Requests by system",
                    "requests/s",
                    _FACILITIES,
                    rate("requests"),
                    series="system_id",
                    merge="rate",
                    ranked="requests",
                ),
            ),
            tables=(
                Table(
                    "",
                    "coupling_facilities",
                    _FACILITIES,
                    {
                        "coupling_facility": Column("CF", "coupling_facility", group=True),
                        "machine": Column("Machine", "any_value(cf_machine_type)"),
                        "level": Column("CFLEVEL", "max(cf_level)"),
                        "processors": Column("Processors", "max(processors)"),
                        "shared": Column("Shared", "max(shared_processors)"),
                        "thin": Column("Thin interrupts", "bool_or(thin_interrupts)"),
                        "busy": Column("Busy, mean, %", by("busy_percent", "interval_seconds")),
                        "most": Column("Busy, most, %", "max(busy_percent)"),
                        "storage_gb": Column("Storage, GB", "max(storage_mb) / 1024"),
                        "used": Column("Used, most, %", "max(used_percent)"),
                        "scm_gb": Column(
                            "Storage class memory, GB", "max(storage_class_memory_mb) / 1024"
                        ),
                    },
                    order="most desc nulls last, coupling_facility",
                ),
            ),
        ),
        Section(
            "Paths and subchannels of the system",
            panels=(
                Panel(
                    "Failed requests",
                    "µs per failed request",
                    _FACILITIES,
                    by("average_failed_us", "failed_requests"),
                    series="coupling_facility",
                    weight="sum(failed_requests)",
                    where="failed_requests > 0",
                    empty="No request failed in this time range.",
                ),
                _of_facility("Path busy", "times/s", rate("path_busy"), "A request found no path."),
                _of_facility(
                    "Subchannels busy",
                    "times/s",
                    rate("subchannels_busy"),
                    "A request found no subchannel.",
                ),
                Panel(
                    "Subchannels and paths",
                    "subchannels or paths",
                    _FACILITIES,
                    {
                        "subchannels usable": "sum(subchannels_usable)",
                        "subchannels defined": "sum(subchannels_defined)",
                        "paths": "sum(paths)",
                    },
                    merge="min",
                ),
            ),
        ),
        Section(
            "Structures",
            "Requests of the system.",
            pick=Pick("Structure", "structure", "structure_name", _STRUCTURES, "sum(requests)"),
            panels=(
                Panel(
                    "Requests by structure",
                    "requests/s",
                    _REQUESTS,
                    rate("requests"),
                    series="structure_name",
                    merge="rate",
                    where=_EXECUTED,
                    ranked="requests",
                ),
                Panel(
                    "Service time by structure",
                    "µs per request",
                    _REQUESTS,
                    by("average_service_us", "requests"),
                    series="structure_name",
                    weight="sum(requests)",
                    where=f"{_EXECUTED} and requests > 0",
                    rank="sum(requests)",
                    ranked="requests",
                    empty=_NO_REQUESTS,
                ),
                _KIND,
                Panel(
                    "How requests were executed",
                    "requests/s",
                    _REQUESTS,
                    rate("requests"),
                    series="request_kind",
                    merge="rate",
                    order=("synchronous", "asynchronous", "changed"),
                    where=_ONCE,
                    help="Changed: from synchronous to asynchronous, by the system.",
                ),
                Panel(
                    "Delayed requests",
                    "requests/s",
                    _DELAYS,
                    rate("delayed_requests"),
                    series="delay_reason",
                    merge="rate",
                    where="delayed_requests > 0",
                    help="By reason.",
                    empty="No request was delayed in this time range.",
                ),
                Panel(
                    "Delay",
                    "µs per delayed request",
                    _DELAYS,
                    by("average_delay_us", "delayed_requests"),
                    series="delay_reason",
                    weight="sum(delayed_requests)",
                    where="delayed_requests > 0",
                    help="By reason.",
                    empty="No request was delayed in this time range.",
                ),
                _of_structure(
                    "Execution time in the CF",
                    "processors",
                    rate("execution_seconds"),
                    "Of the CF's processors.",
                ),
                _of_structure(
                    "Contention", "% of requests", share("contended_requests", "requests"), "Locks."
                ),
                _of_structure(
                    "Entries used", "% of entries", "max(entries_used_percent)", "Lists.", high=100
                ),
                _of_structure(
                    "Elements used",
                    "% of elements",
                    "max(elements_used_percent)",
                    "Lists.",
                    high=100,
                ),
                _of_structure(
                    "Read hits",
                    "% of reads",
                    share("read_hits", "read_hits + read_misses"),
                    "Caches.",
                    high=100,
                ),
                Panel(
                    "Reclaims and castouts",
                    "per second",
                    _STRUCTURES,
                    {
                        "directory reclaims": rate("directory_reclaims"),
                        "data reclaims": rate("data_reclaims"),
                        "castouts": rate("castouts"),
                    },
                    empty="No cache structures in this time range.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "structures",
                    _STRUCTURES,
                    {
                        "structure_name": Column("Structure", "structure_name", group=True),
                        "coupling_facility": Column("CF", "coupling_facility", group=True),
                        "structure_type": Column("Type", "any_value(structure_type)"),
                        "requests": Column("Requests", "sum(requests)"),
                        "size_mb": Column("Size, MB", "max(size_mb)"),
                        "policy_mb": Column("Policy, MB", "max(policy_mb)"),
                        "entries": Column("Entries used, %", "max(entries_used_percent)"),
                        "elements": Column("Elements used, %", "max(elements_used_percent)"),
                        "locks": Column("Lock entries used, %", "max(lock_entries_used_percent)"),
                        "contended": Column(
                            "Contended, %", share("contended_requests", "requests")
                        ),
                        "falsely": Column(
                            "Falsely contended, %", share("false_contended_requests", "requests")
                        ),
                        "hits": Column(
                            "Read hits, %", share("read_hits", "read_hits + read_misses")
                        ),
                        "encrypted": Column("Encrypted", "bool_or(encrypted)"),
                        "duplexed": Column("Duplexed", "bool_or(duplexed)"),
                    },
                    order="requests desc nulls last, structure_name",
                    leads=("", {"structure": "structure_name"}),
                    says="Click a structure to see only its requests.",
                ),
                Table(
                    "Service times",
                    "structure_service_times",
                    _REQUESTS,
                    {
                        "structure_name": Column("Structure", "structure_name", group=True),
                        "request_kind": Column("Executed", "request_kind", group=True),
                        "requests": Column("Requests", "sum(requests)"),
                        "service_us": Column("Service, µs", by("average_service_us", "requests")),
                        "most_us": Column("Service, worst interval, µs", "max(average_service_us)"),
                        "deviation_us": Column(
                            "Deviation, µs", by("deviation_service_us", "requests")
                        ),
                    },
                    order="structure_name, request_kind",
                    where=f"{_ONCE} and requests > 0",
                ),
            ),
        ),
    ),
)
