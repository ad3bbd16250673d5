-- Rows by hand for test_systems.py: work by minute, with the mean response, and runs beside it.
create schema marts;
create table marts.work as
select
    'measured' as origin, 'SY1' as system_id, 'Q' as queue_manager,
    timestamp '2026-03-01 10:00' + to_minutes(minute) as interval_start_utc,
    interval_start_utc + interval 1 minute as interval_end_utc, 60.0::double as interval_seconds,
    class, job, cpu_seconds::double as cpu_seconds, requests::bigint as requests,
    response_us::double as response_us
from (values
    (0, 'ONLINE', 'A', 30.0, 100, 10.0),
    (0, 'ONLINE', 'B', 15.0, 300, 20.0),
    (0, 'BATCH', 'C', 6.0, 0, null),
    (1, 'ONLINE', 'A', 60.0, 100, 30.0),
    (2, 'IDLE', 'D', 0.6, 1, 1.0)
) as v(minute, class, job, cpu_seconds, requests, response_us);
create table marts.fct_run as
select
    origin, run_id, 'c' as campaign, timestamp '2026-03-01 10:00' + to_minutes(start) as start_utc,
    timestamp '2026-03-01 10:00' + to_minutes(stop) as stop_utc, lpars::varchar[] as lpars
from (values
    ('measured', 'here', 0, 1, ['SY1', 'SY2']),
    ('measured', 'anywhere', 1, 2, []),
    ('measured', 'elsewhere', 0, 1, ['SY2']),
    ('measured', 'before', -2, 0, ['SY1']),
    ('simulated', 'other', 0, 1, ['SY1'])
) as v(origin, run_id, start, stop, lpars);
create schema meta;
create table meta.measure as
from (values
    ('work', 'cpu_seconds', 'sum', null),
    ('work', 'requests', 'sum', null),
    ('work', 'response_us', 'mean', 'requests')
) as v(mart, name, adds, "by");
