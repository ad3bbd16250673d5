with source as (

    select * from {{ source('mq', 'smf115_qjst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qjstwrw as log_waited_requests,
        qjstwrnw as log_unwaited_requests,
        qjstwrf as log_forced_requests,
        qjstwtb as log_buffer_waits,
        qjstrbuf as log_reads_from_buffer,
        qjstract as log_reads_from_active_log,
        qjstrarh as log_reads_from_archive_log,
        qjsttvc as log_reads_delayed,
        qjstbffl as log_buffer_writes,
        qjstbfwr as log_buffer_write_calls,
        qjstalr as log_archive_allocations_for_read,
        qjstalw as log_archive_allocations_for_write,
        qjstciof as log_offloaded_control_intervals,
        qjstllcp as log_checkpoints,
        qjstlsus as log_suspends,
        qjstlogw as log_write_ios,
        qjstciwr as log_control_intervals_written,
        qjstserw as log_serial_writes,
        qjstthrw as log_threshold_writes,
        qjstbpag as log_buffer_pageins,
        qjstcmpreq as log_compression_requests,
        qjstcmpfail as log_compression_failures,
        {{ unsigned('qjstcmpuncmp') }} as log_uncompressed_bytes,
        {{ unsigned('qjstcmpcomp') }} as log_compressed_bytes,
        qjstiocount as log_write_counts,
        qjstioci as log_write_control_intervals,
        qjstiototio as log_write_times,
        qjstiototsus as log_write_suspend_times,
        qjstiomaxio as log_write_max_times,
        qjstiomaxsus as log_write_max_suspend_times,
        {{ seconds('qjstslptu') }} as log_writer_idle_seconds
    from source

)

select * from renamed
