{{ config(materialized='incremental', incremental_strategy='by_run') }}

-- How much of a run RMF records cover on each system: type 70 for total CPU time, type 72 for the
-- classes that used it.
with covered_interval as (

    select
        origin,
        system_id,
        interval_start_utc,
        max(processor_seconds) filter (where processor_type = 'CP') is not null as has_processors,
        max(class_seconds) filter (where processor_type = 'CP') is not null as has_classes
    from {{ ref('fct_cpu_reconciliation') }}
    group by all

),

factor as (

    select
        origin,
        system_id,
        interval_start_utc,
        max(ziip_factor) as ziip_factor
    from {{ ref('fct_ziip_interval') }}
    group by all

),

covered as (

    select
        interval.origin,
        interval.run_id,
        interval.system_id,
        sum(interval.covered_seconds) filter (where covered_interval.has_processors)
            as processor_seconds,
        sum(interval.covered_seconds) filter (where covered_interval.has_classes)
            as class_seconds,
        max(factor.ziip_factor) as ziip_factor,
        list(distinct interval.source_id order by interval.source_id) as source_ids
    from {{ runs(ref('int_runs__interval')) }} as interval
    inner join covered_interval using (origin, system_id, interval_start_utc)
    left join factor using (origin, system_id, interval_start_utc)
    group by all

)

select
    -- ids
    run.origin,
    run.source_id,
    run.record_no,
    run.run_id,
    system.system_id,

    -- coverage
    least(1, coalesce(covered.processor_seconds, 0) / system.seconds) as processor_coverage,
    least(1, coalesce(covered.class_seconds, 0) / system.seconds) as class_coverage,
    covered.ziip_factor,
    coalesce(covered.source_ids, []) as source_ids
from {{ runs(ref('int_runs__system')) }} as system
inner join {{ runs(ref('int_runs__run')) }} as run using (origin, run_id)
left join covered using (origin, run_id, system_id)
