-- Busy time is what processors neither waited nor were parked.
SELECT system_id, interval_start_utc, processor_type, online_seconds, parked_seconds, busy_seconds,
    wait_seconds, dispatch_seconds, used_seconds
FROM marts.fct_processor_interval WHERE sysplex = 'DEDPLEX' ORDER BY ALL
