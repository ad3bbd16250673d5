with
    record as (

        select source_id, record_no, interval_seconds
        from {{ days(ref("int_mq__record")) }}
        where record_type = 115

    ),

    db2_manager as (select * from {{ source("staging", "mq__db2_manager") }} where section_no = 1),

    request_total as (

        select
            source_id,
            record_no,
            cast(sum(requests) as bigint) as requests,
            sum(task_seconds) as task_seconds,
            sum(server_seconds) as server_seconds,
            max(task_max_seconds) filter (where requests > 0) as task_max_seconds
        from {{ days(ref("int_mq__db2_request")) }}
        group by source_id, record_no

    )

select
    record.source_id,
    record.record_no,
    request_total.requests as db2_requests,
    {{ per_second("request_total.requests", "record.interval_seconds") }} as db2_requests_per_second,
    {{ average_us("request_total.task_seconds", "request_total.requests") }} as db2_average_task_us,
    {{ average_us("request_total.server_seconds", "request_total.requests") }} as db2_average_server_us,
    1e6 * request_total.task_max_seconds as db2_max_task_us,
    db2_manager.db2_server_tasks,
    db2_manager.db2_active_tasks,
    db2_manager.db2_max_queue_depth,
    db2_manager.db2_deadlocks,
    db2_manager.db2_task_abends
from record
inner join db2_manager using (source_id, record_no)
left join request_total using (source_id, record_no)
