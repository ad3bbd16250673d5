with source as (

    select * from {{ source('bench', 'bench_run_label') }}

),

renamed as (

    select
        source_id,
        record_no,
        run_id,
        label,
        value as label_value
    from source

)

select * from renamed
