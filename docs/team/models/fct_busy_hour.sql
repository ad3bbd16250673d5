-- How busy the CPs of each system were in the busiest interval of each hour.
select
    origin,
    sysplex,
    system_id,
    date_trunc('hour', interval_start_utc) as hour_utc,
    arg_max(source_id, lpar_busy_percent) as source_id,
    arg_max(record_no, lpar_busy_percent) as record_no,
    max(lpar_busy_percent) as busy_percent
from {{ ref('fct_lpar_interval') }}
where own_partition and processor_type = 'CP' and lpar_busy_percent is not null
group by all
