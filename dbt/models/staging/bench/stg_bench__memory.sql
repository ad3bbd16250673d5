with source as (

    select * from {{ source('bench', 'bench_free') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        kind,
        measure,

        -- numerics
        bytes
    from source

)

select * from renamed
