-- bundled
-- Ratios of hardware counters are the simulated ones, of subtype 1.
WITH made AS (
    SELECT system, interval, processor_type,
        sum(increase) FILTER (counter = 0) / sum(increase) FILTER (counter = 1) AS cpi,
        100 * sum(increase) FILTER (counter = 33) / sum(increase) FILTER (counter = 1) AS problem,
        100 * (sum(increase) FILTER (counter = 2) + sum(increase) FILTER (counter = 4))
            / sum(increase) FILTER (counter = 1) AS misses,
        1 AS subtype
    FROM done_counter GROUP BY ALL
),
found AS (
    SELECT system_id AS system, interval, processor_type, cpi, problem_state_percent AS problem,
        l1_miss_percent AS misses, record_subtype AS subtype
    FROM marts.fct_hardware_processor_interval
    JOIN done_interval AS place
        ON place.system = system_id AND abs(epoch(place.start - interval_start_utc)) < 450
    WHERE origin = 'simulated'
),
checked AS (
    SELECT concat_ws(' ', system, interval, processor_type) AS key, (
        abs(made.cpi - found.cpi) <= 1e-06
        AND abs(made.problem - found.problem) <= 1e-06
        AND abs(made.misses - found.misses) <= 1e-06
        AND abs(made.subtype - found.subtype) <= 1e-06
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, interval, processor_type)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
