-- Tolerance: rounding and intervals leave at most 2 % of the CPU time of the classes, or one second,
-- unexplained. A larger difference is a finding about the records: address spaces without interval
-- recording, or records that were not loaded.
{{ config(severity='warn') }}

select *
from {{ ref('fct_cpu_reconciliation') }}
where
    origin = 'measured'
    and unexplained_seconds > greatest(2e-2 * class_seconds, 1)
