with source as (

    select * from {{ source('mq', 'smf116_qcst') }}

),

renamed as (

    select
        source_id,
        record_no,
        section_no,
        qcstcltm as collected_at_utc,
        qcstchnm as channel_name,
        qcstchdp as disposition_code,
        qcstchty as channel_type_code,
        qcstchst as channel_status_code,
        qcstcnnm as connection_name,
        qcststrt as channel_started_at_utc,
        qcstludt as channel_stopped_at_utc,
        qcstlmst as last_message_at_utc,
        qcstcbsz as batch_size,
        qcstnmsg as messages,
        qcstnpmg as persistent_messages,
        qcstbatc as batches,
        qcstfuba as full_batches,
        qcstbfst as buffers_sent,
        qcstbfrc as buffers_received,
        qcstcscv as shared_conversations,
        {{ unsigned('qcstnbyt') }} as bytes,
        {{ unsigned('qcstnpby') }} as persistent_bytes,
        {{ unsigned('qcstbyst') }} as bytes_sent,
        {{ unsigned('qcstbyrc') }} as bytes_received,
        qcstcpra as compression_percent,
        {{ microseconds('qcstetav') }} as exit_average_us,
        {{ microseconds('qcstetmn') }} as exit_min_us,
        {{ microseconds('qcstetmx') }} as exit_max_us,
        {{ microseconds('qcstdnrt') }} as dns_resolution_us,
        {{ microseconds('qcstntav') }} as nettime_average_us,
        {{ microseconds('qcstntmn') }} as nettime_min_us,
        {{ microseconds('qcstntmx') }} as nettime_max_us,
        qcstntdt as nettime_max_at_utc,
        qcstrqmn as remote_queue_manager_or_application,
        qcstslcs as cipher_spec_code,
        qcstptrc as put_retries,
        qcstqetc as transmission_queue_empty,
        qcstcbit as batch_interval_ms,
        qcstcbdl as batch_data_limit_kb,
        qcstdspn as dispatcher_number
    from source

)

select * from renamed
