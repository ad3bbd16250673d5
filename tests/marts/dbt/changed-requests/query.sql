-- bundled
-- Changed requests are the simulated ones.
WITH made AS (
    SELECT system, interval, structure, changed_requests AS requests FROM kept_cf_request
),
found AS (
    SELECT system_id AS system, interval, structure_name AS structure, requests
    FROM marts.fct_cf_request_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated' AND request_kind = 'changed'
),
checked AS (
    SELECT concat_ws(' ', system, interval, structure) AS key, (
        abs(made.requests - found.requests) <= 0
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, structure)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
