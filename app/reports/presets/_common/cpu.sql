-- Mean CPU seconds per run by configuration and address space, and what the systems used beyond.
with total as (
    select origin, run_id, configuration_id, cpu_seconds
    from marts.fct_run_total
    where campaign = $campaign and origin = $origin and is_compared and cpu_seconds is not null
),

space as (
    select total.configuration_id, total.run_id, s.address_space as part, s.cpu_seconds
    from total
    join marts.fct_run_address_space as s
        on total.origin = s.origin and total.run_id = s.run_id
),

rest as (
    select
        total.configuration_id,
        total.run_id,
        'all others, uncaptured' as part,
        total.cpu_seconds - coalesce(known.cpu_seconds, 0) as cpu_seconds
    from total
    left join (
        select run_id, sum(cpu_seconds) as cpu_seconds from space group by run_id
    ) as known using (run_id)
)

select configuration, part, sum(cpu_seconds) / count(distinct run_id) as cpu_seconds
from (from space union all by name from rest)
join marts.dim_configuration using (configuration_id)
group by configuration, part
order by configuration, cpu_seconds desc
