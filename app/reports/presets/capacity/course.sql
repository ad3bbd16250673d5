-- Consumed MSU by interval of the day of the highest four-hour average, and that average: WLM's, or
-- worked out from consumption where WLM's is not recorded.
with interval_msu as (
    select
        interval_start_utc, interval_end_utc, system_id, consumed_msu,
        coalesce(long_term_average_msu, four_hour_average_msu)::double as average_msu
    from marts.fct_lpar_capacity_interval
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex
),

day as (
    select date_trunc('day', arg_max(interval_start_utc, average_msu)) as day from interval_msu
)

select
    interval_start_utc as "start",
    interval_end_utc as "end",
    system_id || if(kind = 'average_msu', ', four-hour average', ', consumed') as series,
    value
from (
    unpivot (
        select * from interval_msu
        where date_trunc('day', interval_start_utc) = (select day from day)
    )
    on consumed_msu, average_msu
    into name kind value value
)
order by series, "start"
