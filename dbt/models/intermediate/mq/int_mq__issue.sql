with record as (

    select * from {{ days(ref('int_mq__record')) }}

),

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
    inner join {{ ref('stg_mq__task_message_manager') }} as work using (source_id, record_no)
    left join {{ ref('stg_mq__task_cpu') }} as processor
        on
            record.source_id = processor.source_id
            and record.record_no = processor.record_no
            and processor.section_no = 1
    left join {{ ref('stg_mq__correlation') }} as correlation
        on
            record.source_id = correlation.source_id
            and record.record_no = correlation.record_no
            and correlation.section_no = 1
    where record.record_type = 116 and record.record_subtype = 0

),

impossible as (

    select
        *,
        {{ impossible_cpu("task_cpu_seconds", "cpu_seconds") }} as impossible
    from task

),

-- Subtype 240 has no data, and subtype 5 may stand alone.
without_interval as (

    select
        origin,
        source_id,
        min(record_no) as record_no,
        system_id,
        queue_manager,
        min(smf_time_utc) as first_utc,
        max(smf_time_utc) as last_utc,
        count(*) as records,
        string_agg(distinct '115-' || record_subtype, ', ' order by '115-' || record_subtype)
            as kinds
    from record
    where
        record_type = 115 and record_subtype not in (5, 240) and interval_start_utc is null
    group by origin, source_id, system_id, queue_manager, cast(smf_time_local as date)

)

select
    origin,
    source_id,
    record_no,
    'impossible_task_cpu' as kind,
    'warning' as severity,
    cast(null as varchar) as sysplex,
    system_id,
    started_at_utc as start_utc,
    ended_at_utc as end_utc,
    concat_ws(' ', queue_manager, connection_name) as subject,
    cast(null as varchar) as run_id,
    concat_ws(
        ' in ', 'type 116 of a task: ' || impossible, format('{:.6g} s', elapsed_seconds)
    ) as found,
    'null in fct_task_message_manager' as done,
    ['mq'] as affects
from impossible
where impossible <> ''
union all
select
    origin,
    source_id,
    record_no,
    'statistics_without_interval' as kind,
    'error' as severity,
    null as sysplex,
    system_id,
    first_utc as start_utc,
    last_utc as end_utc,
    queue_manager as subject,
    null as run_id,
    format(
        '{} records ({}) tell no interval, and no record that does was written within 2 s',
        records, kinds
    ) as found,
    'left out of marts of intervals; raw has them' as done,
    ['mq'] as affects
from without_interval
