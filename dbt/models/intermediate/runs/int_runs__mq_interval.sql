{{ config(materialized="incremental", incremental_strategy="by_run") }}

-- How much of each run lies in intervals of MQ that it covers in part.
with
    record as (select * from {{ ref("int_mq__record") }}),

    recorded as (

        select distinct
            origin,
            system_id,
            queue_manager,
            'statistics' as about,
            interval_start_utc,
            interval_end_utc,
            interval_seconds
        from record
        where record_type = 115 and usable

        union all

        -- Those of tasks overlap.
        select distinct
            record.origin,
            record.system_id,
            record.queue_manager,
            'accounting' as about,
            {{ in_utc("task.interval_start_utc", "record") }} as interval_start_utc,
            {{ in_utc("task.interval_end_utc", "record") }} as interval_end_utc,
            epoch(task.interval_end_utc - task.interval_start_utc) as interval_seconds
        from record
        inner join {{ ref("stg_mq__task") }} as task using (source_id, record_no)
        where record.record_type = 116 and record.record_subtype = 1 and task.section_no = 1

    )

select
    origin,
    run_id,
    sysplex,
    system_id,
    queue_manager,
    about,
    sum(covered_seconds) as covered_seconds,
    coalesce(sum(interval_seconds) filter (where share < 1), 0) as part_interval_seconds,
    count(*) as intervals,
    count(*) filter (where share < 1) as parts,
    min(share) as least_share,
    max(interval_seconds) filter (where share < 1) as longest_seconds
from {{ intervals_of_runs("recorded", names_sysplex=false) }}
group by all
