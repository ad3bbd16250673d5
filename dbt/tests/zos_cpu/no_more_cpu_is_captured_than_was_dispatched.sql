-- A percent and a second of slack: samples of two records of one interval end at slightly different
-- moments.
select *
from {{ ref('fct_cpu_reconciliation') }}
where class_seconds > 1.01 * processor_seconds + 1
