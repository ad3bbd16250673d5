with source as (

    select * from {{ source('bench', 'bench_csm_limit') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        system_id,
        name as limit_name,
        since as since_event,

        -- numerics
        bytes
    from source

)

select * from renamed
