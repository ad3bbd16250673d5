with source as (

    select * from {{ source('bench', 'bench_mft_transfer') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,
        transfer_id,

        -- text
        message,
        action,
        agent_role,
        source_agent,
        source_queue_manager,
        destination_agent,
        destination_queue_manager,

        -- numerics
        elapsed_seconds,
        files,
        bytes_sent,
        result_code,
        file_failures,

        -- dates
        time_utc,
        start_utc,
        actual_start_utc
    from source

)

select * from renamed
