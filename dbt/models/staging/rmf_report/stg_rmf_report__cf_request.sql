with source as (

    select * from {{ source('rmf_report', 'rmf_cf_request') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        sysplex,
        cf_name as coupling_facility,
        structure_name,
        system_name,
        case request
            when 'SYNC' then 'synchronous'
            when 'ASYNC' then 'asynchronous'
            when 'CHNGD' then 'changed'
            else request
        end as request_kind,

        -- numerics
        requests,
        service_time_avg_us as average_service_us,
        interval_seconds,

        -- dates
        interval_start_local
    from source

)

select * from renamed
