"""What shared queues need of a queue manager's side: structures, SMDS and Db2, from SMF 115."""

from __future__ import annotations

from app.results.queries.systems import Column, Page, Panel, Pick, Section, Table, Tile, by, rate

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
    about="Coupling facility structures, shared message data sets and Db2, as each queue manager "
    "sees them, from SMF 115.",
    records="statistics of shared queues (SMF 115-2)",
    tiles=(
        Tile(
            "Coupling facility",
            "call/s",
            _MANAGER,
            "sum(cf_single_calls + cf_multiple_calls) / sum(interval_seconds)",
        ),
        Tile(
            "Call for one entry",
            "µs",
            _STRUCTURES,
            by("average_single_us", "single_calls"),
            "mean; several entries {}",
            by("average_multiple_us", "multiple_calls"),
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
        Tile("Db2", "req/s", _MANAGER, "sum(db2_requests) / sum(interval_seconds)"),
        Tile(
            "Db2 request",
            "µs",
            _MANAGER,
            by("db2_average_task_us", "db2_requests"),
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
                _structure("Requests", "requests/s", rate(_CALLS)),
                _structure(
                    "Time for one entry",
                    "µs per request",
                    by("average_single_us", "single_calls"),
                    weight="sum(single_calls)",
                ),
                _structure(
                    "Time for several entries",
                    "µs per request",
                    by("average_multiple_us", "multiple_calls"),
                    weight="sum(multiple_calls)",
                ),
                _structure(
                    "Redriven requests",
                    "% of requests",
                    f"100 * sum(single_redrives + multiple_redrives) / nullif(sum({_CALLS}), 0)",
                    weight=f"sum({_CALLS})",
                ),
                _structure("Times full", "times", "sum(structure_full)", merge="sum"),
                _structure(
                    "Most list entries in use", "entries", "max(max_entries_used)", merge="max"
                ),
                _structure(
                    "Most list elements in use", "elements", "max(max_elements_used)", merge="max"
                ),
            ),
            tables=(
                Table(
                    "",
                    "structures_of_queue_managers",
                    _STRUCTURES,
                    {
                        "structure_name": Column("Structure", "structure_name", group=True),
                        "single_calls": Column("For one entry", "sum(single_calls)"),
                        "multiple_calls": Column("For several", "sum(multiple_calls)"),
                        "single_us": Column(
                            "One entry, µs", by("average_single_us", "single_calls")
                        ),
                        "multiple_us": Column(
                            "Several, µs", by("average_multiple_us", "multiple_calls")
                        ),
                        "redrives": Column("Redriven", "sum(single_redrives + multiple_redrives)"),
                        "structure_full": Column("Times full", "sum(structure_full)"),
                        "entries": Column("Most entries", "max(max_entries_used)"),
                        "elements": Column("Most elements", "max(max_elements_used)"),
                    },
                    order="owner, single_calls desc nulls last",
                ),
            ),
        ),
        Section(
            "Shared message data sets",
            panels=(
                _smds(
                    "Message data in use", "% of blocks", "max(used_percent)", merge="max", high=100
                ),
                _smds("Messages", "messages", "max(messages)", merge="max"),
                _smds("Blocks in use", "blocks", "max(blocks_used)", merge="max"),
                _smds("Written", "MB/s", "sum(write_mb_per_second)"),
                _smds("Read from the own data set", "MB/s", "sum(read_mb_per_second)"),
                Panel(
                    "Time of an I/O",
                    "µs",
                    _SMDS,
                    {
                        "write": by("average_write_us", "writes"),
                        "read": by("average_read_us", "reads"),
                        "read from others": by("average_other_read_us", "other_reads"),
                    },
                    weight="sum(writes + reads + other_reads)",
                    named=True,
                    empty="No I/O in this time range.",
                ),
                Panel(
                    "Writes and reads",
                    "I/Os per s",
                    _SMDS,
                    {
                        "write": rate("writes"),
                        "read": rate("reads"),
                        "read from others": rate("other_reads"),
                    },
                    named=True,
                ),
                _smds(
                    "Reads saved by buffers",
                    "% of reads",
                    by("reads_saved_percent", "reads"),
                    weight="sum(reads)",
                    high=100,
                ),
                Panel(
                    "Buffers",
                    "buffers",
                    _SMDS,
                    {"in the pool": "sum(buffers)", "in use": "sum(buffers_used)"},
                    merge="max",
                    named=True,
                ),
                Panel(
                    "Events of data sets",
                    "times",
                    _SMDS,
                    {
                        "waited for a buffer": "sum(buffer_waits)",
                        "no space": "sum(failed_allocations)",
                    },
                    merge="sum",
                    named=True,
                ),
                _smds(
                    "Waiting for buffers",
                    "s per s",
                    rate("buffer_wait_seconds"),
                    help="Time that all tasks together waited, in each second.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "shared_message_data_sets",
                    _SMDS,
                    {
                        "structure_name": Column("Structure", "structure_name", group=True),
                        "encrypted": Column("Encrypted", "bool_or(encrypted)"),
                        "used_percent": Column("Most used, %", "max(used_percent)"),
                        "messages": Column("Most messages", "max(messages)"),
                        "blocks": Column("Blocks", "max(blocks_total)"),
                        "buffer_mb": Column("Buffers, MB", f"max(buffer_bytes) / {_MB}"),
                        "writes": Column("Writes", "sum(writes)"),
                        "pages_written": Column("Pages written", "sum(pages_written)"),
                        "reads": Column("Reads", "sum(reads + other_reads)"),
                        "pages_read": Column("Pages read", "sum(pages_read + other_pages_read)"),
                        "failed": Column("No space", "sum(failed_allocations)"),
                    },
                    order="owner, structure_name",
                ),
            ),
        ),
        Section(
            "Db2",
            panels=(
                _db2("Db2 requests", "requests/s", rate("requests")),
                _db2(
                    "Db2 request in the task",
                    "µs per request",
                    by("average_task_us", "requests"),
                    weight="sum(requests)",
                    help="As the caller sees it, with queueing.",
                ),
                _db2(
                    "Db2 request in Db2",
                    "µs per request",
                    by("average_server_us", "requests"),
                    weight="sum(requests)",
                    help="Of the SQL in the server task.",
                ),
                _db2("Longest Db2 request", "µs", "max(max_task_us)", merge="max"),
                Panel(
                    "Server tasks",
                    "tasks",
                    _MANAGER,
                    {"all": "max(db2_server_tasks)", "active": "max(db2_active_tasks)"},
                    merge="max",
                    where="db2_requests > 0",
                ),
                Panel(
                    "Longest queue for a server task",
                    "requests",
                    _MANAGER,
                    "max(db2_max_queue_depth)",
                    merge="max",
                    where="db2_requests > 0",
                ),
                Panel(
                    "Failures of Db2",
                    "times",
                    _MANAGER,
                    {"deadlock or timeout": "sum(db2_deadlocks)", "abend": "sum(db2_task_abends)"},
                    merge="sum",
                ),
            ),
        ),
    ),
)
