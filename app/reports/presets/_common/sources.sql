-- The source files of the runs; those with one name are a row.
with used as (
    select distinct unnest(source_ids) as source_id
    from marts.fct_run
    where campaign = $campaign and origin = $origin
),

file as (
    select parse_filename(path) as file, kind, source_id, max(records) as records,
        min(loaded_at_utc) as loaded_at_utc
    from marts.dim_load
    join used using (source_id)
    group by all
)

select
    file,
    kind,
    count(*) as files,
    sum(records)::bigint as records,
    min(loaded_at_utc) as loaded_at_utc,
    if(count(*) = 1, left(min(source_id), 12), null) as source
from file
group by file, kind
order by file, kind
