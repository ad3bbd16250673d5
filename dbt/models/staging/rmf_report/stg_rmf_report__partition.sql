with source as (

    select * from {{ source('rmf_report', 'rmf_partition') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        system_id,
        name as partition_name,
        {{ processor_type("processor_type") }} as processor_type,

        -- numerics
        effective_dispatch_seconds as effective_seconds,
        total_dispatch_seconds as dispatch_seconds,
        logical_total_pct as lpar_busy_percent,
        physical_total_pct as machine_busy_percent,
        interval_seconds,

        -- booleans
        is_total,

        -- dates
        interval_start_local
    from source

)

select * from renamed
