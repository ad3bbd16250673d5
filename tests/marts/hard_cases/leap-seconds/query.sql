-- Moments of MQ are in UTC whatever its clock counts, and cycles are of the time of processors.
SELECT
    'tasks' AS what,
    round(epoch(min(interval_start_utc) - TIMESTAMP '2026-05-31 14:00')) AS first,
    round(epoch(max(recorded_at_utc) - TIMESTAMP '2026-05-31 14:00')) AS last
FROM marts.fct_task_accounting WHERE system_id = 'LEP1'
UNION ALL
SELECT 'queue manager', round(epoch(min(interval_start_utc) - TIMESTAMP '2026-05-31 14:00')),
    round(epoch(max(interval_end_utc) - TIMESTAMP '2026-05-31 14:00'))
FROM marts.fct_queue_manager_interval WHERE system_id = 'LEP1'
UNION ALL
SELECT 'cycles', sum(cycles), NULL FROM marts.fct_hardware_interval
WHERE system_id = 'LEP1' AND interval_start_utc >= '2026-05-31 14:05'
    AND interval_end_utc <= '2026-05-31 14:10'
