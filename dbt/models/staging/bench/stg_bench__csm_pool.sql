with source as (

    select * from {{ source('bench', 'bench_csm_pool') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        system_id,
        buffer_size,
        source as storage,

        -- numerics
        in_use_bytes,
        total_bytes
    from source

)

select * from renamed
