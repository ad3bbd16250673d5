with
    task as (select * from {{ days(ref("fct_channel_initiator_task_interval"), around=1) }}),

    totalled as (

        select
            origin,
            system_id,
            queue_manager,
            interval_start_utc,
            task_type,
            max(mq_level) as mq_level,
            max(interval_end_utc) as interval_end_utc,
            max(interval_seconds) as interval_seconds,
            -- Two records can give the interval different lengths.
            sum(interval_seconds) as task_seconds,
            max(utc_offset_minutes) as utc_offset_minutes,
            min(struct_pack(source_id := source_id, record_no := record_no)) as first_record,
            list_sort(
                list(distinct struct_pack(source_id := source_id, record_no := record_no))
            ) as source_records,
            count(*) as tasks,
            count(*) filter (where requests > 0) as tasks_used,
            cast(sum(channels) as bigint) as channels,
            cast(sum(requests) as bigint) as requests,
            sum(cpu_seconds) as cpu_seconds,
            sum(elapsed_seconds) as elapsed_seconds,
            sum(wait_seconds) as wait_seconds,
            max(busy_percent) as max_task_busy_percent
        from task
        group by origin, system_id, queue_manager, interval_start_utc, task_type

    )

select
    origin,
    first_record.source_id as source_id,
    first_record.record_no as record_no,
    list_sort(source_records) as source_records,
    system_id,
    queue_manager,
    mq_level,
    {{ interval_columns("totalled") }},
    task_type,
    tasks,
    tasks_used,
    channels,
    requests,
    {{ per_second("requests", "interval_seconds") }} as requests_per_second,
    cpu_seconds,
    elapsed_seconds,
    wait_seconds,
    {{ percent("elapsed_seconds", "task_seconds") }} as busy_percent,
    max_task_busy_percent,
    {{ percent("cpu_seconds", "interval_seconds") }} as cpu_percent,
    {{ average_us("cpu_seconds", "requests") }} as cpu_us_per_request,
    {{ average_us("elapsed_seconds", "requests") }} as elapsed_us_per_request
from totalled
