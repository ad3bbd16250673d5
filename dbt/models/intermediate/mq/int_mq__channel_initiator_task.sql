{{ config(materialized="view" if builds_all_days() else "ephemeral") }}

with
    task as (

        {% for task_type in ["dispatcher", "adapter", "ssl", "dns"] %}
            select '{{ task_type }}' as task_type, *
            from
                {{ source("staging", "mq__" ~ task_type ~ "_task") }}
                {{ "union all by name" if not loop.last }}
        {% endfor %}

    )

select
    source_id,
    record_no,
    section_no,
    task_type,
    task_number,
    requests,
    channels,
    -- The DNS task's block is not initialised while the task is idle.
    {% for column in [
        "cpu_seconds",
        "elapsed_seconds",
        "wait_seconds",
        "longest_request_seconds",
        "longest_request_at_utc",
    ] %}
        case
            when task_type <> 'dns' or requests > 0 then {{ column }}
        end as {{ column }}{{ "," if not loop.last }}
    {% endfor %}
from task
