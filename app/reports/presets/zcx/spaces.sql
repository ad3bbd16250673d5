-- CPU microseconds per transaction by configuration and kind of address space, and in total.
select
    configuration,
    case kind when 'total' then 'Total' when 'zCX' then kind else upper(kind[1]) || kind[2:] end as part,
    kind = 'total' as is_total,
    sum(cost_per_transaction_us) as cost
from marts.fct_cost_by_address_space
where
    campaign = $campaign and origin = $origin
    and cost_per_transaction_us is not null
group by configuration, kind
order by configuration, is_total, cost desc
