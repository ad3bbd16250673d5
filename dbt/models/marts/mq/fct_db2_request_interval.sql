with
    record as (select * from {{ days(ref("int_mq__record")) }} where record_type = 115 and usable),

    request as (select * from {{ days(ref("int_mq__db2_request")) }})

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    request.request_type,
    request.requests,
    {{ per_second("request.requests", "record.interval_seconds") }} as requests_per_second,
    {{ average_us("request.task_seconds", "request.requests") }} as average_task_us,
    {{ average_us("request.server_seconds", "request.requests") }} as average_server_us,
    case when request.requests > 0 then 1e6 * request.task_max_seconds end as max_task_us
from record
inner join request using (source_id, record_no)
