with
    record as (select * from {{ days(ref("int_mq__record"), around=1) }} where record_type = 115 and usable),

    buffer_pool as (

        select *, page_gets_old + page_gets_new as page_gets from {{ source("staging", "mq__buffer_pool") }}

    )

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    pool.buffer_pool,
    case when pool.above_bar then 'above' else 'below' end as location,
    pool.page_fixed,

    -- size
    pool.buffers,
    {{ page_bytes("pool.buffers") }} as buffer_bytes,
    pool.lowest_free_buffers,
    pool.current_free_buffers,
    {{ percent("pool.lowest_free_buffers", "pool.buffers") }} as lowest_free_percent,

    -- gets
    pool.page_gets,
    pool.page_gets_old,
    pool.page_gets_new,
    {{ per_second("pool.page_gets", "record.interval_seconds") }} as page_gets_per_second,
    pool.page_reads,
    {{ per_second("pool.page_reads", "record.interval_seconds") }} as page_ins_per_second,
    -- A get of a new page needs no read, so only gets of existing pages can miss.
    100 - {{ percent("pool.page_reads", "pool.page_gets_old") }} as hit_percent,

    -- writes
    pool.page_updates,
    pool.page_writes,
    pool.write_ios,
    {{ ratio("pool.page_writes", "pool.write_ios") }} as pages_per_write_io,
    {{ per_second("pool.page_writes", "record.interval_seconds") }} as page_writes_per_second,
    pool.immediate_writes,

    -- pressure
    pool.deferred_write_threshold_hits,
    pool.synchronous_write_threshold_hits,
    pool.short_on_buffers,
    pool.steals,
    pool.steals_after_hash_change
from record
inner join buffer_pool as pool using (source_id, record_no)
-- Buffer pools are in subtype 2 or 215, depending on the release. If both exist, keep 215.
qualify
    row_number() over (
        partition by
            record.origin, record.system_id, record.queue_manager, record.interval_start_utc, pool.buffer_pool
        order by record.record_subtype desc, record.record_no, pool.section_no
    )
    = 1
