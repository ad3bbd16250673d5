with source as (

    select * from {{ source('bench', 'bench_top') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- numerics
        iteration as display,
        load_average_1min as load_average,
        100 - cpu_id_pct as busy_percent
    from source

)

select * from renamed
