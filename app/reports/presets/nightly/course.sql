-- The main figure of each configuration over the last nights, in percent of its median.
with figure as (
    select
        m.configuration_id,
        m.metric,
        m.value,
        m.start_utc,
        m.is_compared,
        dense_rank() over (order by date_trunc('day', m.start_utc) desc) as nights_ago
    from marts.fct_measurement as m
    where
        m.campaign = $campaign and m.origin = $origin and m.is_compared and isfinite(m.value)
        and m.metric in ('rate', 'transactions_per_second')
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
