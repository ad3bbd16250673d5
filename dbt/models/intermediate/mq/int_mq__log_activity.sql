with
    record as (

        select source_id, record_no, interval_seconds
        from {{ days(ref("int_mq__record")) }}
        where record_type = 115

    ),

    log_manager as (select * from {{ source("staging", "mq__log_manager") }} where section_no = 1),

    write_total as (

        select
            source_id,
            record_no,
            sum(writes) as writes,
            -- Either copy may be inactive, or for a part of the interval.
            greatest(
                sum(control_intervals) filter (where log_copy = 1),
                sum(control_intervals) filter (where log_copy = 2)
            ) as one_copy_control_intervals,
            count(distinct log_copy) filter (where writes > 0) as log_copies,
            sum(write_seconds) as write_seconds,
            sum(suspend_seconds) as suspend_seconds,
            max(max_write_seconds) filter (where writes > 0) as max_write_seconds
        from {{ days(ref("int_mq__log_write")) }}
        group by source_id, record_no

    )

select
    record.source_id,
    record.record_no,

    -- requests
    log_manager.log_waited_requests,
    log_manager.log_unwaited_requests,
    log_manager.log_forced_requests,
    log_manager.log_buffer_waits,
    log_manager.log_buffer_pageins,
    log_manager.log_threshold_writes,
    log_manager.log_suspends,
    log_manager.log_checkpoints,

    -- writes
    log_manager.log_write_ios,
    log_manager.log_control_intervals_written,
    cast({{ page_bytes("write_total.one_copy_control_intervals") }} as bigint) as log_bytes_written,
    {{ mb_per_second(page_bytes("write_total.one_copy_control_intervals"), "record.interval_seconds") }}
    as log_mb_per_second,
    write_total.log_copies,
    {{ mb_per_second(page_bytes("log_manager.log_control_intervals_written"), "record.interval_seconds") }}
    as log_physical_mb_per_second,
    {{ average_us("write_total.write_seconds", "write_total.writes") }} as log_average_write_us,
    {{ average_us("write_total.suspend_seconds", "write_total.writes") }} as log_average_suspend_us,
    1e6 * write_total.max_write_seconds as log_max_write_us,
    -- Without a write the log writer sleeps: an idle time of 0 then means that it was not recorded.
    case
        when log_manager.log_writer_idle_seconds > 0 or log_manager.log_write_ios > 0
        then
            {{
                percent(
                    "greatest(record.interval_seconds - log_manager.log_writer_idle_seconds, 0)",
                    "record.interval_seconds",
                )
            }}
    end as log_writer_busy_percent,

    -- reads
    log_manager.log_reads_from_buffer,
    log_manager.log_reads_from_active_log,
    log_manager.log_reads_from_archive_log,

    -- compression
    log_manager.log_compression_requests,
    {{
        percent(
            "(log_manager.log_uncompressed_bytes - log_manager.log_compressed_bytes)",
            "log_manager.log_uncompressed_bytes",
        )
    }} as log_compression_percent
from record
inner join log_manager using (source_id, record_no)
left join write_total using (source_id, record_no)
