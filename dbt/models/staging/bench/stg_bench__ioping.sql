with source as (

    select * from {{ source('bench', 'bench_ioping') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        target,
        file_system,
        device,

        -- numerics
        requests,
        bytes / nullif(requests, 0) as request_bytes,
        min_us as least_us,
        avg_us as average_us,
        max_us as greatest_us,
        mdev_us as deviation_us
    from source

)

select * from renamed
