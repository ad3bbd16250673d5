select
    -- ids
    step_id,
    build_id,
    check_id,

    -- text
    step,
    command,
    host,
    process,
    status,
    reason,

    -- numerics
    seconds,
    cpu_seconds,
    peak_memory_bytes,
    files,
    loads,
    failures,
    bytes,
    records,
    records_quarantined,
    rows_loaded,
    case when seconds > 0 then records / seconds end as records_per_second,
    nodes,
    days,
    is_whole,
    published_bytes,
    lake_bytes,
    lake_files,
    free_bytes,

    -- dates
    begun_at_utc,
    ended_at_utc
from {{ ref("stg_lake__pipeline_step") }}
