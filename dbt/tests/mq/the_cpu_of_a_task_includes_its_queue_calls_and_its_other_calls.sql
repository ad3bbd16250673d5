{% set verbs = ["commit", "backout", "prepare", "sub", "subrq", "ctl", "stat", "other"] %}

with
    by_queue as (

        select
            task_source_id as source_id,
            task_record_no as record_no,
            {{ sums(["cpu_seconds", "elapsed_seconds", "messages"]) }}
        from {{ ref("fct_queue_accounting") }}
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
            coalesce(by_queue.cpu_seconds_known, true) as is_cpu_known,
            {% for measure in ["cpu_seconds", "elapsed_seconds"] %}
                coalesce(by_queue.{{ measure }}, 0)
                {%- for verb in verbs %}
                    + coalesce(task.{{ verb }}_{{ measure }}, 0)
                {%- endfor %} as part_{{ measure }},
                coalesce(by_queue.{{ measure }}_size, 0)
                {%- for verb in verbs %}
                    + abs(coalesce(task.{{ verb }}_{{ measure }}, 0))
                {%- endfor %} as {{ measure }}_size,
            {% endfor %}
            coalesce(task.ctl_srb_seconds, 0) as srb_seconds
        from {{ ref("fct_task_accounting") }} as task
        left join by_queue using (source_id, record_no)

    )

select *
from parts
where
    is_cpu_known
    and cpu_seconds is not null
    and {{ differs("part_cpu_seconds + srb_seconds", "cpu_seconds", "cpu_seconds_size") }}
    or elapsed_seconds is not null
    and {{ differs("part_elapsed_seconds", "elapsed_seconds", "elapsed_seconds_size") }}
    or messages <> queue_messages
