with source as (

    select * from {{ source('bench', 'bench_amqsrua') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        object as object_name,
        metric as usage,
        unit,

        -- numerics
        value,
        rate_per_second,
        interval_seconds,

        -- dates
        time_utc
    from source

)

select * from renamed
