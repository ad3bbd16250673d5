{{ config(materialized="incremental", incremental_strategy="by_run") }}

select
    -- ids
    run.origin,
    run.source_id,
    run.record_no,
    run.run_id,
    coverage.sysplex,
    coverage.system_id,

    -- coverage
    coverage.processor_coverage,
    coverage.class_coverage,
    coverage.address_space_records,
    coverage.longest_interval_seconds,
    coverage.started_utc,
    coverage.partners_not_loaded,
    coverage.source_ids
from {{ runs(ref("int_runs__coverage")) }} as coverage
inner join {{ runs(ref("int_runs__run")) }} as run using (origin, run_id)
