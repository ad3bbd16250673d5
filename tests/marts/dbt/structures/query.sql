-- bundled
-- Structures are used as simulated, and filled to at most all of them.
WITH made AS (
    SELECT system, interval, structure, sync_requests + async_requests AS requests,
        execution_us / 1e6 AS execution, 0 AS out_of_range
    FROM kept_cf_request
),
found AS (
    SELECT system_id AS system, interval, structure_name AS structure, requests,
        execution_seconds AS execution, entries_used_percent,
        (coalesce(entries_used_percent, 50) NOT BETWEEN 0 AND 100)::INTEGER AS out_of_range
    FROM marts.fct_cf_structure_use_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval, structure) AS key, entries_used_percent AS percent, (
        abs(made.requests - found.requests) <= 1e-06
        AND abs(made.execution - found.execution) <= 1e-06
        AND abs(made.out_of_range - found.out_of_range) <= 1e-06
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, structure)
)
SELECT max(percent) > 0 AS some_are_used, count(*) AS rows, count_if(is_wrong) AS wrong,
    any_value(key) FILTER (is_wrong) AS example
FROM checked
