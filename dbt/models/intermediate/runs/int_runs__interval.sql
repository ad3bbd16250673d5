{{ config(materialized='incremental', incremental_strategy='by_run') }}

-- The RMF intervals that each run overlaps, and the fraction of each.
select
    origin,
    run_id,
    sysplex,
    system_id,
    interval_start_utc,
    source_id,
    interval_seconds,
    share,
    covered_seconds
from {{ intervals_of_runs(ref('int_zos_cpu__interval')) }}
