"""Coupling facilities and their structures: use, requests, service times, delays, from SMF 74-4."""

from __future__ import annotations

from typing import Any

from app.results.queries.systems import (
    Page,
    Panel,
    Pick,
    Section,
    Table,
    Tile,
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
    "average_service_us",
    series="request_kind",
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
            "average_service_us",
            "per request, all structures",
            where="request_kind = 'synchronous'",
        ),
        Tile(
            "Asynchronous",
            "µs",
            _REQUESTS,
            "average_service_us",
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
                _of_facility("CF busy", "% busy", "busy_percent", "Its processors.", high=100),
                _of_facility("CF storage used", "% of storage", "used_percent", "", high=100),
                _of_facility(
                    "Effective processors",
                    "processors",
                    "effective_processors",
                    "Those that were dispatched.",
                ),
                Panel(
                    "Requests by system",
                    "requests/s",
                    _FACILITIES,
                    "requests / s",
                    series="system_id",
                    ranked="requests",
                ),
            ),
            tables=(
                Table(
                    "",
                    "coupling_facilities",
                    _FACILITIES,
                    by={"coupling_facility": ("CF", "coupling_facility")},
                    columns={
                        "machine": ("Machine", "any_value(cf_machine_type)"),
                        "level": ("CFLEVEL", "max(cf_level)"),
                        "processors": ("Processors", "max(processors)"),
                        "shared": ("Shared", "max(shared_processors)"),
                        "thin": ("Thin interrupts", "bool_or(thin_interrupts)"),
                        "busy": ("Busy, mean, %", "busy_percent"),
                        "most": ("Busy, most, %", "max(busy_percent)"),
                        "storage_gb": ("Storage, GB", "max(storage_mb) / 1024"),
                        "used": ("Used, most, %", "max(used_percent)"),
                        "scm_gb": (
                            "Storage class memory, GB",
                            "max(storage_class_memory_mb) / 1024",
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
                    "average_failed_us",
                    series="coupling_facility",
                    where="failed_requests > 0",
                    empty="No request failed in this time range.",
                ),
                _of_facility("Path busy", "times/s", "path_busy / s", "A request found no path."),
                _of_facility(
                    "Subchannels busy",
                    "times/s",
                    "subchannels_busy / s",
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
                    "requests / s",
                    series="structure_name",
                    where=_EXECUTED,
                    ranked="requests",
                ),
                Panel(
                    "Service time by structure",
                    "µs per request",
                    _REQUESTS,
                    "average_service_us",
                    series="structure_name",
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
                    "requests / s",
                    series="request_kind",
                    order=("synchronous", "asynchronous", "changed"),
                    where=_ONCE,
                    help="Changed: from synchronous to asynchronous, by the system.",
                ),
                Panel(
                    "Delayed requests",
                    "requests/s",
                    _DELAYS,
                    "delayed_requests / s",
                    series="delay_reason",
                    where="delayed_requests > 0",
                    help="By reason.",
                    empty="No request was delayed in this time range.",
                ),
                Panel(
                    "Delay",
                    "µs per delayed request",
                    _DELAYS,
                    "average_delay_us",
                    series="delay_reason",
                    where="delayed_requests > 0",
                    help="By reason.",
                    empty="No request was delayed in this time range.",
                ),
                _of_structure(
                    "Execution time in the CF",
                    "processors",
                    "execution_seconds / s",
                    "Of the CF's processors.",
                ),
                _of_structure("Contention", "% of requests", "contended_percent", "Locks."),
                _of_structure(
                    "Entries used", "% of entries", "entries_used_percent", "Lists.", high=100
                ),
                _of_structure(
                    "Elements used",
                    "% of elements",
                    "elements_used_percent",
                    "Lists.",
                    high=100,
                ),
                _of_structure(
                    "Read hits",
                    "% of reads",
                    "read_hit_percent",
                    "Caches.",
                    high=100,
                ),
                Panel(
                    "Reclaims and castouts",
                    "per second",
                    _STRUCTURES,
                    {
                        "directory reclaims": "directory_reclaims / s",
                        "data reclaims": "data_reclaims / s",
                        "castouts": "castouts / s",
                    },
                    empty="No cache structures in this time range.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "structures",
                    _STRUCTURES,
                    by={
                        "structure_name": ("Structure", "structure_name"),
                        "coupling_facility": ("CF", "coupling_facility"),
                    },
                    columns={
                        "structure_type": ("Type", "any_value(structure_type)"),
                        "requests": "Requests",
                        "size_mb": ("Size, MB", "max(size_mb)"),
                        "policy_mb": ("Policy, MB", "max(policy_mb)"),
                        "entries": ("Entries used, %", "max(entries_used_percent)"),
                        "elements": ("Elements used, %", "max(elements_used_percent)"),
                        "locks": ("Lock entries used, %", "max(lock_entries_used_percent)"),
                        "contended": ("Contended, %", "contended_percent"),
                        "falsely": (
                            "Falsely contended, %",
                            "false_contended_percent",
                        ),
                        "hits": ("Read hits, %", "read_hit_percent"),
                        "encrypted": ("Encrypted", "bool_or(encrypted)"),
                        "duplexed": ("Duplexed", "bool_or(duplexed)"),
                    },
                    order="requests desc nulls last, structure_name",
                    leads=("", {"structure": "structure_name"}),
                    says="Click a structure to see only its requests.",
                ),
                Table(
                    "Service times",
                    "structure_service_times",
                    _REQUESTS,
                    by={
                        "structure_name": ("Structure", "structure_name"),
                        "request_kind": ("Executed", "request_kind"),
                    },
                    columns={
                        "requests": "Requests",
                        "service_us": ("Service, µs", "average_service_us"),
                        "most_us": ("Service, worst interval, µs", "max(average_service_us)"),
                    },
                    order="structure_name, request_kind",
                    where=f"{_ONCE} and requests > 0",
                ),
            ),
        ),
    ),
)
