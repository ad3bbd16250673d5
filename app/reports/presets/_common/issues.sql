-- Runs that are excluded from the report, and what is wrong with their data.
select
    run.start_utc,
    run.run_id,
    configuration,
    list_aggregate(run.issues, 'string_agg', '; ') as issue
from marts.fct_run as run
join marts.dim_configuration using (configuration_id)
where run.campaign = $campaign and run.origin = $origin and not run.is_compared
order by run.start_utc
