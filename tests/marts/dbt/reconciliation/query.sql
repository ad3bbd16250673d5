-- bundled
-- The reconciliation shows the capture ratio, and nothing is missing or unexplained.
SELECT system, processor_type, count(DISTINCT interval) AS intervals, count(*) AS rows,
    count(missing) AS missing, max(unexplained_seconds) AS unexplained,
    max(abs(capture_percent - 100 * if(processor_type = 'CP', capture, ziip_capture))) < 1e-3
        AS is_captured
FROM marts.fct_cpu_reconciliation
JOIN done_interval ON system = system_id AND start = interval_start_utc
JOIN done_system USING (system)
WHERE origin = 'simulated' GROUP BY ALL ORDER BY ALL
