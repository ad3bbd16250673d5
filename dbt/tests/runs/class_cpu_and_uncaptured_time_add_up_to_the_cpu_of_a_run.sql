-- Uncaptured time and time charged to service classes are all of the processors' time.
select
    run.run_id,
    run.system_id,
    run.cpu_seconds,
    sum(part.cpu_seconds) as parts_seconds
from {{ ref('fct_run_cpu') }} as run
inner join {{ ref('fct_run_cpu') }} as part
    on
        run.origin = part.origin
        and run.run_id = part.run_id
        and run.system_id = part.system_id
where
    run.part_kind = 'system'
    and run.is_complete
    and part.part_kind in ('uncaptured', 'system class', 'service class')
group by all
having abs(run.cpu_seconds - sum(part.cpu_seconds)) > 1e-6 * run.cpu_seconds
