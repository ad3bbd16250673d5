-- Times of all systems are in UTC: at 5:30, at -5, and where the clocks go back.
SELECT system_id, min(interval_start_utc) AS first_utc, max(interval_end_utc) AS last_utc,
    utc_offset_minutes
FROM marts.fct_processor_interval WHERE system_id IN ('GMT1', 'GMT2', 'DST1')
GROUP BY ALL ORDER BY ALL
