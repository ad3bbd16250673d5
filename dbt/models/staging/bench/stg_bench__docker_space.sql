with source as (

    select * from {{ source('bench', 'bench_docker_df') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        type as object_type,

        -- numerics
        size_bytes,
        reclaimable_bytes
    from source

)

select * from renamed
