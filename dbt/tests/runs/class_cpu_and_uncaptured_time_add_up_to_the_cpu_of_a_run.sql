-- Uncaptured time and time charged to service classes are all of the processors' time.
select
    system.run_id, system.system, system.source_id, system.cpu_seconds, sum(part.cpu_seconds) as parts_seconds
from {{ ref("fct_run_system") }} as system
inner join {{ ref("fct_run_class") }} as part using (origin, run_id, sysplex, system_id)
where system.is_compared
group by all
having abs(system.cpu_seconds - sum(part.cpu_seconds)) > 1e-6 * system.cpu_seconds
