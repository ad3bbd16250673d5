-- bundled
-- Processors are dispatched as simulated.
WITH made AS (
    SELECT system, interval, processor_type, sum(effective_us) / 1e6 AS effective,
        sum(dispatched_us) / 1e6 AS dispatched, sum(online_us - wait_us - parked_us) / 1e6 AS busy
    FROM kept_processor GROUP BY ALL
),
found AS (
    SELECT system_id AS system, interval, processor_type, effective_seconds AS effective,
        dispatch_seconds AS dispatched, busy_seconds AS busy
    FROM marts.fct_processor_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval, processor_type) AS key, (
        abs(made.effective - found.effective) <= 0.0001
        AND abs(made.dispatched - found.dispatched) <= 0.0001
        AND abs(made.busy - found.busy) <= 0.0001
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, processor_type)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
