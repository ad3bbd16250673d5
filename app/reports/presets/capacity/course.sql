-- Consumed MSU and the four-hour average of the busiest day by interval.
with day as (
    select date_trunc('day', arg_max(interval_start_utc, four_hour_average_msu)) as day
    from marts.fct_lpar_capacity_interval
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex
)

select
    interval_start_utc as "start",
    interval_end_utc as "end",
    system_id || if(kind = 'four_hour_average_msu', ', four-hour average', ', consumed') as series,
    value
from (
    unpivot (
        select interval_start_utc, interval_end_utc, system_id, consumed_msu,
            four_hour_average_msu
        from marts.fct_lpar_capacity_interval
        where
            origin = $origin and coalesce(sysplex, 'none') = $sysplex
            and date_trunc('day', interval_start_utc) = (select day from day)
    )
    on consumed_msu, four_hour_average_msu
    into name kind value value
)
order by series, "start"
