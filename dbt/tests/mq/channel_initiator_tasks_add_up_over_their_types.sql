{% set measures = ["requests", "cpu_seconds", "elapsed_seconds", "wait_seconds"] %}

with by_task as (

    select
        origin,
        system_id,
        queue_manager,
        interval_start_utc,
        task_type,
        count(*) as tasks,
        {% for measure in measures %}
        sum({{ measure }}) as {{ measure }},
        {% endfor %}
        avg(coalesce(busy_percent, 0)) as busy_percent
    from {{ ref('fct_channel_initiator_task_interval') }}
    group by all

)

select *
from by_task
full join {{ ref('fct_channel_initiator_task_type_interval') }} as total
    using (origin, system_id, queue_manager, interval_start_utc, task_type)
where
    by_task.tasks is distinct from total.tasks
    {% for measure in measures %}
    or {{ differs("by_task." ~ measure, "total." ~ measure) }}
    {% endfor %}
    -- if every task of the type was measured, the total is the mean of its tasks
    or abs(by_task.busy_percent - total.busy_percent) > 1e-6
