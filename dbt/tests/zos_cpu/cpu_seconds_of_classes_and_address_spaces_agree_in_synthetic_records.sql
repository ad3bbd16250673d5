-- Tolerance: rounding and intervals leave at most 0.01 % of the CPU time of the classes, or 0.01
-- seconds, unexplained. Synthetic records cover exactly the simulated work, so a larger difference
-- is a mistake in the marts.
select *
from {{ ref('fct_cpu_reconciliation') }}
where
    origin = 'simulated'
    and unexplained_seconds > greatest(1e-4 * class_seconds, 0.01)
