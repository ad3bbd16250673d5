with source as (

    select * from {{ source('bench', 'bench_run') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,
        run_id,

        -- text
        campaign,
        time_zone,

        -- numerics
        repetition,
        utc_offset_minutes,

        -- dates
        start_utc,
        stop_utc,
        steady_start_utc,
        steady_stop_utc,
        start_local
    from source

)

select * from renamed
