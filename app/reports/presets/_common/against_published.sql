-- How the runs' medians lie to the published figures of the most alike configurations, by metric.
with figure as (
    select
        metric,
        configuration_id,
        median(value) as value,
        arg_max(published_value, factors_agreeing) as published
    from marts.fct_run_against_published
    where campaign = $campaign and origin = $origin and address_space is null and is_compared
    group by metric, configuration_id
)

select
    metric,
    count(*) as figures,
    count(*) filter (where abs(value / published - 1) <= 0.05) as within_5,
    count(*) filter (where abs(value / published - 1) <= 0.10) as within_10,
    median(100 * (value / published - 1)) as middle_percent,
    min(100 * (value / published - 1)) as lowest_percent,
    max(100 * (value / published - 1)) as highest_percent
from figure
where published > 0
group by metric
order by
    coalesce(
        list_position(
            ['rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction',
            'cost_per_GB_of_workload', 'cost_per_transaction_of_workload'], metric
        ), 99
    ), figures desc, metric
