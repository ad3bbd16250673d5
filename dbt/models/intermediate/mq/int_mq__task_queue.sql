{% set verbs = ["open", "close", "get", "put", "put1", "inq", "set", "cb"] %}
{% set totals = {
    "cpu_seconds": ["topic_srb_seconds"],
    "elapsed_seconds": [],
    "wait_log_seconds": [],
    "wait_page_set_seconds": [
        "get_page_set_seconds",
        "put_page_set_seconds",
        "put1_page_set_seconds",
    ],
    "wait_cf_seconds": ["cf_seconds"],
    "suspend_seconds": [],
} %}
{% for verb in verbs %}
    {% do totals["cpu_seconds"].append(verb ~ "_cpu_seconds") %}
    {% do totals["elapsed_seconds"].append(verb ~ "_elapsed_seconds") %}
{% endfor %}
{# A forced write is also a log write, so the longer of the two times is the log wait. #}
{% for verb in ["get", "put", "put1", "set"] %}
    {% do totals["wait_log_seconds"].append(
        "greatest(" ~ verb ~ "_log_write_seconds, " ~ verb ~ "_log_force_seconds)"
    ) %}
{% endfor %}
{% for verb in ["open", "close", "get", "put", "put1"] %}
    {% do totals["suspend_seconds"].append(verb ~ "_suspend_seconds") %}
{% endfor %}
{% set counts = [] %}
{% for verb in verbs %} {% do counts.append(verb ~ "_count") %} {% endfor %}

with
    record as (

        select source_id, record_no, origin, system_id, queue_manager, record_subtype, recorded_at_utc
        from {{ days(ref("int_mq__record"), around=1) }}
        where record_type = 116 and record_subtype in (1, 2)

    ),

    queue_block as (

        select record.*, block.* exclude (source_id, record_no)
        from record
        inner join {{ ref("stg_mq__task_queue") }} as block using (source_id, record_no)

    ),

    task as (

        select record.*, block.thread_id
        from record
        inner join {{ ref("stg_mq__task") }} as block using (source_id, record_no)
        where record.record_subtype = 1 and block.section_no = 1

    ),

    -- Queue blocks that do not fit into the task's record follow at once in subtype 2 records. An earlier
    -- record of the same thread belongs to another interval.
    continued as (

        select
            queue_block.*,
            epoch(queue_block.recorded_at_utc - task.recorded_at_utc) <= 2 as together,
            case when together then task.source_id end as task_source_id,
            case when together then task.record_no end as task_record_no
        from (select * from queue_block where record_subtype = 2) as queue_block
        asof left join
            task
            on queue_block.origin = task.origin
            and queue_block.system_id = task.system_id
            and queue_block.queue_manager = task.queue_manager
            and queue_block.thread_id = task.thread_id
            and queue_block.recorded_at_utc >= task.recorded_at_utc

    ),

    linked as (

        select *, source_id as task_source_id, record_no as task_record_no
        from queue_block
        where record_subtype = 1
        union all by name
        select *
        from continued

    )

select
    * exclude (origin, system_id, queue_manager, record_subtype, recorded_at_utc, together),

    -- totals over all calls
    {% for name, terms in totals.items() %}
        case when time_issue is null then {{ total(terms) }} end as {{ name }},
    {% endfor %}
    {{ total(counts) }} as mqi_calls
from linked
