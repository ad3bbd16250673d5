-- CPU microseconds per transaction by configuration and kind of address space, of the workload (the
-- document's TOTAL) and of all LPARs.
select
    configuration,
    case kind when 'total' then 'All LPARs' when 'zCX' then kind else upper(kind[1]) || kind[2:] end as part,
    list_position(['workload', 'total'], kind) as place,
    sum(cost_per_transaction_us) as cost,
    sum(cost_per_transaction_after_offload_us) as cost_after_offload
from marts.fct_cost_by_address_space
where
    campaign = $campaign and origin = $origin
    and cost_per_transaction_us is not null
group by configuration, kind
order by configuration, place nulls first, cost desc
