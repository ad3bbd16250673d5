-- Intervals say for how long records should be there. Three of 18 of 5 minutes are left out.
SELECT interval_start_utc, interval_seconds, expected_seconds FROM marts.fct_processor_interval
WHERE system_id = 'OUT1' AND processor_type = 'CP' ORDER BY ALL
