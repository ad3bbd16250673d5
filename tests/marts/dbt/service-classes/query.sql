-- bundled
-- Classes are charged the CPU time of their address spaces.
WITH made AS (
    SELECT system, interval, class, period, cpu, ziip_us / 1e6 AS ziip, ziip_on_cp_us / 1e6 AS on_cp
    FROM kept_class_period WHERE NOT report
),
found AS (
    SELECT system_id AS system, interval, service_class AS class, period,
        general_purpose_seconds AS cpu, ziip_seconds AS ziip, ziip_on_cp_seconds AS on_cp
    FROM marts.fct_service_class_period_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval, class, period) AS key, (
        abs(made.cpu - found.cpu) <= 1e-05
        AND abs(made.ziip - found.ziip) <= 1e-05
        AND abs(made.on_cp - found.on_cp) <= 1e-05
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, class, period)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
