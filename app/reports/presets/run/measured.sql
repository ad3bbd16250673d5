-- Every figure of the run with its peers, the published and the predicted figure.
with own as (
    select m.*, run.campaign as of_campaign
    from marts.fct_measurement as m
    join marts.fct_run as run on m.origin = run.origin and m.run_id = run.run_id
    where m.run_id = $run and run.campaign = $campaign
),

other as (
    select metric, count(*) as others, median(value) as middle, min(value) as low,
        max(value) as high
    from marts.fct_measurement
    where
        (origin, configuration_id) in (select (origin, configuration_id) from own)
        and run_id <> $run and is_compared
    group by metric
),

printed as (
    select metric, arg_max(published_value, factors_agreeing) as published
    from marts.fct_run_against_published
    where run_id = $run and address_space is null
    group by metric
),

model as (
    select metric, predicted, low as predicted_low, high as predicted_high
    from marts.fct_run_against_model
    where run_id = $run
)

select
    own.metric, own.unit, own.value, own.cost_money, price.currency, 
    if(own.value_low < own.value_high, own.value_low, null) as value_low,
    if(own.value_low < own.value_high, own.value_high, null) as value_high,
    other.others, other.middle, other.low, other.high,
    100 * (own.value / nullif(other.middle, 0) - 1) as from_middle_percent,
    printed.published, model.predicted,
    own.more_is_better is not null as is_judged
from own
left join marts.fct_run_price as price
    on own.origin = price.origin and own.run_id = price.run_id
left join other using (metric)
left join printed using (metric)
left join model using (metric)
order by
    coalesce(
        list_position(
            ['rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction',
             'transfer_time', 'ziip_share', 'cost_per_GB_after_offload'], own.metric
        ), 99
    ), own.more_is_better is null, own.metric
