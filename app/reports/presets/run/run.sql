-- One row: the run.
select run.*, configuration
from marts.fct_run as run
join marts.dim_configuration using (configuration_id)
where run.campaign = $campaign and run_id = $run
