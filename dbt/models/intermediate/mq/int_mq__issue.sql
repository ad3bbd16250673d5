with record as (

    select * from {{ days(ref('int_mq__record'), around=1) }}

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

),

lengths_differ as (

    select
        origin,
        arg_min(source_id, (record_subtype, source_id, record_no)) as source_id,
        arg_min(record_no, (record_subtype, source_id, record_no)) as record_no,
        system_id,
        queue_manager,
        interval_start_utc,
        max(interval_end_utc) as interval_end_utc,
        string_agg(
            distinct format('{:.6g} s in 115-{}', interval_seconds, record_subtype), ', '
            order by format('{:.6g} s in 115-{}', interval_seconds, record_subtype)
        ) as lengths
    from record
    where record_type = 115 and usable
    group by origin, system_id, queue_manager, interval_start_utc
    having max(interval_seconds) - min(interval_seconds) > 1

),

-- The log manager counts its writes twice: all together, and by copy and size.
log_counts as (

    select
        record.*,
        log.log_write_ios,
        list_sum(flatten(log.log_write_counts)) as writes,
        log.log_control_intervals_written,
        list_sum(flatten(log.log_write_control_intervals)) as control_intervals
    from record
    inner join {{ ref('stg_mq__log_manager') }} as log using (source_id, record_no)
    where record.usable and log.section_no = 1

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
union all
select
    origin,
    source_id,
    record_no,
    'contradicting_records' as kind,
    'error' as severity,
    null as sysplex,
    system_id,
    interval_start_utc as start_utc,
    interval_end_utc as end_utc,
    queue_manager as subject,
    null as run_id,
    format(
        'record 115-{} tells other figures of its interval than record {} of load {}',
        record_subtype, used_record.record_no, left(used_record.source_id, 12)
    ) as found,
    'left out of marts: the other record is longer, or was written later' as done,
    ['mq'] as affects
from record
where used_record is not null
union all
select
    origin,
    source_id,
    record_no,
    'queue_manager_interval_lengths_differ' as kind,
    'warning' as severity,
    null as sysplex,
    system_id,
    interval_start_utc as start_utc,
    interval_end_utc as end_utc,
    queue_manager as subject,
    null as run_id,
    'the records of one interval tell several lengths: ' || lengths as found,
    'the rates of each record stand on its own length' as done,
    ['mq'] as affects
from lengths_differ
union all
select
    origin,
    source_id,
    record_no,
    'log_counts_differ' as kind,
    'warning' as severity,
    null as sysplex,
    system_id,
    interval_start_utc as start_utc,
    interval_end_utc as end_utc,
    queue_manager as subject,
    null as run_id,
    format(
        'the log manager counts {} writes of {} control intervals in all, and {} of {} by copy',
        log_write_ios, log_control_intervals_written, writes, control_intervals
    ) as found,
    'shown as recorded: rates of one copy are from the counts by copy' as done,
    ['mq'] as affects
from log_counts
where
    {{ counts_differ("log_write_ios", "writes") }}
    or {{ counts_differ("log_control_intervals_written", "control_intervals") }}
