with
    channel as (

        select *, nullif(greatest(epoch(interval_end_utc - interval_start_utc), 0), 0) as interval_seconds
        from {{ days(ref("int_mq__channel")) }}

    )

select
    {{ record_columns("channel") }},
    section_no,

    -- channel
    channel_name,
    {{ label_of("channel_type_code", "smf116_qcst", "qcstchty") }} as channel_type,
    {{ label_of("channel_status_code", "smf116_qcst", "qcstchst") }} as channel_status,
    {{ label_of("disposition_code", "smf116_qcst", "qcstchdp") }} as channel_disposition,
    connection_name,
    remote_queue_manager_or_application,
    cipher_spec_code,
    dispatcher_number,

    -- time
    collected_at_utc,
    channel_started_at_utc,
    channel_stopped_at_utc,
    last_message_at_utc,
    interval_start_utc,
    interval_end_utc,
    interval_seconds,

    -- messages
    messages,
    persistent_messages,
    {{ per_second("messages", "interval_seconds") }} as messages_per_second,
    bytes,
    persistent_bytes,
    {{ ratio("bytes", "messages") }} as average_message_bytes,

    -- batches
    batches,
    full_batches,
    batch_size,
    {{ ratio("messages", "batches") }} as achieved_batch_size,
    {{ percent("full_batches", "batches") }} as full_batch_percent,
    batch_interval_ms,
    batch_data_limit_kb,

    -- network
    bytes_sent,
    bytes_received,
    {{ per_second("(bytes_sent + bytes_received)", "interval_seconds") }} as bytes_per_second,
    buffers_sent,
    buffers_received,
    compression_percent,
    nettime_average_us,
    nettime_min_us,
    nettime_max_us,
    nettime_max_at_utc,
    dns_resolution_us,

    -- exits, retries and waits
    exit_average_us,
    exit_min_us,
    exit_max_us,
    put_retries,
    transmission_queue_empty,
    shared_conversations
from channel
