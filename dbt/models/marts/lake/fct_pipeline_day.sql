select
    cast(begun_at_utc as date) as day_utc,
    step,
    count(*) as steps,
    count(*) filter (where status = 'failed') as failed,
    count(*) filter (where status = 'interrupted') as interrupted,
    sum(seconds) as seconds,
    max(seconds) as longest_seconds,
    sum(cpu_seconds) as cpu_seconds,
    max(peak_memory_bytes) as peak_memory_bytes,
    try_cast(sum(files) as bigint) as files,
    try_cast(sum(loads) as bigint) as loads,
    try_cast(sum(failures) as bigint) as failures,
    try_cast(sum(bytes) as bigint) as bytes,
    try_cast(sum(records) as bigint) as records,
    try_cast(sum(rows_loaded) as bigint) as rows_loaded,
    case
        when sum(seconds) filter (where records is not null) > 0
        then sum(records) / sum(seconds) filter (where records is not null)
    end as records_per_second,
    arg_max(lake_bytes, (ended_at_utc, step_id)) filter (where ended_at_utc is not null) as lake_bytes,
    arg_max(published_bytes, (ended_at_utc, step_id)) filter (
        where ended_at_utc is not null
    ) as published_bytes,
    max(ended_at_utc) filter (where status = 'ok') as last_ok_at_utc
from {{ ref("fct_pipeline_step") }}
group by all
