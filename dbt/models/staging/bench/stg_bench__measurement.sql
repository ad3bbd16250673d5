with source as (

    select * from {{ source('bench', 'bench_measurement') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,
        run_id,

        -- text
        metric,
        unit,
        nullif(address_space, 'total') as address_space,

        -- numerics
        value,

        -- booleans
        more_is_better,

        -- dates
        time_utc
    from source

)

select * from renamed
