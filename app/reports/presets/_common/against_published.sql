-- How the runs' medians lie to the published figures of the most alike configurations: one row per
-- metric, with the one of its figures that lies furthest from what was printed.
with printed as (
    select
        metric,
        configuration_id,
        any_value(unit) as unit,
        median(value) as measured,
        count(*) as runs,
        arg_max(published_value, factors_agreeing) as published
    from marts.fct_run_against_published
    where
        campaign = $campaign and origin = $origin and address_space is null and is_compared
        and unit not in ('count', 'files', 'messages')  -- the work, which was chosen
        and metric <> 'csm_fixed_max'  -- a limit, which was set
    group by metric, configuration_id
    having published > 0
),

figure as (
    select
        *,
        -- percentages differ by points
        if(unit = '%', measured - published, 100 * (measured / published - 1)) as difference,
        -- half as much is as far away as twice as much
        case
            when unit = '%' then abs(measured - published) / 100
            when measured > 0 then abs(ln(measured / published))
            else 1e9
        end as distance
    from printed
),

by_metric as (
    select
        metric,
        any_value(unit) as unit,
        count(*) as figures,
        count(*) filter (where abs(difference) <= 5) as within_5,
        count(*) filter (where abs(difference) <= 10) as within_10,
        median(difference) as middle,
        min(difference) as lowest,
        max(difference) as highest,
        max(distance) as furthest,
        arg_max(configuration_id, distance) as configuration_id,
        arg_max(measured, distance) as value,
        arg_max(published, distance) as published,
        arg_max(runs, distance) as runs
    from figure
    group by metric
)

select by_metric.*, configuration, if(by_metric.unit = '%', 'points', '%') as points
from by_metric
join marts.dim_configuration using (configuration_id)
order by
    coalesce(
        list_position(
            ['rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction',
            'cost_per_GB_of_workload', 'cost_per_transaction_of_workload'], metric
        ), 99
    ), figures desc, metric
