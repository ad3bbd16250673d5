with source as (

    select * from {{ source('rmf_report', 'rmf_cf') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        sysplex,
        cf_name as coupling_facility,

        -- numerics
        average_cf_utilization_pct as busy_percent,
        interval_seconds,

        -- dates
        interval_start_local
    from source

)

select * from renamed
