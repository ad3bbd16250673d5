-- bundled
-- The coupling facility is as busy as simulated.
WITH made AS (
    SELECT system, interval, busy_us / 1e6 AS busy, 100 * busy_us / (busy_us + wait_us) AS percent
    FROM done_interval JOIN (
        SELECT interval, sum(busy_us) AS busy_us, sum(wait_us) AS wait_us FROM done_cf_processor
        GROUP BY ALL
    ) USING (interval)
    WHERE NOT skipped
),
found AS (
    SELECT system_id AS system, interval, busy_seconds AS busy, busy_percent AS percent
    FROM marts.fct_cf_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval) AS key, (
        abs(made.busy - found.busy) <= 1e-06
        AND abs(made.percent - found.percent) <= 1e-06
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
