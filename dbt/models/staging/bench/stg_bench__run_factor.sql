with source as (

    select * from {{ source('bench', 'bench_run_factor') }}

),

renamed as (

    select
        source_id,
        record_no,
        run_id,
        factor,
        value as level,
        number as level_number
    from source

)

select * from renamed
