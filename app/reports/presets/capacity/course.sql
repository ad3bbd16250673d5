-- Consumed MSU by interval around the highest four-hour average, and that average, of the LPARs with
-- the highest: WLM's, or worked out from consumption where WLM's is not recorded. Only intervals that
-- follow each other within an hour, and nothing of fewer than four.
with interval_msu as (
    select
        interval_start_utc as s, interval_end_utc as e, system_id, consumed_msu,
        coalesce(long_term_average_msu, four_hour_average_msu)::double as average_msu
    from marts.fct_lpar_capacity_interval
    where origin = $origin and coalesce(sysplex, 'none') = $sysplex
),

peak as (select arg_max(s, average_msu order by s) as s from interval_msu),

begun as (
    select
        s,
        coalesce(
            s - max(e) over (order by s, e rows between unbounded preceding and 1 preceding)
            > interval 1 hour,
            true
        ) as begins
    from interval_msu
    where date_trunc('day', s) = (select date_trunc('day', s) from peak)
),

stretch as (
    select distinct s, sum(begins::int) over (order by s) as number
    from begun
),

shown as (
    select s
    from stretch
    where number = (select max(number) from stretch where s = (select s from peak))
    qualify count(*) over () >= 4
),

highest as (
    select system_id, max(average_msu) as highest
    from interval_msu
    where s in (select s from shown)
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
        where s in (select s from shown)
    )
    on consumed_msu, average_msu
    into name kind value value
)
order by highest desc nulls last, system_id, series, "start"
