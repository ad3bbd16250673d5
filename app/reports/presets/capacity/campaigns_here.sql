-- The campaigns that ran on the sysplex.
select distinct run.campaign
from marts.fct_run as run
join marts.fct_run_coverage as covered using (origin, run_id)
where run.origin = $origin and coalesce(covered.sysplex, 'none') = $sysplex
order by run.campaign
