with
    record as (select * from {{ days(ref("int_mq__record")) }} where record_type = 115 and usable),

    log_write as (select * from {{ days(ref("int_mq__log_write")) }})

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    log_write.log_copy,
    log_write.write_type,
    log_write.writes,
    log_write.control_intervals,
    {{ page_bytes("log_write.control_intervals") }} as bytes_written,
    {{ per_second("log_write.writes", "record.interval_seconds") }} as writes_per_second,
    {{ mb_per_second(page_bytes("log_write.control_intervals"), "record.interval_seconds") }}
    as mb_per_second,
    {{ ratio("log_write.control_intervals", "log_write.writes") }} as average_control_intervals,
    {{ average_us("log_write.write_seconds", "log_write.writes") }} as average_write_us,
    {{ average_us("log_write.suspend_seconds", "log_write.writes") }} as average_suspend_us,
    case when log_write.writes > 0 then 1e6 * log_write.max_write_seconds end as max_write_us,
    case when log_write.writes > 0 then 1e6 * log_write.max_suspend_seconds end as max_suspend_us
from record
inner join log_write using (source_id, record_no)
