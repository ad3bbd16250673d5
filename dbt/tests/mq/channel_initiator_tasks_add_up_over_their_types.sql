{% set measures = ["tasks", "requests", "cpu_seconds", "elapsed_seconds", "wait_seconds"] %}

with
    by_task as (

        select
            origin,
            system_id,
            queue_manager,
            interval_start_utc,
            task_type,
            {{ sums(measures) }},
            {{ percent("sum(elapsed_seconds)", "sum(interval_seconds)") }} as busy_percent,
            count(busy_percent) = count(*) as busy_percent_known,
            sum(abs(busy_percent)) as busy_percent_size
        from (select *, 1 as tasks from {{ ref("fct_channel_initiator_task_interval") }})
        group by all

    )

select *
from by_task
full join
    {{ ref("fct_channel_initiator_task_type_interval") }} as total using (
        origin, system_id, queue_manager, interval_start_utc, task_type
    )
where
    {{ sums_differ("by_task", "total", measures) }}
    -- if every task of the type was measured, the total is that of its tasks
    or by_task.busy_percent_known
    and {{ differs("by_task.busy_percent", "total.busy_percent", "by_task.busy_percent_size") }}
