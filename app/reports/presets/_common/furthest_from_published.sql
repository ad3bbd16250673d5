-- Rates and costs that lie further than 10 % from the published figure, the furthest first.
with figure as (
    select
        configuration_id,
        metric,
        any_value(unit) as unit,
        median(value) as value,
        arg_max(published_value, factors_agreeing) as published
    from marts.fct_run_against_published
    where
        campaign = $campaign and origin = $origin and address_space is null and is_compared
        and metric in (
            'rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction',
            'cost_per_GB_of_workload', 'cost_per_transaction_of_workload'
        )
    group by configuration_id, metric
)

select
    configuration,
    figure.* exclude (configuration_id),
    100 * (value / published - 1) as from_published_percent
from figure
join marts.dim_configuration using (configuration_id)
where published > 0 and value > 0 and abs(value / published - 1) > 0.10
order by abs(ln(value / published)) desc, configuration
