-- How much of the run the records of each system cover.
select
    system_id as system, 100 * processor_coverage as processor_percent,
    100 * class_coverage as class_percent, address_space_records, longest_interval_seconds
from marts.fct_run_coverage
where run_id = $run
order by system
