-- The stated tolerance: what rounding and intervals leave unexplained is at most a hundredth of a
-- percent of the CPU time of the classes, or a hundredth of a second. Synthetic records tell of all
-- work and nothing else, so a larger difference is a mistake of the marts.
select *
from {{ ref('fct_cpu_reconciliation') }}
where
    origin = 'simulated'
    and unexplained_seconds > greatest(1e-4 * class_seconds, 0.01)
