with by_queue as (

    select
        task_source_id as source_id,
        task_record_no as record_no,
        sum(cpu_seconds) as cpu_seconds,
        sum(elapsed_seconds) as elapsed_seconds,
        sum(messages) as messages
    from {{ ref('fct_queue_accounting') }}
    group by all

),

parts as (

    select
        task.source_id,
        task.record_no,
        task.cpu_seconds,
        task.elapsed_seconds,
        task.messages,
        coalesce(by_queue.messages, 0) as queue_messages,
        {% for measure in ["cpu_seconds", "elapsed_seconds"] %}
        coalesce(by_queue.{{ measure }}, 0)
        {%- for verb in ["commit", "backout", "prepare", "sub", "subrq", "ctl", "stat", "other"] %}
        + coalesce(task.{{ verb }}_{{ measure }}, 0)
        {%- endfor %} as part_{{ measure }},
        {% endfor %}
        coalesce(task.ctl_srb_seconds, 0) as srb_seconds
    from {{ ref('fct_task_accounting') }} as task
    left join by_queue using (source_id, record_no)

)

select *
from parts
where
    abs(part_cpu_seconds + srb_seconds - cpu_seconds) > 1e-6
    or abs(part_elapsed_seconds - elapsed_seconds) > 1e-6
    or messages <> queue_messages
