with source as (

    select * from {{ source('mq', 'smf115_qcct') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qcctjobn as job_name,
        qcctqsgn as queue_sharing_group,
        qcctnocc as current_channels,
        qcctmxcc as max_current_channels,
        qcctnoac as active_channels,
        qcctmxac as max_active_channels,
        qcctmxtp as max_tcp_channels,
        qcctmxlu as max_lu62_channels,
        qcctstus as storage_used_mb,
        -- Without a limit, sizes use all 64 bits.
        qcctstab as storage_used_64bit,
        qcctslim as storage_limit_64bit
    from source

)

select * from renamed
