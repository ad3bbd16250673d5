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
    {{
        total(
            [
                "open_cpu_seconds",
                "close_cpu_seconds",
                "get_cpu_seconds",
                "put_cpu_seconds",
                "put1_cpu_seconds",
                "inq_cpu_seconds",
                "set_cpu_seconds",
                "cb_cpu_seconds",
                "topic_srb_seconds",
            ]
        )
    }} as cpu_seconds,
    {{
        total(
            [
                "open_elapsed_seconds",
                "close_elapsed_seconds",
                "get_elapsed_seconds",
                "put_elapsed_seconds",
                "put1_elapsed_seconds",
                "inq_elapsed_seconds",
                "set_elapsed_seconds",
                "cb_elapsed_seconds",
            ]
        )
    }} as elapsed_seconds,
    {{
        total(
            [
                "open_count",
                "close_count",
                "get_count",
                "put_count",
                "put1_count",
                "inq_count",
                "set_count",
                "cb_count",
            ]
        )
    }} as mqi_calls,

    -- A forced write is also a log write, so the longer of the two times is the log wait.
    {{
        total(
            [
                "greatest(get_log_write_seconds, get_log_force_seconds)",
                "greatest(put_log_write_seconds, put_log_force_seconds)",
                "greatest(put1_log_write_seconds, put1_log_force_seconds)",
                "greatest(set_log_write_seconds, set_log_force_seconds)",
            ]
        )
    }} as wait_log_seconds,
    {{ total(["get_page_set_seconds", "put_page_set_seconds", "put1_page_set_seconds"]) }}
    as wait_page_set_seconds,
    cf_seconds as wait_cf_seconds,
    {{
        total(
            [
                "open_suspend_seconds",
                "close_suspend_seconds",
                "get_suspend_seconds",
                "put_suspend_seconds",
                "put1_suspend_seconds",
            ]
        )
    }} as suspend_seconds
from linked
