with
    record as (select * from {{ days(ref("int_mq__record"), around=1) }} where record_type = 115 and usable),

    task as (select * from {{ days(ref("int_mq__channel_initiator_task"), around=1) }}),

    joined as (

        select
            task.* exclude (section_no),
            {{
                record_columns("record") | replace("record.source_id,", "") | replace(
                    "record.record_no,", ""
                )
            }},
            {{ interval_columns("record") }},
            -- With many tasks, one interval has several records: number the tasks across all of them.
            cast(
                row_number() over (
                    partition by
                        record.origin,
                        record.system_id,
                        record.queue_manager,
                        record.interval_start_utc,
                        task.task_type
                    order by record.recorded_at_utc, record.record_no, task.section_no
                ) as integer
            ) as task_index
        from record
        inner join task using (source_id, record_no)

    )

select
    {{ record_columns("joined") }},
    {{ interval_columns("joined") }},
    task_type,
    task_index,
    task_number,
    channels,
    requests,
    {{ per_second("requests", "interval_seconds") }} as requests_per_second,
    cpu_seconds,
    elapsed_seconds,
    wait_seconds,
    {{ percent("elapsed_seconds", "interval_seconds") }} as busy_percent,
    {{ percent("cpu_seconds", "interval_seconds") }} as cpu_percent,
    {{ average_us("cpu_seconds", "requests") }} as cpu_us_per_request,
    {{ average_us("elapsed_seconds", "requests") }} as elapsed_us_per_request,
    1e6 * longest_request_seconds as longest_request_us,
    longest_request_at_utc
from joined
