-- bundled
-- Consumed MSU are the dispatched time at the rate of the machine; the group and its limit, and
-- what WLM sees of the average.
WITH made AS (
    SELECT system, interval, 90 AS group_msu, 1 AS below,
        sum(effective_us) / epoch("end" - start) / 1e6 * 19.71252566735113 AS msu
    FROM done_processor JOIN done_interval USING (system, interval)
    WHERE processor_type = 'CP' AND NOT skipped GROUP BY system, interval, start, "end"
),
found AS (
    SELECT system_id AS system, interval, consumed_msu AS msu, group_capacity_msu AS group_msu,
        (long_term_average_msu <= available_capacity_msu)::INTEGER AS below
    FROM marts.fct_lpar_capacity_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated' AND sysplex = 'PLEX1'
),
checked AS (
    SELECT concat_ws(' ', system, interval) AS key, (
        abs(made.group_msu - found.group_msu) <= 0
        AND abs(made.below - found.below) <= 0
        AND abs(found.msu / made.msu - 1) <= 1e-3
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
