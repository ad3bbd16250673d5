with source as (

    select * from {{ source('bench', 'bench_run_scope') }}

),

renamed as (

    select
        source_id,
        record_no,
        run_id,
        kind as object_kind,
        name as object_name
    from source

)

select * from renamed
