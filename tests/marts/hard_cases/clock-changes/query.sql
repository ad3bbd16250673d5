-- In nights in which the clocks change, intervals of queue managers and channels follow one another,
-- and accesses to protected queues are in their own hour. Where a file was sorted by local time,
-- nothing tells which of two hours that is: a run shows no number.
WITH chain AS (
    SELECT 'statistics' AS kind, system_id, interval_start_utc, interval_end_utc
    FROM marts.fct_queue_manager_interval
    UNION ALL
    SELECT 'channels', system_id, interval_start_utc, interval_end_utc
    FROM marts.fct_channel_interval
    UNION ALL
    SELECT 'channel initiator', system_id, interval_start_utc, interval_end_utc
    FROM marts.fct_channel_initiator_interval
)
SELECT
    system_id, kind AS subject, count(*) AS rows,
    format(
        '{} to {}, {} s in all', min(interval_start_utc)::TIMESTAMP_S,
        max(interval_end_utc)::TIMESTAMP_S,
        round(sum(epoch(interval_end_utc - interval_start_utc)))
    ) AS found
FROM chain WHERE system_id IN ('CLK1', 'CLK2', 'CLK3') GROUP BY ALL
UNION ALL
SELECT system_id, 'accesses', sum(accesses), format(
    'local {} is {}', hour_local, coalesce(hour_utc::VARCHAR, 'unknown')
)
FROM marts.fct_protected_access_hour
WHERE system_id IN ('CLK1', 'CLK2', 'CLK3') GROUP BY system_id, hour_local, hour_utc
UNION ALL
SELECT system_id, run_id, 1, format('{} accesses', coalesce(events::VARCHAR, 'unknown'))
FROM marts.fct_run_resource WHERE campaign = 'clock-changes' AND resource = 'AMS'
ORDER BY ALL
