-- The runs of each configuration and metric with several, in order of time, and their builds.
select
    metric,
    configuration_id,
    list(value::double order by start_utc, run_id) as "values",
    list(build order by start_utc, run_id) as builds
from marts.fct_measurement inner join marts.fct_run_session using (origin, campaign, run_id)
where
    campaign = $campaign and origin = $origin and is_compared
    and more_is_better is not null and isfinite(value) and value > 0
group by metric, configuration_id
having count(*) > 1
    -- the deviation of a rate of errors near zero, in percent of itself, says nothing
    and not (any_value(unit) = '%' and median(value) < 1)
order by
    coalesce(
        list_position(
            ['rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction'], metric
        ), 99
    ), metric, configuration_id
