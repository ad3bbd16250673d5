-- What each address space used.
select address_space as name, address_space, system, system as part, cpu_seconds, eligible_seconds, ziip_share_percent,
    cost_per_GB, cost_per_transaction_us
from marts.fct_run_address_space
where run_id = $run
order by cpu_seconds desc nulls last, address_space, system
