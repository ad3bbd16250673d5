-- bundled
-- Synchronous requests to structures take as long as simulated.
WITH made AS (
    SELECT system, interval, structure, sync_requests AS requests,
        sync_us / sync_requests AS average, sqrt(greatest(
            (sync_squared_us - sync_us::DOUBLE ** 2 / sync_requests) / (sync_requests - 1), 0
        )) AS deviation
    FROM kept_cf_request WHERE sync_requests > 1
),
found AS (
    SELECT system_id AS system, interval, structure_name AS structure, requests,
        average_service_us AS average, deviation_service_us AS deviation
    FROM marts.fct_cf_request_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated' AND request_kind = 'synchronous' AND requests > 1
),
checked AS (
    SELECT concat_ws(' ', system, interval, structure) AS key, (
        abs(made.requests - found.requests) <= 1e-06
        AND abs(made.average - found.average) <= 1e-06
        AND abs(made.deviation - found.deviation) <= 1e-06
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, structure)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
