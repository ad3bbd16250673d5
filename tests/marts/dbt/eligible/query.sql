-- bundled
-- Work that may run on zIIPs is in the time of CPs.
WITH made AS (
    SELECT system, interval, 100 * sum(ziip_us / 1e6 * 569 / 256 + ziip_on_cp_us / 1e6)
        / sum(cpu + ziip_us / 1e6 * 569 / 256) AS percent
    FROM kept_address_space GROUP BY ALL
),
found AS (
    SELECT system_id AS system, interval, eligible_percent AS percent FROM marts.fct_ziip_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval) AS key, (
        abs(made.percent - found.percent) <= 1e-05
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
