with
    record as (select * from {{ days(ref("int_mq__record"), around=1) }} where record_type = 115 and usable),

    channel_initiator as (select * from {{ source("staging", "mq__channel_initiator") }} where section_no = 1)

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    chinit.job_name,
    nullif(chinit.queue_sharing_group, '') as queue_sharing_group,

    -- channels and their limits
    chinit.current_channels,
    chinit.max_current_channels,
    {{ percent("chinit.current_channels", "chinit.max_current_channels") }} as current_channels_percent,
    chinit.active_channels,
    chinit.max_active_channels,
    {{ percent("chinit.active_channels", "chinit.max_active_channels") }} as active_channels_percent,
    chinit.max_tcp_channels,
    chinit.max_lu62_channels,

    -- storage
    chinit.storage_used_mb,
    chinit.storage_used_64bit,
    chinit.storage_limit_64bit,
    {{ percent("chinit.storage_used_64bit", "chinit.storage_limit_64bit") }} as storage_64bit_percent
from record
inner join channel_initiator as chinit using (source_id, record_no)
-- With many tasks, one interval has several records, and each repeats this block.
qualify
    row_number() over (
        partition by record.origin, record.system_id, record.queue_manager, record.interval_start_utc
        order by record.record_no
    )
    = 1
