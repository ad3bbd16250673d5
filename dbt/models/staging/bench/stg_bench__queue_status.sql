with source as (

    select * from {{ source('bench', 'bench_mqsc_qstatus') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        queue_manager,
        queue as queue_name,

        -- numerics
        depth,
        oldest_message_s as oldest_message_seconds,
        qtime_us_short as queue_time_us
    from source

)

select * from renamed
