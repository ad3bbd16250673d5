-- How far apart the runs of one configuration are: one row per metric.
with configuration as (
    select
        metric,
        configuration_id,
        count(*) as runs,
        100 * stddev_samp(value) / nullif(abs(avg(value)), 0) as deviation_percent
    from marts.fct_measurement
    where
        campaign = $campaign and origin = $origin and is_compared
        and more_is_better is not null and isfinite(value)
    group by metric, configuration_id
    having count(*) > 1
)

select
    metric,
    count(*) as configurations,
    sum(runs)::bigint as runs,
    median(deviation_percent) as typical_percent,
    max(deviation_percent) as largest_percent,
    arg_max(configuration_id, deviation_percent) as configuration_id
from configuration
where deviation_percent is not null
group by metric
order by
    coalesce(
        list_position(
            ['rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction'], metric
        ), 99
    ), metric
