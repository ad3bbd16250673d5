-- What a megabyte costs that the queue manager logs, in each copy of its log: one row per configuration
-- with persistent messages. Each run's CPU time of the workload, over what it logged.
with run as (
    select
        configuration_id,
        run_id,
        start_utc,
        max(value) filter (where metric = 'cost_per_transaction_of_workload')
        * max(value) filter (where metric = 'transactions_per_second')
        / nullif(max(value) filter (where metric = 'log_copy_rate'), 0) as cost
    from marts.fct_measurement
    where campaign = $campaign and origin = $origin and is_compared
    group by all
)

select
    factor.configuration,
    factor.machine,
    factor.message_size_bytes,
    factor.file_size_mb,
    'cost_per_MB_logged' as metric,
    'CPU us' as unit,
    false as more_is_better,
    median(cost) as value,
    min(cost) as low,
    max(cost) as high,
    count(*) as runs,
    list(cost::double order by start_utc, run_id) as "values",
    null as published
from run
join marts.dim_configuration as factor using (configuration_id)
where cost is not null and factor.persistent = 'Y'
group by all
order by factor.machine, factor.message_size_bytes, factor.configuration
