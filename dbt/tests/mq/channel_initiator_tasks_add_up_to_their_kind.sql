with by_task as (

    select
        origin,
        system_id,
        queue_manager,
        interval_start_utc,
        task_type,
        count(*) as tasks,
        sum(requests) as requests,
        sum(cpu_seconds) as cpu_seconds,
        avg(coalesce(busy_percent, 0)) as busy_percent
    from {{ ref('fct_channel_initiator_task_interval') }}
    group by all

)

select
    by_task.*,
    total.tasks as total_tasks,
    total.requests as total_requests,
    total.cpu_seconds as total_cpu_seconds
from by_task
full join {{ ref('fct_channel_initiator_task_type_interval') }} as total
    using (origin, system_id, queue_manager, interval_start_utc, task_type)
where
    by_task.tasks is distinct from total.tasks
    or by_task.requests is distinct from total.requests
    or abs(by_task.cpu_seconds - total.cpu_seconds) > 1e-6
    -- where every task of the kind was measured, the roll-up is the mean of its tasks
    or abs(by_task.busy_percent - total.busy_percent) > 1e-6
