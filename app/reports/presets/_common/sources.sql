-- The source files of the runs.
with used as (
    select distinct unnest(source_ids) as source_id
    from marts.fct_run
    where campaign = $campaign and origin = $origin
)

select
    parse_filename(path) as file,
    kind,
    max(records) as records,
    min(loaded_at_utc) as loaded_at_utc,
    left(source_id, 12) as source
from marts.dim_load
join used using (source_id)
group by path, kind, source_id
order by file, source
