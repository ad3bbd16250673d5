"""Where a queue manager keeps messages: log, buffer pools and page sets, from SMF 115."""

from __future__ import annotations

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
        {name: rate(column) for column, name in columns.items()},
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
        Tile(
            "Log", "bytes/s", _MANAGER, "sum(log_bytes_written) / sum(interval_seconds)", "one copy"
        ),
        Tile(
            "Log write",
            "µs",
            _WRITES,
            by("average_write_us", "writes"),
            "mean; max {}",
            "max(max_write_us)",
        ),
        Tile(
            "Busiest log writer",
            "%",
            _MANAGER,
            "max(log_writer_busy_percent)",
            "of an interval; mean {}",
            by("log_writer_busy_percent", "interval_seconds"),
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
                        "one copy": f"{rate('log_bytes_written')} / {_MB}",
                        "all copies": f"{_PAGES} * {rate('log_control_intervals_written')} / {_MB}",
                    },
                ),
                _writes(
                    "Log write time",
                    "µs per write",
                    by("average_write_us", "writes"),
                    weight="sum(writes)",
                    rank="sum(writes)",
                    help="Single-page and multiple-page writes, to each copy of the log.",
                ),
                _writes(
                    "Longest log write", "µs", "max(max_write_us)", merge="max", rank="sum(writes)"
                ),
                _writes("Log writes", "writes/s", rate("writes"), rank="sum(writes)"),
                _writes(
                    "Data of each copy",
                    "MB/s",
                    f"{rate('bytes_written')} / {_MB}",
                    rank="sum(writes)",
                ),
                _writes(
                    "Size of a log write",
                    "pages of 4 KB",
                    by("average_control_intervals", "writes"),
                    weight="sum(writes)",
                    rank="sum(writes)",
                ),
                _writes(
                    "Wait for a log write",
                    "µs",
                    by("average_suspend_us", "writes"),
                    weight="sum(writes)",
                    rank="sum(writes)",
                    help="Mean time that a task was suspended.",
                ),
                _writes(
                    "Longest wait for a log write",
                    "µs",
                    "max(max_suspend_us)",
                    merge="max",
                    rank="sum(writes)",
                ),
                Panel(
                    "Log writer busy",
                    "% of time",
                    _MANAGER,
                    by("log_writer_busy_percent", "interval_seconds"),
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
                        "all buffers full": "sum(log_buffer_waits)",
                        "buffer paged in": "sum(log_buffer_pageins)",
                        "write threshold": "sum(log_threshold_writes)",
                        "checkpoint": "sum(log_checkpoints)",
                    },
                    merge="sum",
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
                    by("log_compression_percent", "log_compression_requests"),
                    weight="sum(log_compression_requests)",
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
                    share("page_reads", "page_gets_old"),
                    weight="sum(page_gets_old)",
                    where="page_gets > 0",
                    help="Existing pages that had to be read; read-ahead can make it more than "
                    "100 %. The rest are hits.",
                    empty="No existing pages were requested in this time range.",
                ),
                _pool(
                    "Pages read from page sets",
                    "pages/s",
                    rate("page_reads"),
                    where="page_gets > 0",
                ),
                _pool("Page requests", "pages/s", rate("page_gets"), where="page_gets > 0"),
                _pool(
                    "Requests for new pages",
                    "pages/s",
                    rate("page_gets_new"),
                    where="page_gets > 0",
                ),
                _pool(
                    "Fewest free buffers",
                    "% of buffers",
                    "min(lowest_free_percent)",
                    merge="min",
                    high=100,
                    where="page_gets > 0",
                    help="Below 15 % pages are written ahead, below 5 % synchronously.",
                ),
                _pool("Page updates", "updates/s", rate("page_updates"), where="page_gets > 0"),
                _pool("Pages written", "pages/s", rate("page_writes"), where="page_gets > 0"),
                _pool(
                    "Pages of a write",
                    "pages",
                    share("page_writes", "write_ios") + " / 100",
                    weight="sum(write_ios)",
                    where="page_gets > 0",
                ),
                Panel(
                    "Events of buffer pools",
                    "times",
                    _POOLS,
                    {
                        "deferred-write threshold": "sum(deferred_write_threshold_hits)",
                        "synchronous-write threshold": "sum(synchronous_write_threshold_hits)",
                        "no buffer free": "sum(short_on_buffers)",
                        "immediate writes": "sum(immediate_writes)",
                    },
                    merge="sum",
                    named=True,
                    help="All pools, or the chosen one.",
                ),
                _pool("Buffers stolen", "buffers/s", rate("steals"), where="page_gets > 0"),
                _pool(
                    "Size", "MB", f"max(buffer_bytes) / {_MB}", merge="max", where="page_gets > 0"
                ),
            ),
            tables=(
                Table(
                    "",
                    "buffer_pools",
                    _POOLS,
                    {
                        "buffer_pool": Column("Pool", "buffer_pool", group=True),
                        "location": Column("Buffers", "max(location)"),
                        "page_fixed": Column("Page-fixed", "bool_or(page_fixed)"),
                        "size_mb": Column("Size, MB", f"max(buffer_bytes) / {_MB}"),
                        "page_gets": Column("Page requests", "sum(page_gets)"),
                        "hit_percent": Column(
                            "Hits, %", "100 * (1 - sum(page_reads) / nullif(sum(page_gets_old), 0))"
                        ),
                        "page_reads": Column("Pages read", "sum(page_reads)"),
                        "page_writes": Column("Pages written", "sum(page_writes)"),
                        "lowest_free_percent": Column("Fewest free, %", "min(lowest_free_percent)"),
                        "short_on_buffers": Column("No buffer free", "sum(short_on_buffers)"),
                    },
                    order="owner, buffer_pool",
                ),
            ),
        ),
        Section(
            "Page sets",
            pick=Pick("Page set", "page-set", _PAGE_SET, _PAGE_SETS, "max(pages - unused_pages)"),
            panels=(
                _page_set("Pages in use", "% of pages", "max(used_percent)", merge="max", high=100),
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
                        "deferred write": by("deferred_average_write_us", "deferred_writes"),
                        "immediate write": by("immediate_average_write_us", "immediate_writes"),
                        "read": by("average_read_us", "reads"),
                    },
                    weight="sum(deferred_writes + immediate_writes + reads)",
                    named=True,
                    empty="No I/O in this time range.",
                ),
                Panel(
                    "Writes and reads",
                    "I/Os per s",
                    _PAGE_SETS,
                    {
                        "deferred write": rate("deferred_writes"),
                        "immediate write": rate("immediate_writes"),
                        "read": rate("reads"),
                    },
                ),
                Panel(
                    "Pages written and read",
                    "pages/s",
                    _PAGE_SETS,
                    {
                        "deferred": rate("deferred_pages_written"),
                        "immediate": rate("immediate_pages_written"),
                        "at checkpoints": rate("checkpoint_pages_written"),
                        "read": rate("pages_read"),
                    },
                ),
                _page_set("Times full", "times", "sum(full_count)", merge="sum"),
                _page_set(
                    "Extents added",
                    "extents",
                    "max(expansions)",
                    merge="max",
                    help="Since the queue manager started.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "page_sets",
                    _PAGE_SETS,
                    {
                        "page_set": Column("Page set", "page_set", group=True),
                        "buffer_pool": Column("Buffer pool", "max(buffer_pool)"),
                        "encrypted": Column("Encrypted", "bool_or(encrypted)"),
                        "size_mb": Column("Size, MB", f"{_PAGES} * max(pages) / {_MB}"),
                        "used_percent": Column("Most used, %", "max(used_percent)"),
                        "full_count": Column("Times full", "sum(full_count)"),
                        "expansions": Column("Extents", "max(expansions)"),
                        "writes": Column("Writes", "sum(deferred_writes + immediate_writes)"),
                        "reads": Column("Reads", "sum(reads)"),
                        "read_us": Column("Read, µs", by("average_read_us", "reads")),
                        "write_us": Column(
                            "Deferred write, µs", by("deferred_average_write_us", "deferred_writes")
                        ),
                    },
                    order="owner, page_set",
                ),
            ),
        ),
    ),
)
