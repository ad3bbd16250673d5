-- With the remainder counted as "other", the causes add up to at least the whole; to more if they
-- overlap.
select source_id, record_no, wait_seconds
from {{ ref("fct_task_accounting") }}
where
    wait_seconds - 1e-9 * greatest(abs(elapsed_seconds), abs(cpu_seconds), 1000)
    > coalesce(wait_log_seconds, 0)
    + coalesce(wait_page_set_seconds, 0)
    + coalesce(wait_db2_seconds, 0)
    + coalesce(wait_cf_seconds, 0)
    + coalesce(wait_latch_seconds, 0)
    + coalesce(wait_smds_seconds, 0)
    + wait_other_seconds
