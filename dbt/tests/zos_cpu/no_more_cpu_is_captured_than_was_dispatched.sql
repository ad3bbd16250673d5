-- 1 % and one second of slack, because two records of one interval end at slightly different times.
select *
from {{ ref('fct_cpu_reconciliation') }}
where class_seconds > 1.01 * processor_seconds + 1
