-- The source files of the run.
select distinct parse_filename(path) as file, kind, records, loaded_at_utc,
    left(source_id, 12) as source
from marts.dim_load
where source_id in (
    select unnest(source_ids) from marts.fct_run where run_id = $run and campaign = $campaign
)
order by file
