-- Of intervals of two lengths the longer ones are used.
SELECT 'processors' AS mart, interval_start_utc, interval_seconds, processor_type
FROM marts.fct_processor_interval WHERE system_id = 'OVL1'
UNION ALL
SELECT 'zIIPs', interval_start_utc, interval_seconds, NULL
FROM marts.fct_ziip_interval WHERE system_id = 'OVL1' ORDER BY ALL
