-- bundled
-- Data sets are read and written as simulated: means are rounded to a microsecond.
WITH made AS (
    SELECT system, job, data_set, volume, sum(requests) AS requests, sum(reads) AS reads,
        sum(response_us) / sum(requests) AS response
    FROM done_data_set GROUP BY ALL
),
found AS (
    SELECT system_id AS system, job_name AS job, data_set_name AS data_set, volume,
        sum(ios) AS requests, sum(reads) AS reads,
        sum(average_response_us * ios) / sum(ios) AS response
    FROM marts.fct_data_set_interval WHERE system_id IN ('SY1', 'SY2') GROUP BY ALL
),
checked AS (
    SELECT concat_ws(' ', system, job, data_set, volume) AS key, (
        abs(made.requests - found.requests) <= 0
        AND abs(made.reads - found.reads) <= 0
        AND abs(made.response - found.response) <= 1
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, job, data_set, volume)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
