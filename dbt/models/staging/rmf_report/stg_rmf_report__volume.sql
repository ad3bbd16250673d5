with source as (

    select * from {{ source('rmf_report', 'rmf_dasd') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        system_id,
        dev_num as device_number,
        volume_serial as volume,

        -- numerics
        device_activity_rate as requests_per_second,
        1000 * avg_resp_time_ms as average_response_us,
        1000 * avg_iosq_time_ms as average_ios_queue_us,
        1000 * avg_pend_time_ms as average_pending_us,
        1000 * avg_disc_time_ms as average_disconnect_us,
        1000 * avg_conn_time_ms as average_connect_us,
        interval_seconds,

        -- dates
        interval_start_local
    from source

)

select * from renamed
