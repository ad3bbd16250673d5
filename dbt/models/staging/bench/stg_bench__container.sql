with source as (

    select * from {{ source('bench', 'bench_docker_stats') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        name as container_name,

        -- numerics
        sample,
        cpu_pct as cpu_percent,
        memory_bytes
    from source

)

select * from renamed
