with source as (

    select * from {{ source('bench', 'bench_harness') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        harness,
        kind as rate_kind,
        process_id,

        -- numerics
        rate_per_second,
        iterations,
        seconds,
        threads,
        processes
    from source

)

select * from renamed
