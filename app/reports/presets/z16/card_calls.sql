-- The calls to cryptographic cards in the runs of both machines: how many a transaction makes, and how
-- long one takes.
with called as (
    select
        run_id,
        configuration_id,
        regexp_replace(object_name, ' \d+$', '') as card,
        sum(events) as calls,
        sum(busy_seconds) as seconds
    from marts.fct_run_resource
    where campaign = $campaign and origin = $origin and resource = 'crypto' and events > 0
    group by all
),

done as (
    select run_id, any_value(value) filter (where metric = 'transactions') as transactions
    from marts.fct_measurement
    where
        campaign = $campaign and origin = $origin and is_compared
        and metric in ('transactions', 'crypto_operations')
    group by run_id
    having count(*) = 2
)

select
    factor.configuration,
    factor.machine,
    factor.machine || ', ' || called.card as machine_and_card,
    median(called.calls / done.transactions) as calls,
    median(1e6 * called.seconds / called.calls) as microseconds
from called
join done using (run_id)
join marts.dim_configuration as factor using (configuration_id)
where factor.machine in ($before, $after) and done.transactions > 0
group by all
having calls >= 0.01
order by factor.configuration, factor.machine, machine_and_card
