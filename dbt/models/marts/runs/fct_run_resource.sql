with used as (

    select * from {{ ref('int_runs__resource') }}

),

run as (

    select * from {{ ref('fct_run') }}

)

select
    -- ids
    run.origin,
    run.source_id,
    run.record_no,
    run.run_id,
    run.campaign,
    run.configuration_id,
    run.start_utc,
    used.system_id,
    used.resource,
    used.object_name,
    used.part,

    -- how often, how long, how much
    used.events,
    {{ per_second("used.events", "run.seconds") }} as events_per_second,
    used.seconds as busy_seconds,
    {{ average_us("used.seconds", "used.events") }} as average_us,
    used.cpu_seconds,
    {{ average_us("used.cpu_seconds", "used.events") }} as average_cpu_us,
    used.bytes as bytes_moved,
    {{ per_second("used.bytes / 1048576", "run.seconds") }} as mib_per_second,
    used.source_ids
from used
inner join run using (origin, run_id)
