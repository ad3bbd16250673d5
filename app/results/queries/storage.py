"""Volumes and data sets: response times by component, rates, hits, from SMF 74-1 and 42-6."""

from __future__ import annotations

from app.results.queries.owners import with_sysplex
from app.results.queries.systems import Page, Panel, Pick, Section, Table, Tile

__all__ = ["PAGE"]

_VOLUMES = "marts.fct_volume_interval"
# What a data set did before its first record is known, but not since when.
_DATA_SETS = with_sysplex("""(
    select * replace (coalesce(interval_start_utc, interval_end_utc) as interval_start_utc)
    from marts.fct_data_set_interval
)""")
_PARTS = {
    "IOS queue": "average_ios_queue_us",
    "pending": "average_pending_us",
    "disconnect": "average_disconnect_us",
    "connect": "average_connect_us",
}
_DELAYS = {
    "command response": "average_command_response_us",
    "control unit queue": "average_control_unit_queue_us",
    "device busy": "average_device_busy_us",
}
_NO_REQUESTS = "No requests in this time range."
_NO_DATA_SETS = "No data set records (SMF 42-6) in this time range."


def _components(title: str, parts: dict[str, str], meaning: str) -> Panel:
    return Panel(
        title,
        "µs per request",
        _VOLUMES,
        parts,
        where="requests > 0",
        help=meaning,
        empty=_NO_REQUESTS,
    )


def _by_volume(title: str, unit: str, value: str, rank: str, ranked: str, meaning: str) -> Panel:
    return Panel(
        title,
        unit,
        _VOLUMES,
        value,
        series="coalesce(nullif(volume, ''), device_number)",
        where="requests > 0",
        rank=rank,
        ranked=ranked,
        help=meaning,
        empty=_NO_REQUESTS,
    )


def _by_data_set(title: str, unit: str, value: str, meaning: str) -> Panel:
    return Panel(
        title,
        unit,
        _DATA_SETS,
        value,
        series="data_set_name",
        where="ios > 0",
        rank="sum(ios)",
        ranked="I/O operations",
        most=6,
        help=meaning,
        empty=_NO_DATA_SETS,
    )


_BUSY = "sum(requests_per_second * average_response_us) / 1e6"

PAGE = Page(
    title="Storage",
    about="Response times and rates of volumes and data sets, from SMF 74-1 and 42-6.",
    records="DASD and data set records (SMF 74-1, 42-6)",
    tiles=(
        Tile("DASD response", "µs", _VOLUMES, "average_response_us", "mean of all requests"),
        Tile(
            "DASD requests",
            "/s",
            _VOLUMES,
            "sum(requests) / nullif(max(epoch(interval_end_utc)) - "
            "min(epoch(interval_start_utc)), 0)",
            "all volumes",
        ),
        Tile(
            "Slowest volume",
            "µs",
            _VOLUMES,
            "max(average_response_us)",
            "{} in an interval",
            "arg_max(volume, average_response_us)",
            where="requests_per_second >= 1",
        ),
        Tile(
            "Busiest volume",
            "%",
            _VOLUMES,
            "max(utilisation_percent)",
            "utilisation of {}",
            "arg_max(volume, utilisation_percent)",
        ),
        Tile(
            "Slowest data set",
            "µs",
            _DATA_SETS,
            "max(average_response_us)",
            "{}",
            "arg_max(data_set_name, average_response_us)",
            where="ios_per_second >= 1",
        ),
    ),
    sections=(
        Section(
            "Volumes",
            pick=Pick("Volume", "volume", "volume", _VOLUMES, _BUSY),
            panels=(
                _components(
                    "Response time by component",
                    _PARTS,
                    "Mean of all requests, of the volume that is chosen or of all.",
                ),
                _components("Delays in pending time", _DELAYS, "They are part of pending."),
                _by_volume(
                    "Response time",
                    "µs per request",
                    "average_response_us",
                    _BUSY,
                    "requests x time",
                    "Of the volumes that kept requests longest.",
                ),
                Panel(
                    "Request rate",
                    "requests/s",
                    _VOLUMES,
                    "requests / s",
                    series="volume",
                    where="requests > 0",
                    ranked="requests",
                    empty=_NO_REQUESTS,
                ),
                Panel(
                    "Requests under way",
                    "requests",
                    _VOLUMES,
                    "requests * average_response_us / 1e6 / s",
                    series="volume",
                    where="requests > 0",
                    ranked="requests under way",
                    help="Rate x response time: where time goes.",
                    empty=_NO_REQUESTS,
                ),
                _by_volume(
                    "Volume utilisation",
                    "% of time",
                    "utilisation_percent",
                    "max(utilisation_percent)",
                    "utilisation",
                    "",
                ),
                Panel(
                    "By storage group",
                    "requests/s",
                    _VOLUMES,
                    "requests / s",
                    series="coalesce(nullif(storage_group, ''), 'none')",
                    ranked="requests",
                ),
                Panel(
                    "Response time by storage group",
                    "µs per request",
                    _VOLUMES,
                    "average_response_us",
                    series="coalesce(nullif(storage_group, ''), 'none')",
                    where="requests > 0",
                    empty=_NO_REQUESTS,
                ),
                Panel(
                    "Synchronous I/O (zHyperLink)",
                    "µs",
                    _VOLUMES,
                    {
                        "read": "average_synchronous_read_us",
                        "write": "average_synchronous_write_us",
                    },
                    where="coalesce(synchronous_reads, 0) + coalesce(synchronous_writes, 0) > 0",
                    empty="No synchronous I/O in this time range.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "volumes",
                    _VOLUMES,
                    by={
                        "volume": ("Volume", "volume"),
                        "device_number": ("Device", "device_number"),
                    },
                    columns={
                        "storage_group": ("Storage group", "any_value(storage_group)"),
                        "model": ("Model", "any_value(device_model)"),
                        "requests": "Requests",
                        "response_us": ("Response, µs", "average_response_us"),
                        "most_us": ("Worst interval, µs", "max(average_response_us)"),
                        **{
                            f"{column}": (f"{name.capitalize()}, µs".replace("Ios", "IOS"), column)
                            for name, column in _PARTS.items()
                        },
                        "utilisation": ("Utilisation, most, %", "max(utilisation_percent)"),
                        "reserved": ("Reserved, most, %", "max(reserved_percent)"),
                        "aliases": ("Delayed for an alias", "alias_delayed_requests"),
                        "under_way": ("Requests under way", f"({_BUSY}) / count(*)"),
                    },
                    order="under_way desc nulls last, volume",
                    leads=("", {"volume": "volume"}),
                    says="Click a volume to see only its requests.",
                ),
            ),
        ),
        Section(
            "Data sets",
            pick=Pick("Data set", "data_set", "data_set_name", _DATA_SETS, "sum(ios)"),
            panels=(
                _by_data_set("I/O operations", "operations/s", "ios / s", ""),
                _by_data_set(
                    "Response time of data sets",
                    "µs per operation",
                    "average_response_us",
                    "",
                ),
                Panel(
                    "Response time of data sets by component",
                    "µs per operation",
                    _DATA_SETS,
                    _PARTS,
                    where="ios > 0",
                    help="Mean of the data set that is chosen, or of all.",
                    empty=_NO_DATA_SETS,
                ),
                _by_data_set(
                    "Data moved",
                    "MB/s",
                    "sum(bytes_per_second) / 1048576",
                    "Read and written.",
                ),
                _by_data_set("Cache hits", "% of operations", "cache_hit_percent", ""),
                Panel(
                    "Waits in the access method",
                    "µs per block",
                    _DATA_SETS,
                    {"read": "average_read_delay_us", "write": "average_write_delay_us"},
                    where="ios > 0",
                    empty=_NO_DATA_SETS,
                ),
            ),
            tables=(
                Table(
                    "",
                    "data_sets",
                    _DATA_SETS,
                    by={
                        "data_set_name": ("Data set", "data_set_name"),
                        "job_name": ("Job", "job_name"),
                        "volume": ("Volume", "volume"),
                    },
                    columns={
                        "organisation": ("Organisation", "any_value(organisation)"),
                        "service_class": ("Service class", "any_value(service_class)"),
                        "ios": "I/O operations",
                        "response_us": ("Response, µs", "average_response_us"),
                        **{
                            f"{column}": (f"{name.capitalize()}, µs".replace("Ios", "IOS"), column)
                            for name, column in _PARTS.items()
                        },
                        "longest_us": ("Longest, µs", "longest_response_us"),
                        "zhpf": ("zHPF, %", "zhpf_percent"),
                        "read_mb": ("Read, MB", "sum(bytes_read) / 1048576"),
                        "written_mb": ("Written, MB", "sum(bytes_written) / 1048576"),
                        "encrypted": ("Encrypted", "bool_or(encrypted)"),
                    },
                    order="ios desc nulls last, data_set_name",
                    leads=("", {"data_set": "data_set_name"}),
                    says="Click a data set to see only it.",
                ),
            ),
        ),
    ),
)
