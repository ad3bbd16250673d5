with source as (

    select * from {{ source('bench', 'bench_docker_object') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        kind as object_kind,

        -- numerics
        size_bytes
    from source

)

select * from renamed
