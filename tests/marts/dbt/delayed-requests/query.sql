-- bundled
-- Requests are delayed as simulated. Of lock and cache structures (kinds 3 and 4), monopolization
-- is not measured.
WITH made AS (
    SELECT system, interval, structure, 'no subchannel' AS reason, queued_requests AS requests,
        queued_us / 1e6 AS seconds
    FROM kept_cf_request
    UNION ALL
    SELECT system, interval, structure, 'monopolization', monopolized_requests,
        monopolized_us / 1e6
    FROM kept_cf_request WHERE kind NOT IN (3, 4)
),
found AS (
    SELECT system_id AS system, interval, structure_name AS structure, delay_reason AS reason,
        delayed_requests AS requests, delay_seconds AS seconds
    FROM marts.fct_cf_delay_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated' AND delay_reason IN ('no subchannel', 'monopolization')
),
checked AS (
    SELECT concat_ws(' ', system, interval, structure, reason) AS key, (
        abs(made.requests - found.requests) <= 1e-09
        AND abs(made.seconds - found.seconds) <= 1e-09
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, structure, reason)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
