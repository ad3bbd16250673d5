{% set measures = ["records", "messages", "mqi_calls", "cpu_seconds", "elapsed_seconds", "wait_seconds"] %}

with
    task as (

        select origin, system_id, queue_manager, {{ sums(measures) }}
        from (select *, 1 as records from {{ ref("fct_task_accounting") }})
        group by all

    ),

    application as (

        select
            origin,
            system_id,
            queue_manager,
            {% for measure in measures %}
                sum({{ measure }}) as {{ measure }}{{ "," if not loop.last }}
            {% endfor %}
        from {{ ref("fct_application_cost") }}
        group by all

    )

select *
from task
full join application using (origin, system_id, queue_manager)
where {{ sums_differ("task", "application", measures) }}
