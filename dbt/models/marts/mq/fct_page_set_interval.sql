with
    record as (select * from {{ days(ref("int_mq__record")) }} where record_type = 115 and usable),

    page_set as (select * from {{ source("staging", "mq__page_set") }})

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    page_set.page_set,
    page_set.buffer_pool,
    page_set.encrypted,

    -- size
    page_set.pages,
    page_set.unused_pages,
    page_set.persistent_pages,
    page_set.nonpersistent_pages,
    {{ percent("(page_set.pages - page_set.unused_pages)", "page_set.pages") }} as used_percent,
    page_set.full_count,
    page_set.expansions,

    -- writes
    page_set.deferred_writes,
    page_set.deferred_pages_written,
    {{ average_us("page_set.deferred_write_seconds", "page_set.deferred_writes") }}
    as deferred_average_write_us,
    page_set.immediate_writes,
    page_set.immediate_pages_written,
    {{ average_us("page_set.immediate_write_seconds", "page_set.immediate_writes") }}
    as immediate_average_write_us,
    page_set.checkpoint_pages_written,
    {{
        mb_per_second(
            page_bytes("(page_set.deferred_pages_written + page_set.immediate_pages_written)"),
            "record.interval_seconds",
        )
    }} as write_mb_per_second,

    -- reads
    page_set.reads,
    page_set.pages_read,
    {{ average_us("page_set.read_seconds", "page_set.reads") }} as average_read_us,
    {{ mb_per_second(page_bytes("page_set.pages_read"), "record.interval_seconds") }} as read_mb_per_second
from record
inner join page_set using (source_id, record_no)
