-- MQ keeps these two counts separately, so a difference is a finding about the records, not a mistake
-- in the marts.
{{ config(severity='warn') }}

with by_kind as (

    select
        source_id,
        record_no,
        sum(writes) as writes,
        sum(control_intervals) as control_intervals
    from {{ ref('fct_log_write_interval') }}
    group by source_id, record_no

)

select
    by_kind.*,
    total.log_write_ios,
    total.log_control_intervals_written
from by_kind
inner join {{ ref('int_mq__log_activity') }} as total using (source_id, record_no)
where
    by_kind.writes <> total.log_write_ios
    or by_kind.control_intervals <> total.log_control_intervals_written
