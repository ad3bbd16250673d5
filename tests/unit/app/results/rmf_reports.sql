-- Rows by hand for test_rmf_reports.py.
create schema marts;
create table marts.fct_rmf_report_figure as
select
    'measured' as origin, null::varchar as sysplex, 'SY1' as system_id,
    timestamp '2026-03-01' + to_hours(hour) as interval_start_local,
    timestamp '2026-03-01' + to_hours(utc) as interval_start_utc,
    900.0 as interval_seconds, 'volume' as subject_kind, subject,
    'average_response_us' as figure, 'microseconds' as unit, printed, recorded,
    printed - recorded as difference, abs(printed - recorded) < 1 as agrees
from (values
    (9, 14, 'MQLOG1', 256.0, 256.4),
    (9, 14, 'OTHER', 128.0, null),
    (10, 15, 'MQLOG1', 256.0, 300.0),
    (11, null, 'MQLOG1', 64.0, null)
) as v(hour, utc, subject, printed, recorded)
