with source as (

    select * from {{ source('bench', 'bench_du') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        path,

        -- numerics
        bytes
    from source

)

select * from renamed
