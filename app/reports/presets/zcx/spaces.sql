-- CPU microseconds per transaction by configuration and kind of address space.
select configuration, kind as part, sum(cost_per_transaction_us) as cost
from marts.fct_cost_by_address_space
where
    campaign = $campaign and origin = $origin and kind <> 'total'
    and cost_per_transaction_us is not null
group by configuration, kind
order by configuration, cost desc
