-- One row per complete run of the main metrics: percent of the median of its configuration, in
-- time order, for campaigns that go on for days; of campaigns without them, of all that are judged.
with main as (
    select m.*, configuration
    from marts.fct_measurement as m
    join marts.dim_configuration using (configuration_id)
    where
        m.campaign = $campaign and m.origin = $origin and m.is_compared
        and isfinite(m.value) and m.more_is_better is not null
    qualify
        m.metric in ('rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction')
        or not bool_or(
            m.metric in ('rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction')
        ) over ()
)

select
    run_id, start_utc, configuration, configuration_id, metric, is_compared,
    100 * value / nullif(median(value) over (partition by configuration_id, metric), 0) as value
from main
order by
    list_position(
        ['rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction'], metric
    ),
    metric, configuration, start_utc
