with
    record as (select * from {{ days(ref("int_mq__record")) }} where record_type = 115 and usable),

    smds as (select * from {{ source("staging", "mq__smds") }})

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    smds.structure_name,
    smds.structure_number,
    smds.encrypted,

    -- space
    smds.messages,
    smds.blocks_total,
    smds.blocks_for_data,
    smds.blocks_used,
    smds.blocks_free,
    {{ percent("smds.blocks_used", "smds.blocks_for_data") }} as used_percent,
    smds.failed_allocations,

    -- buffers
    smds.buffers,
    smds.buffers_used,
    try_cast(cast(smds.buffers as hugeint) * smds.buffer_size_bytes as bigint) as buffer_bytes,
    smds.pool_waits + smds.buffer_waits as buffer_waits,
    smds.pool_wait_seconds + smds.buffer_wait_seconds as buffer_wait_seconds,
    {{ percent("smds.buffer_reads_saved", "smds.buffer_read_requests") }} as reads_saved_percent,

    -- I/O
    smds.writes,
    smds.pages_written,
    {{ average_us("smds.write_seconds", "smds.writes") }} as average_write_us,
    {{ mb_per_second(page_bytes("smds.pages_written"), "record.interval_seconds") }} as write_mb_per_second,
    smds.reads,
    smds.pages_read,
    {{ average_us("smds.read_seconds", "smds.reads") }} as average_read_us,
    {{ mb_per_second(page_bytes("smds.pages_read"), "record.interval_seconds") }} as read_mb_per_second,
    smds.other_reads,
    smds.other_pages_read,
    {{ average_us("smds.other_read_seconds", "smds.other_reads") }} as average_other_read_us
from record
inner join smds using (source_id, record_no)
