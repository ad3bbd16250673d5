-- Impossible CPU times of MQ tasks, and statistics that contradict each other or themselves.
with
    record as (select * from {{ days(ref("int_mq__record"), around=1) }}),

    task as (

        select
            record.*,
            processor.started_at_utc,
            processor.ended_at_utc,
            epoch(processor.ended_at_utc - processor.started_at_utc) as elapsed_seconds,
            processor.task_cpu_seconds,
            work.cpu_seconds,
            correlation.connection_name
        from record
        inner join {{ source("staging", "mq__task_message_manager") }} as work using (source_id, record_no)
        left join
            {{ source("staging", "mq__task_cpu") }} as processor
            on record.source_id = processor.source_id
            and record.record_no = processor.record_no
            and processor.section_no = 1
        left join
            {{ source("staging", "mq__correlation") }} as correlation
            on record.source_id = correlation.source_id
            and record.record_no = correlation.record_no
            and correlation.section_no = 1
        where record.record_type = 116 and record.record_subtype = 0

    ),

    impossible as (select *, {{ impossible_cpu("task_cpu_seconds", "cpu_seconds") }} as impossible from task)

    {{ findings() }}

    {% call finding("impossible_task_cpu") %}
select
    origin,
    source_id,
    record_no,
    system_id,
    started_at_utc as start_utc,
    ended_at_utc as end_utc,
    concat_ws(' ', queue_manager, connection_name) as subject,
    concat_ws(
        ' in ', 'type 116 of a task: ' || impossible, format('{:.6g} s', elapsed_seconds)
    ) as found
from impossible
where impossible <> ''
union all
select
    record.origin,
    record.source_id,
    record.record_no,
    record.system_id,
    record.recorded_at_utc as start_utc,
    record.recorded_at_utc as end_utc,
    concat_ws(' ', record.queue_manager, timed.queue_name) as subject,
    'type 116 of a task: times below zero: ' || timed.time_issue as found
from record
inner join (
    select source_id, record_no, null as queue_name, time_issue
    from {{ ref('stg_mq__task') }}
    union all
    select source_id, record_no, queue_name, time_issue
    from {{ ref('stg_mq__task_queue') }}
) as timed using (source_id, record_no)
where timed.time_issue is not null
    {% endcall %}

    {% call finding("interval_ends_before_start") %}
select
    record.origin,
    record.source_id,
    record.record_no,
    record.system_id,
    {{ in_utc("task.earliest_utc", "record") }} as start_utc,
    greatest({{ in_utc("task.latest_utc", "record") }}, record.recorded_at_utc) as end_utc,
    record.queue_manager as subject,
    format(
        'type 116 of a task: the interval ends at {} and starts at {}', task.earliest_utc,
        task.latest_utc
    ) as found
from record
inner join {{ ref('stg_mq__task') }} as task using (source_id, record_no)
where task.section_no = 1 and task.interval_start_utc is null and task.earliest_utc < task.latest_utc
    {% endcall %}

    -- A task's record says how many queues it used. Those that do not fit go into subtype 2 records.
    {% call finding("task_queues_missing") %}
select
    record.origin,
    record.source_id,
    record.record_no,
    record.system_id,
    task.interval_start_utc as start_utc,
    task.interval_end_utc as end_utc,
    concat_ws(' ', record.queue_manager, identification.connection_name) as subject,
    format(
        'type 116 of a task: it used {} queues, and the records of {} are there', task.queues,
        coalesce(total.queues, 0)
    ) as found
from record
inner join {{ ref('stg_mq__task') }} as task using (source_id, record_no)
left join {{ days(ref('int_mq__task_queue_total'), around=1) }} as total
    using (source_id, record_no)
left join {{ source('staging', 'mq__task_identification') }} as identification
    on
        record.source_id = identification.source_id
        and record.record_no = identification.record_no
        and identification.section_no = 1
where
    record.record_type = 116
    and record.record_subtype = 1
    and task.section_no = 1
    and task.queues <> coalesce(total.queues, 0)
    {% endcall %}

    {% call finding("queues_without_task") %}
select
    record.origin,
    record.source_id,
    record.record_no,
    record.system_id,
    record.recorded_at_utc as start_utc,
    record.recorded_at_utc as end_utc,
    record.queue_manager as subject,
    format(
        'record 116-2 has {} queues of a task whose own record, written with it, is not there',
        count(*)
    ) as found
from record
inner join {{ days(ref('int_mq__task_queue'), around=1) }} as queue using (source_id, record_no)
where queue.task_source_id is null
group by all
    {% endcall %}

    -- Subtype 240 has no data, and subtype 5 may stand alone.
    {% call finding("statistics_without_interval") %}
select
    origin,
    source_id,
    min(record_no) as record_no,
    system_id,
    min(smf_time_utc) as start_utc,
    max(smf_time_utc) as end_utc,
    queue_manager as subject,
    format(
        '{} records ({}) tell no interval, and no record that does was written within 2 s',
        count(*),
        string_agg(distinct '115-' || record_subtype, ', ' order by '115-' || record_subtype)
    ) as found
from record
where record_type = 115 and record_subtype not in (5, 240) and interval_start_utc is null
group by origin, source_id, system_id, queue_manager, cast(smf_time_local as date)
    {% endcall %}

    {% call finding("shorter_statistics") %}
select
    {{ queue_manager_interval_of("record") }},
    format(
        'record 115-{} has figures of the same things as the longer record {} of load {}',
        record_subtype, used_record.record_no, left(used_record.source_id, 12)
    ) as found
from record
where used_record is not null
    {% endcall %}

    {% call finding("queue_manager_interval_lengths_differ") %}
select
    origin,
    {{ first_record(["record_subtype"]) }},
    system_id,
    interval_start_utc as start_utc,
    max(interval_end_utc) as end_utc,
    queue_manager as subject,
    'the records of one interval tell several lengths: ' || string_agg(
        distinct format('{:.6g} s in 115-{}', interval_seconds, record_subtype), ', '
        order by format('{:.6g} s in 115-{}', interval_seconds, record_subtype)
    ) as found
from record
where record_type = 115 and usable
group by origin, system_id, queue_manager, interval_start_utc
having max(interval_seconds) - min(interval_seconds) > 1
    {% endcall %}

    -- Intervals of a queue manager follow one another, unless two have its name.
    {% call finding("overlapping_queue_manager_intervals") %}
select
    {{ queue_manager_interval_of("later") }},
    format(
        'the interval of {:.6g} s begins {:.6g} s before the end of one that began at {} UTC',
        later.interval_seconds, epoch(later.earlier.interval_end_utc - later.interval_start_utc),
        later.earlier.interval_start_utc
    ) as found
from (
    select
        *,
        max(struct_pack(
            interval_end_utc := interval_end_utc, interval_start_utc := interval_start_utc
        )) over (
            partition by origin, system_id, queue_manager
            order by interval_start_utc
            rows between unbounded preceding and 1 preceding
        ) as earlier
    from (
        select
            origin,
            system_id,
            queue_manager,
            interval_start_utc,
            max(interval_end_utc) as interval_end_utc,
            max(interval_seconds) as interval_seconds,
            arg_min(source_id, (record_subtype, source_id, record_no)) as source_id,
            arg_min(record_no, (record_subtype, source_id, record_no)) as record_no
        from record
        where record_type = 115 and usable
        group by origin, system_id, queue_manager, interval_start_utc
    )
) as later
where
    later.earlier.interval_end_utc > later.interval_start_utc + interval 2 second
    -- The channel initiator's part of an interval starts microseconds after the rest.
    and later.earlier.interval_start_utc < later.interval_start_utc - interval 2 second
    {% endcall %}

    {% call finding("leap_seconds") %}
select
    origin,
    {{ first_record(["recorded_at_utc"]) }},
    system_id,
    min(recorded_at_utc) as start_utc,
    max(recorded_at_utc) as end_utc,
    format(
        'MQ: the clock is {:.0f} s ahead of local times, as it counts leap seconds (CVTLSO)',
        leap_seconds
    ) as found
from record
where leap_seconds is not null and recorded_at_utc is not null
group by origin, system_id, leap_seconds, cast(recorded_at_utc as date)
    {% endcall %}

    -- The log manager counts its writes twice: in total, and by copy and size.
    {% call finding("log_counts_differ") %}
select
    {{ queue_manager_interval_of("record") }},
    format(
        'the log manager counts {} writes of {} control intervals in all, and {} of {} by copy',
        log.log_write_ios, log.log_control_intervals_written, writes, control_intervals
    ) as found
from record
inner join (
    select
        *,
        list_sum(flatten(log_write_counts)) as writes,
        list_sum(flatten(log_write_control_intervals)) as control_intervals
    from {{ source('staging', 'mq__log_manager') }}
    where section_no = 1
) as log using (source_id, record_no)
where
    record.usable
    and (
        {{ counts_differ("log.log_write_ios", "writes") }}
        or {{ counts_differ("log.log_control_intervals_written", "control_intervals") }}
    )
    {% endcall %}

    {% call finding("local_hour_twice") %}
select
    origin,
    {{ first_record(["smf_time_local"]) }},
    system_id,
    min(list_min(possible_times_utc)) as start_utc,
    max(list_max(possible_times_utc)) as end_utc,
    queue_manager as subject,
    format(
        '{} accesses to protected queues in an hour of local time that came twice, and the file does'
        || ' not tell in which', count(*)
    ) as found
from {{ days(ref('int_mq__protected_access'), around=1) }}
where len(possible_times_utc) > 1
group by origin, system_id, queue_manager, cast(smf_time_local as date)
    {% endcall %}
