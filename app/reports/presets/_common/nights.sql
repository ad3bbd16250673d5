-- One row per run of the main metrics, in time order, for campaigns that go on for days.
with main as (
    select m.*, configuration
    from marts.fct_measurement as m
    join marts.dim_configuration using (configuration_id)
    where
        m.campaign = $campaign and m.origin = $origin
        and m.metric in ('rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction')
)

select run_id, start_utc, configuration, configuration_id, metric, unit, value, is_compared
from main
order by configuration, start_utc
