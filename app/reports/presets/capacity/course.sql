-- Consumed MSU by interval on the local day of the highest four-hour average, and that average, of the
-- LPARs with the highest: WLM's, or worked out from consumption where WLM's is not recorded. Nothing
-- of fewer than four intervals, nor where the records of the day are removed.
with interval_msu as (
    select
        interval_start_utc as s, interval_end_utc as e, system_id, consumed_msu,
        coalesce(long_term_average_msu, four_hour_average_msu)::double as average_msu
    from marts.fct_lpar_capacity_interval
    where
        origin = $origin and coalesce(sysplex, 'none') = $sysplex
        and cast(interval_start_utc + to_minutes(utc_offset_minutes) as date) = (
            select arg_max(
                local_date, coalesce(highest_long_term_average_msu, highest_four_hour_average_msu)
                order by local_date
            )
            from marts.fct_lpar_capacity_day
            where origin = $origin and coalesce(sysplex, 'none') = $sysplex and local_date >= $since::date
        )
    qualify count(*) over (partition by system_id) >= 4
),

highest as (
    select system_id, max(average_msu) as highest
    from interval_msu
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
        from interval_msu
        inner join highest using (system_id)
    )
    on consumed_msu, average_msu
    into name kind value value
)
order by highest desc nulls last, system_id, series, "start"
