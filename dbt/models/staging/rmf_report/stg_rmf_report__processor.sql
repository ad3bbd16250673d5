with source as (

    select * from {{ source('rmf_report', 'rmf_cpu') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        system_id,
        cpu_num as core_id,
        {{ processor_type("cpu_type") }} as processor_type,

        -- numerics
        lpar_busy_pct as lpar_busy_percent,
        mvs_busy_pct as mvs_busy_percent,
        io_interrupt_rate as io_interrupts_per_second,
        interval_seconds,

        -- booleans
        is_total,

        -- dates
        interval_start_local
    from source

)

select * from renamed
