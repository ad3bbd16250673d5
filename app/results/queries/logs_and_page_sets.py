"""Where a queue manager keeps messages: log, buffer pools and page sets, from SMF 115."""

from __future__ import annotations

from app.results.queries.systems import (
    Page,
    Panel,
    Pick,
    Section,
    Table,
    Tile,
)

__all__ = ["PAGE"]

_MANAGER = "marts.fct_queue_manager_interval"
_WRITES = "marts.fct_log_write_interval"
_POOLS = "marts.fct_buffer_pool_interval"
_PAGE_SETS = "marts.fct_page_set_interval"
_MB = 1 << 20  # bytes
_COPY = "'copy ' || log_copy || ' ' || replace(write_type, '_page', '')"
_POOL = "'BP ' || buffer_pool"
_PAGE_SET = "'page set ' || page_set"
_NO_WRITES = "No log writes in this time range."
_PAGES = 4096  # bytes of a page


def _writes(title: str, unit: str, value: str, **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _WRITES,
        value,
        series=_COPY,
        named=True,
        empty=_NO_WRITES,
        **options,  # type: ignore[arg-type]
    )


def _of_log(title: str, unit: str, columns: dict[str, str], help_text: str = "") -> Panel:
    return Panel(
        title,
        unit,
        _MANAGER,
        {name: f"{column} / s" for column, name in columns.items()},
        named=True,
        help=help_text,
    )


def _pool(title: str, unit: str, value: str, **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _POOLS,
        value,
        series=_POOL,
        rank="sum(page_gets)",
        ranked="page requests",
        **options,  # type: ignore[arg-type]
    )


def _page_set(title: str, unit: str, value: str, **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _PAGE_SETS,
        value,
        series=_PAGE_SET,
        rank="max(pages - unused_pages)",
        ranked="pages in use",
        **options,  # type: ignore[arg-type]
    )


PAGE = Page(
    title="Log and page sets",
    about="Log, buffer pools and page sets of each queue manager, from SMF 115.",
    records="SMF 115 statistics",
    tiles=(
        Tile("Log", "bytes/s", _MANAGER, "log_bytes_written / interval_seconds", "one copy"),
        Tile("Log write", "µs", _WRITES, "average_write_us", "mean; max {}", "max(max_write_us)"),
        Tile(
            "Busiest log writer",
            "%",
            _MANAGER,
            "max(log_writer_busy_percent)",
            "of an interval; mean {}",
            "log_writer_busy_percent",
        ),
        Tile(
            "Buffer pool hits",
            "%",
            _POOLS,
            "100 * (1 - sum(page_reads) / nullif(sum(page_gets_old), 0))",
            "of existing pages",
        ),
        Tile(
            "Fewest free buffers",
            "%",
            _POOLS,
            "min(lowest_free_percent)",
            "of a pool",
            where="page_gets > 0",
        ),
        Tile(
            "Fullest page set",
            "%",
            _PAGE_SETS,
            "max(used_percent)",
            "{}",
            "'page set ' || arg_max(page_set, used_percent)",
        ),
    ),
    sections=(
        Section(
            "Log",
            panels=(
                Panel(
                    "Log data written",
                    "MB/s",
                    _MANAGER,
                    {
                        "one copy": f"log_bytes_written / {_MB} / s",
                        "all copies": f"{_PAGES} * log_control_intervals_written / {_MB} / s",
                    },
                ),
                _writes(
                    "Log write time",
                    "µs per write",
                    "average_write_us",
                    rank="sum(writes)",
                    help="Single-page and multiple-page writes, to each copy of the log.",
                ),
                _writes("Longest log write", "µs", "max(max_write_us)", rank="sum(writes)"),
                _writes("Log writes", "writes/s", "writes / s", rank="sum(writes)"),
                _writes(
                    "Data of each copy", "MB/s", f"bytes_written / {_MB} / s", rank="sum(writes)"
                ),
                _writes(
                    "Size of a log write",
                    "pages of 4 KB",
                    "average_control_intervals",
                    rank="sum(writes)",
                ),
                _writes(
                    "Wait for a log write",
                    "µs",
                    "average_suspend_us",
                    rank="sum(writes)",
                    help="Mean time that a task was suspended.",
                ),
                _writes(
                    "Longest wait for a log write", "µs", "max(max_suspend_us)", rank="sum(writes)"
                ),
                Panel(
                    "Log writer busy",
                    "% of time",
                    _MANAGER,
                    "log_writer_busy_percent",
                    high=100,
                    help="Share of the time in which the log writer task was not asleep.",
                ),
                _of_log(
                    "Log write requests",
                    "requests/s",
                    {
                        "log_waited_requests": "waited",
                        "log_unwaited_requests": "did not wait",
                        "log_forced_requests": "forced",
                        "log_suspends": "suspended a task",
                    },
                ),
                Panel(
                    "Events of the log",
                    "times",
                    _MANAGER,
                    {
                        "all buffers full": "log_buffer_waits",
                        "buffer paged in": "log_buffer_pageins",
                        "write threshold": "log_threshold_writes",
                        "checkpoint": "log_checkpoints",
                    },
                    named=True,
                    help="Checkpoints are those that LOGLOAD causes.",
                ),
                _of_log(
                    "Log reads",
                    "reads/s",
                    {
                        "log_reads_from_buffer": "from a buffer",
                        "log_reads_from_active_log": "from an active log",
                        "log_reads_from_archive_log": "from an archive log",
                    },
                ),
                Panel(
                    "Log compression",
                    "% of data saved",
                    _MANAGER,
                    "log_compression_percent",
                    where="log_compression_requests > 0",
                    empty="The log is not compressed.",
                ),
            ),
        ),
        Section(
            "Buffer pools",
            pick=Pick("Buffer pool", "pool", _POOL, _POOLS, "sum(page_gets)", "page_gets > 0"),
            panels=(
                _pool(
                    "Buffer pool misses",
                    "% of pages",
                    "page_reads % of page_gets_old",
                    where="page_gets > 0",
                    help="Existing pages that had to be read; read-ahead can make it more than "
                    "100 %. The rest are hits.",
                    empty="No existing pages were requested in this time range.",
                ),
                _pool(
                    "Pages read from page sets", "pages/s", "page_reads / s", where="page_gets > 0"
                ),
                _pool("Page requests", "pages/s", "page_gets / s", where="page_gets > 0"),
                _pool(
                    "Requests for new pages", "pages/s", "page_gets_new / s", where="page_gets > 0"
                ),
                _pool(
                    "Fewest free buffers",
                    "% of buffers",
                    "min(lowest_free_percent)",
                    high=100,
                    where="page_gets > 0",
                    help="Below 15 % pages are written ahead, below 5 % synchronously.",
                ),
                _pool("Page updates", "updates/s", "page_updates / s", where="page_gets > 0"),
                _pool("Pages written", "pages/s", "page_writes / s", where="page_gets > 0"),
                _pool(
                    "Pages of a write",
                    "pages",
                    "page_writes / write_ios",
                    where="page_gets > 0",
                ),
                Panel(
                    "Events of buffer pools",
                    "times",
                    _POOLS,
                    {
                        "deferred-write threshold": "deferred_write_threshold_hits",
                        "synchronous-write threshold": "synchronous_write_threshold_hits",
                        "no buffer free": "short_on_buffers",
                        "immediate writes": "immediate_writes",
                    },
                    named=True,
                    help="All pools, or the chosen one.",
                ),
                _pool("Buffers stolen", "buffers/s", "steals / s", where="page_gets > 0"),
                _pool("Size", "MB", f"max(buffer_bytes) / {_MB}", where="page_gets > 0"),
            ),
            tables=(
                Table(
                    "",
                    "buffer_pools",
                    _POOLS,
                    by={"buffer_pool": ("Pool", "buffer_pool")},
                    columns={
                        "location": ("Buffers", "max(location)"),
                        "page_fixed": ("Page-fixed", "bool_or(page_fixed)"),
                        "size_mb": ("Size, MB", f"max(buffer_bytes) / {_MB}"),
                        "page_gets": "Page requests",
                        "hit_percent": (
                            "Hits, %",
                            "100 * (1 - sum(page_reads) / nullif(sum(page_gets_old), 0))",
                        ),
                        "page_reads": "Pages read",
                        "page_writes": "Pages written",
                        "lowest_free_percent": "Fewest free, %",
                        "short_on_buffers": "No buffer free",
                    },
                    order="owner, buffer_pool",
                ),
            ),
        ),
        Section(
            "Page sets",
            pick=Pick("Page set", "page-set", _PAGE_SET, _PAGE_SETS, "max(pages - unused_pages)"),
            panels=(
                _page_set("Pages in use", "% of pages", "max(used_percent)", high=100),
                Panel(
                    "Contents of page sets",
                    "MB",
                    _PAGE_SETS,
                    {
                        "persistent messages, objects": f"{_PAGES} * sum(persistent_pages) / {_MB}",
                        "non-persistent messages": f"{_PAGES} * sum(nonpersistent_pages) / {_MB}",
                        "unused": f"{_PAGES} * sum(unused_pages) / {_MB}",
                    },
                    help="All page sets, or the chosen one.",
                ),
                _page_set("Written", "MB/s", "sum(write_mb_per_second)"),
                _page_set("Read", "MB/s", "sum(read_mb_per_second)"),
                Panel(
                    "Time of an I/O",
                    "µs",
                    _PAGE_SETS,
                    {
                        "deferred write": "deferred_average_write_us",
                        "immediate write": "immediate_average_write_us",
                        "read": "average_read_us",
                    },
                    named=True,
                    empty="No I/O in this time range.",
                ),
                Panel(
                    "Writes and reads",
                    "I/Os per s",
                    _PAGE_SETS,
                    {
                        "deferred write": "deferred_writes / s",
                        "immediate write": "immediate_writes / s",
                        "read": "reads / s",
                    },
                ),
                Panel(
                    "Pages written and read",
                    "pages/s",
                    _PAGE_SETS,
                    {
                        "deferred": "deferred_pages_written / s",
                        "immediate": "immediate_pages_written / s",
                        "at checkpoints": "checkpoint_pages_written / s",
                        "read": "pages_read / s",
                    },
                ),
                _page_set("Times full", "times", "full_count"),
                _page_set(
                    "Extents added",
                    "extents",
                    "max(expansions)",
                    help="Since the queue manager started.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "page_sets",
                    _PAGE_SETS,
                    by={"page_set": ("Page set", "page_set")},
                    columns={
                        "buffer_pool": ("Buffer pool", "max(buffer_pool)"),
                        "encrypted": ("Encrypted", "bool_or(encrypted)"),
                        "size_mb": ("Size, MB", f"{_PAGES} * max(pages) / {_MB}"),
                        "used_percent": ("Most used, %", "max(used_percent)"),
                        "full_count": "Times full",
                        "expansions": ("Extents", "max(expansions)"),
                        "writes": ("Writes", "sum(deferred_writes + immediate_writes)"),
                        "reads": "Reads",
                        "read_us": ("Read, µs", "average_read_us"),
                        "write_us": ("Deferred write, µs", "deferred_average_write_us"),
                    },
                    order="owner, page_set",
                ),
            ),
        ),
    ),
)
