-- Rows by hand for test_usage.py: at noon a busy CP consumes 20 MSU, an hour later 40.
create schema marts;
create table marts.fct_usage_hour as
select
    'measured' as origin, subject, timestamp '2026-03-01' + to_hours(h) as hour_utc,
    if(subject in ('queue manager', 'channel'), '', 'P') as sysplex,
    'SY1' as system_id,
    if(subject in ('queue manager', 'channel'), 'QM1', '') as queue_manager, name,
    3600 as interval_seconds, (h - 11) / 180 as msu_hours_per_cp_second,
    (h - 11) / 100 as money_per_cp_second, cp::double as general_purpose_seconds, ziip::double as ziip_seconds,
    on_cp::double as ziip_on_cp_seconds, eligible::double as eligible_seconds,
    msu::double as msu_hours, transactions,
    case subject
        when 'lpar' then cp * 0.01 * (h - 11) when 'channel' then bytes / 1000
    end as cost_money,
    if(cost_money is null, null, 'EUR') as currency,
    if(subject = 'queue manager', messages // 4, null) as messages_put,
    if(subject = 'queue manager', messages - messages // 4, null) as gets,
    messages as mqi_calls, 0 as log_bytes_written, messages,
    bytes as bytes_sent, if(subject = 'channel', 0, null) as bytes_received
from (values
    ('lpar', 12, 'L1', 3600, null, null, null, 20.0, null, null, null),
    ('lpar', 13, 'L1', 1800, null, null, null, 20.0, null, null, null),
    ('service class', 12, 'FAST', 1800, 720, 360, 1080, null, 100, null, null),
    ('service class', 13, 'FAST', 900, 0, 0, 0, null, 50, null, null),
    ('service class', 12, 'SLOW', 360, 0, 180, 180, null, 0, null, null),
    ('address space', 12, 'QM1MSTR', 3, 180, null, null, null, null, null, null),
    ('address space', 12, 'QM1CHIN', 7, null, null, null, null, null, null, null),
    ('container', 12, 'messaging/broker', 2, null, null, null, null, null, null, null),
    ('queue manager', 12, 'QM1', 10, null, null, null, null, null, 400, null),
    ('channel', 12, 'C1', 6, null, null, null, null, null, 30, 6000),
    ('channel', 12, 'C2', 1, null, null, null, null, null, 20, 1000)
) as v(
    subject, h, name, cp, ziip, on_cp, eligible, msu, transactions, messages, bytes
);
create table marts.fct_system_hour as
select *, name as partition_name, 3600 as consumed_seconds
from marts.fct_usage_hour
where subject = 'lpar';
create table marts.fct_task_accounting as
select
    'measured' as origin, 'SY1' as system_id, 'QM1' as queue_manager, *
from (values
    (timestamp '2026-03-01 12:10:00', 'C1', '', 'Channel initiator', 'U', 30, 0.3, 0.9),
    (timestamp '2026-03-01 12:20:00', '', 'JOB', 'Batch', 'U', 10, 0.5, 0.5)
) as t(recorded_at_utc, channel_name, connection_name, application_type, user_id,
    messages, cpu_seconds, elapsed_seconds),
(select null::bigint as put_bytes, null::bigint as get_bytes);
create table marts.fct_queue_accounting as from marts.fct_task_accounting where false;
create table marts.fct_transfer as
select 'measured' as origin, 'completed' as action, true as is_completed, *
from (values
    (timestamp '2026-03-01 12:10:00', 'AG1', 'AG2', false, 4, 0, 1073741824, 16),
    (timestamp '2026-03-01 12:59:59', 'AG1', 'AG2', true, 1, 3, 1073741824, 16),
    (timestamp '2026-03-01 13:00:00', 'AG2', null, true, 0, 1, 0, null)
) as t(last_utc, source_agent, destination_agent, is_failed, files_moved, files_failed,
    bytes, seconds);
create table marts.fct_report_class_interval (
    origin varchar, system_id varchar, interval_start_utc timestamp
);
create table marts.fct_address_space_interval as
select
    'measured' as origin, 'P' as sysplex, 'SY1' as system_id, 3600 as interval_seconds, *
from (values
    (timestamp '2026-03-01 11:59:45', 'QM1MSTR', 'STC', 'RQM', 3, 0, 0, 0),
    (timestamp '2026-03-01 12:00:00', 'JOB', 'FAST', 'RJOB', 36, 0, 18, 18)
) as t(interval_start_utc, job_name, service_class, report_class,
    general_purpose_seconds, ziip_seconds, ziip_on_cp_seconds, eligible_seconds);
