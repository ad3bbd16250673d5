"""The channel initiator and its channels, from SMF 115 subtype 231 and SMF 116-10."""

from __future__ import annotations

from app.results.queries.systems import Page, Panel, Section, Table, Tile

__all__ = ["PAGE"]

_INTERVALS = "marts.fct_channel_initiator_interval"
_TYPES = "marts.fct_channel_initiator_task_type_interval"
_TASKS = "marts.fct_channel_initiator_task_interval"
# A channel's first record may not say since when it counts.
_CHANNELS = """(
    select * replace (
        coalesce(interval_start_utc, collected_at_utc) as interval_start_utc,
        coalesce(interval_end_utc, collected_at_utc) as interval_end_utc
    )
    from marts.fct_channel_interval
)"""
_KIND = "if(task_type in ('ssl', 'dns'), upper(task_type), task_type)"
_ORDER = ("dispatcher", "adapter", "SSL", "DNS")
_MB = 1 << 20  # bytes


def _by_type(title: str, unit: str, value: str, meaning: str = "", **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _TYPES,
        value,
        series=_KIND,
        order=_ORDER,
        help=meaning,
        **options,  # type: ignore[arg-type]
    )


def _by_channel(title: str, unit: str, value: str, empty: str) -> Panel:
    return Panel(
        title,
        unit,
        _CHANNELS,
        value,
        series="channel_name",
        rank="sum(coalesce(bytes_sent, 0) + coalesce(bytes_received, 0))",
        ranked="data",
        empty=empty,
    )


def _peak(label: str, kind: str) -> Tile:
    return Tile(
        label,
        "",
        _INTERVALS,
        f"max({kind}_channels)",
        "peak; limit {}",
        f"max(max_{kind}_channels)",
    )


def _busiest(label: str, kind: str) -> Tile:
    return Tile(
        label,
        "%",
        _TYPES,
        "max(max_task_busy_percent)",
        "of one interval",
        where=f"task_type = '{kind}'",
    )


PAGE = Page(
    title="Channel initiator",
    about="Channels and the tasks that run them, from SMF 115-231 and 116-10.",
    records="channel initiator records (SMF 115-231, 116-10)",
    tiles=(
        _peak("Current channels", "current"),
        _peak("Active channels", "active"),
        _busiest("Busiest dispatcher", "dispatcher"),
        _busiest("Busiest adapter", "adapter"),
        Tile(
            "CPU, all tasks",
            "%",
            _TYPES,
            "100 * sum(cpu_seconds) / nullif(sum(interval_seconds) filter (where task_type = "
            "'dispatcher'), 0)",
            "of one CPU",
        ),
        Tile("Storage", "MB", _INTERVALS, "max(storage_used_mb)", "peak"),
    ),
    sections=(
        Section(
            "Channels and tasks",
            panels=(
                Panel(
                    "Channels in use",
                    "channels",
                    _INTERVALS,
                    {"current": "max(current_channels)", "active": "max(active_channels)"},
                ),
                _by_type("Requests", "requests/s", "sum(requests_per_second)"),
                _by_type(
                    "Busiest task",
                    "% busy",
                    "max(max_task_busy_percent)",
                    "The busiest task of each kind.",
                ),
                _by_type(
                    "Mean task", "% busy", "avg(busy_percent)", "Mean over all tasks of each kind."
                ),
                _by_type("CPU per request", "CPU µs per request", "cpu_us_per_request"),
                _by_type("Elapsed time per request", "µs per request", "elapsed_us_per_request"),
            ),
        ),
        Section(
            "Tasks",
            "Every task that served requests, over the whole time range.",
            tables=(
                Table(
                    "",
                    "channel_initiator_tasks",
                    _TASKS,
                    by={"task_type": ("Kind", _KIND), "task_index": ("Task", "task_index")},
                    columns={
                        "requests": "Requests",
                        "busy_percent": ("Busy, %", "busy_percent"),
                        "max_busy_percent": ("Max busy, %", "max(busy_percent)"),
                        "cpu_percent": ("CPU, %", "cpu_percent"),
                        "cpu_us_per_request": ("CPU, µs/request", "1e6 * cpu_seconds / requests"),
                        "elapsed_us_per_request": (
                            "Elapsed, µs/request",
                            "1e6 * elapsed_seconds / requests",
                        ),
                        "most_channels": ("Peak channels", "max(channels)"),
                    },
                    having="sum(requests) > 0",
                    order=f"owner, list_position({list(_ORDER)}, task_type), task_index",
                ),
            ),
        ),
        Section(
            "Channels",
            "From channel accounting (SMF 116-10). On server-connection channels, messages are "
            "MQI calls.",
            panels=(
                _by_channel(
                    "Data sent and received",
                    "MB/s",
                    f"sum(bytes_sent + bytes_received) / {_MB} / nullif(max(interval_seconds), 0)",
                    "These records do not say how much time they cover.",
                ),
                _by_channel(
                    "Achieved batch size",
                    "messages per batch",
                    "messages / batches",
                    "No batches in this time range; client channels have none.",
                ),
                _by_channel(
                    "Network time",
                    "mean µs",
                    "nettime_average_us",
                    "No network times in this time range.",
                ),
                _by_channel(
                    "Compression",
                    "% of data saved",
                    "compression_percent",
                    "These records have no compression rates.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "channels",
                    _CHANNELS,
                    by={"channel_name": ("Channel", "channel_name")},
                    columns={
                        "channel_type": ("Type", "any_value(channel_type)"),
                        "partners": ("Partners", "count(distinct connection_name)"),
                        "messages": "Messages",
                        "data_mb": ("Data, MB", f"(sum(bytes_sent) + sum(bytes_received)) / {_MB}"),
                        "batches": "Batches",
                        "achieved_batch_size": ("Messages/batch", "messages / batches"),
                        "batch_size": ("Batch size", "max(batch_size)"),
                        "full_batch_percent": ("Full batches, %", "full_batch_percent"),
                        "compression_percent": "Compression, %",
                        "nettime_average_us": "Mean network time, µs",
                        "nettime_max_us": "Max network time, µs",
                        "put_retries": "Put retries",
                    },
                    order="data_mb desc nulls last, owner, channel_name",
                ),
            ),
        ),
    ),
)
