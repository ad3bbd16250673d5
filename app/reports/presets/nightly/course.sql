-- The main figure of each configuration over the last nights, in percent of its median.
with started as (
    select run_id, start_utc,
        coalesce(start_utc - lag(start_utc) over (order by start_utc) > interval 6 hour, true)
            as is_first
    from marts.fct_run
    where campaign = $campaign and origin = $origin and start_utc is not null
),

-- A night goes on over midnight; it has the date on which it began.
session as (
    select *, count(*) filter (where is_first) over (order by start_utc, run_id) as session_no
    from started
),

run as (
    select *, date_trunc('day', min(start_utc) over (partition by session_no))::date
        + (epoch(start_utc - min(start_utc) over (partition by session_no)) // 86400)::integer
            as night
    from session
),

figure as (
    select
        m.configuration_id,
        m.metric,
        m.value,
        m.start_utc,
        m.is_compared,
        dense_rank() over (order by run.night desc) as nights_ago
    from marts.fct_measurement as m
    join run using (run_id)
    where
        m.campaign = $campaign and m.origin = $origin and m.is_compared and isfinite(m.value)
        and m.more_is_better
    qualify
        m.metric in ('rate', 'transactions_per_second')
        or not bool_or(m.metric in ('rate', 'transactions_per_second')) over ()
)

select
    configuration,
    start_utc,
    is_compared,
    100 * value / nullif(median(value) over (partition by configuration_id, metric), 0) as value
from figure
join marts.dim_configuration using (configuration_id)
where nights_ago <= $nights + 1
order by configuration, start_utc
