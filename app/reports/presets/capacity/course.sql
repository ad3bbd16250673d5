-- Consumed MSU by hour on the local day of the highest four-hour average, and that average, of the
-- LPARs with the highest: WLM's, or worked out from consumption where WLM's is not recorded. Nothing
-- of fewer than four hours.
with hour as (
    select
        hour_utc as s, hour_utc + to_seconds(interval_seconds) as e, system_id, local_date, consumed_msu,
        coalesce(long_term_average_msu, four_hour_average_msu)::double as average_msu
    from marts.fct_system_hour
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
),

shown as (
    select *
    from hour
    where local_date = (select arg_max(local_date, average_msu order by s) from hour)
    qualify count(distinct s) over () >= 4
),

highest as (
    select system_id, max(average_msu) as highest
    from shown
    group by system_id
    order by highest desc nulls last, system_id
    limit 3
)

select
    s as "start", e as "end", system_id,
    if(kind = 'average_msu', 'four-hour average', 'consumed') as series,
    value
from (
    unpivot (
        select s, e, system_id, highest, consumed_msu, average_msu
        from shown
        inner join highest using (system_id)
    )
    on consumed_msu, average_msu
    into name kind value value
)
order by highest desc nulls last, system_id, series, "start"
