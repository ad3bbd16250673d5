with source as (

    select * from {{ source('bench', 'bench_mqsc_chstatus') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        queue_manager,
        channel as channel_name,
        channel_type,
        status,
        message_compression,

        -- numerics
        messages,
        batches,
        key_resets as secret_key_resets,
        batch_size as batch_size_agreed,
        xbatchsz_short as batch_size_achieved,
        nettime_us_short as nettime_us,
        comptime_us_short as compression_us,
        comprate_pct_short as compression_percent
    from source

)

select * from renamed
