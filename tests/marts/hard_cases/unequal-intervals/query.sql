-- The intervals of a sysplex add up where their lengths differ, and all of its time is expected.
SELECT
    time_bucket(INTERVAL 30 MINUTE, interval_start_utc) AS half_hour, count(*) AS intervals,
    bool_and(complete) AS complete, bool_and(split) AS split, sum(cp_seconds) AS cp_seconds,
    sum(ziip_seconds) AS ziip_seconds, sum(covered_seconds) AS covered_seconds,
    sum(expected_seconds) AS expected_seconds
FROM marts.fct_sysplex_cpu_interval WHERE sysplex = 'LENPLEX' GROUP BY ALL ORDER BY ALL
