with
    source as (select * from {{ source("meta", "pipeline_step") }}),

    -- A step without a status is still running. A line that the disk corrupted must not stop a build.
    renamed as (

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
            case when status <> 'ok' then reason end as reason,

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
            "rows" as rows_loaded,
            nodes,
            days,
            is_whole,
            published_bytes,
            lake_bytes,
            lake_files,
            free_bytes,

            -- dates
            begun_at as begun_at_utc,
            ended_at as ended_at_utc
        from source
        where status in ('ok', 'failed', 'interrupted') and begun_at is not null

    )

select *
from renamed
