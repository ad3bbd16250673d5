-- bundled
-- CPU time at idle is that of the idle interval, the first one. One interval was skipped.
SELECT complete, first, count(*) AS intervals, count_if(abs(above_idle_cp_seconds) < 1e-6) AS idle,
    count_if(above_idle_cp_seconds > 0) AS above
FROM (
    SELECT *, row_number() OVER (ORDER BY interval_start_utc) = 1 AS first
    FROM marts.fct_sysplex_cpu_interval WHERE sysplex = 'PLEX1'
)
WHERE complete OR first GROUP BY ALL
UNION ALL
SELECT false, NULL, count(*), NULL, NULL FROM marts.fct_sysplex_cpu_interval
WHERE sysplex = 'PLEX1' AND NOT complete
ORDER BY ALL
