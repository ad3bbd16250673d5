-- bundled
-- Report classes are charged the CPU time of their address spaces.
WITH made AS (
    SELECT system, interval, class, sum(cpu) AS cpu, sum(ziip_us) / 1e6 AS ziip,
        sum(ziip_on_cp_us) / 1e6 AS on_cp
    FROM kept_class_period WHERE report GROUP BY ALL
),
found AS (
    SELECT system_id AS system, interval, report_class AS class, general_purpose_seconds AS cpu,
        ziip_seconds AS ziip, ziip_on_cp_seconds AS on_cp
    FROM marts.fct_report_class_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval, class) AS key, (
        abs(made.cpu - found.cpu) <= 1e-05
        AND abs(made.ziip - found.ziip) <= 1e-05
        AND abs(made.on_cp - found.on_cp) <= 1e-05
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, class)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
