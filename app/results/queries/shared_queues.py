"""What shared queues need of a queue manager's side: structures, SMDS and Db2, from SMF 115."""

from __future__ import annotations

from app.results.queries.systems import Page, Panel, Pick, Section, Table, Tile

__all__ = ["PAGE"]

_MANAGER = "marts.fct_queue_manager_interval"
_STRUCTURES = "marts.fct_cf_structure_interval"
_SMDS = "marts.fct_smds_interval"
_DB2 = "marts.fct_db2_request_interval"
_MB = 1 << 20  # bytes
_CALLS = "single_calls + multiple_calls"
_KIND = "request_type"


def _structure(title: str, unit: str, value: str, **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _STRUCTURES,
        value,
        series="structure_name",
        rank=f"sum({_CALLS})",
        ranked="requests",
        **options,  # type: ignore[arg-type]
    )


def _smds(title: str, unit: str, value: str, **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _SMDS,
        value,
        series="structure_name",
        rank="max(blocks_used)",
        ranked="blocks in use",
        **options,  # type: ignore[arg-type]
    )


def _db2(title: str, unit: str, value: str, **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _DB2,
        value,
        series=_KIND,
        rank="sum(requests)",
        ranked="requests",
        where="requests > 0",
        **options,  # type: ignore[arg-type]
    )


PAGE = Page(
    title="Shared queues",
    about="Coupling facility structures, shared message data sets and Db2, as each queue "
    "manager sees them, from SMF 115.",
    records="statistics of shared queues (SMF 115-2)",
    tiles=(
        Tile(
            "Coupling facility",
            "call/s",
            _MANAGER,
            "cf_single_calls + cf_multiple_calls / interval_seconds",
        ),
        Tile(
            "Call for one entry",
            "µs",
            _STRUCTURES,
            "average_single_us",
            "mean; several entries {}",
            "average_multiple_us",
        ),
        Tile(
            "Redriven",
            "%",
            _STRUCTURES,
            f"100 * sum(single_redrives + multiple_redrives) / nullif(sum({_CALLS}), 0)",
            "of calls",
        ),
        Tile(
            "Fullest SMDS",
            "%",
            _SMDS,
            "max(used_percent)",
            "{}",
            "arg_max(structure_name, used_percent)",
        ),
        Tile("Db2", "req/s", _MANAGER, "db2_requests / interval_seconds"),
        Tile(
            "Db2 request",
            "µs",
            _MANAGER,
            "db2_average_task_us",
            "mean; max {}",
            "max(db2_max_task_us)",
        ),
    ),
    sections=(
        Section(
            "Coupling facility structures",
            "Of MQ, as the queue manager measures them.",
            pick=Pick("Structure", "structure", "structure_name", _STRUCTURES, f"sum({_CALLS})"),
            panels=(
                _structure("Requests", "requests/s", f"{_CALLS} / s"),
                _structure("Time for one entry", "µs per request", "average_single_us"),
                _structure("Time for several entries", "µs per request", "average_multiple_us"),
                _structure(
                    "Redriven requests",
                    "% of requests",
                    f"100 * sum(single_redrives + multiple_redrives) / nullif(sum({_CALLS}), 0)",
                ),
                _structure("Times full", "times", "structure_full"),
                _structure("Most list entries in use", "entries", "max(max_entries_used)"),
                _structure("Most list elements in use", "elements", "max(max_elements_used)"),
            ),
            tables=(
                Table(
                    "",
                    "structures_of_queue_managers",
                    _STRUCTURES,
                    by={"structure_name": ("Structure", "structure_name")},
                    columns={
                        "single_calls": "For one entry",
                        "multiple_calls": "For several",
                        "single_us": ("One entry, µs", "average_single_us"),
                        "multiple_us": ("Several, µs", "average_multiple_us"),
                        "redrives": ("Redriven", "sum(single_redrives + multiple_redrives)"),
                        "structure_full": "Times full",
                        "entries": ("Most entries", "max_entries_used"),
                        "elements": ("Most elements", "max_elements_used"),
                    },
                    order="owner, single_calls desc nulls last",
                ),
            ),
        ),
        Section(
            "Shared message data sets",
            panels=(
                _smds("Message data in use", "% of blocks", "max(used_percent)", high=100),
                _smds("Messages", "messages", "max(messages)"),
                _smds("Blocks in use", "blocks", "max(blocks_used)"),
                _smds("Written", "MB/s", "sum(write_mb_per_second)"),
                _smds("Read from the own data set", "MB/s", "sum(read_mb_per_second)"),
                Panel(
                    "Time of an I/O",
                    "µs",
                    _SMDS,
                    {
                        "write": "average_write_us",
                        "read": "average_read_us",
                        "read from others": "average_other_read_us",
                    },
                    named=True,
                    empty="No I/O in this time range.",
                ),
                Panel(
                    "Writes and reads",
                    "I/Os per s",
                    _SMDS,
                    {
                        "write": "writes / s",
                        "read": "reads / s",
                        "read from others": "other_reads / s",
                    },
                    named=True,
                ),
                _smds("Reads saved by buffers", "% of reads", "reads_saved_percent", high=100),
                Panel(
                    "Buffers",
                    "buffers",
                    _SMDS,
                    {"in the pool": "sum(buffers)", "in use": "sum(buffers_used)"},
                    named=True,
                ),
                Panel(
                    "Events of data sets",
                    "times",
                    _SMDS,
                    {"waited for a buffer": "buffer_waits", "no space": "failed_allocations"},
                    named=True,
                ),
                _smds(
                    "Waiting for buffers",
                    "s per s",
                    "buffer_wait_seconds / s",
                    help="Time that all tasks together waited, in each second.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "shared_message_data_sets",
                    _SMDS,
                    by={"structure_name": ("Structure", "structure_name")},
                    columns={
                        "encrypted": ("Encrypted", "bool_or(encrypted)"),
                        "used_percent": ("Most used, %", "max(used_percent)"),
                        "messages": ("Most messages", "max(messages)"),
                        "blocks": ("Blocks", "max(blocks_total)"),
                        "buffer_mb": ("Buffers, MB", f"max(buffer_bytes) / {_MB}"),
                        "writes": "Writes",
                        "pages_written": "Pages written",
                        "reads": ("Reads", "sum(reads + other_reads)"),
                        "pages_read": ("Pages read", "sum(pages_read + other_pages_read)"),
                        "failed": ("No space", "failed_allocations"),
                    },
                    order="owner, structure_name",
                ),
            ),
        ),
        Section(
            "Db2",
            panels=(
                _db2("Db2 requests", "requests/s", "requests / s"),
                _db2(
                    "Db2 request in the task",
                    "µs per request",
                    "average_task_us",
                    help="As the caller sees it, with queueing.",
                ),
                _db2(
                    "Db2 request in Db2",
                    "µs per request",
                    "average_server_us",
                    help="Of the SQL in the server task.",
                ),
                _db2("Longest Db2 request", "µs", "max(max_task_us)"),
                Panel(
                    "Server tasks",
                    "tasks",
                    _MANAGER,
                    {"all": "max(db2_server_tasks)", "active": "max(db2_active_tasks)"},
                    where="db2_requests > 0",
                ),
                Panel(
                    "Longest queue for a server task",
                    "requests",
                    _MANAGER,
                    "max(db2_max_queue_depth)",
                    where="db2_requests > 0",
                ),
                Panel(
                    "Failures of Db2",
                    "times",
                    _MANAGER,
                    {"deadlock or timeout": "db2_deadlocks", "abend": "db2_task_abends"},
                ),
            ),
        ),
    ),
)
