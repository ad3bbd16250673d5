-- bundled
-- Response times are those of the transactions, where the class has some.
WITH made AS (
    SELECT system, interval, class, period, response_us / transactions / 1e6 AS response,
        transactions AS in_buckets
    FROM kept_class_period WHERE NOT report AND transactions > 0
),
found AS (
    SELECT system_id AS system, interval, service_class AS class, period,
        response_seconds AS response, list_sum(response_bucket_transactions) AS in_buckets
    FROM marts.fct_service_class_period_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated' AND transactions IS NOT NULL
),
checked AS (
    SELECT concat_ws(' ', system, interval, class, period) AS key, (
        abs(made.response - found.response) <= 1e-06
        AND abs(made.in_buckets - found.in_buckets) <= 1e-06
    ) IS NOT true AS is_wrong
    FROM made RIGHT JOIN found USING (system, interval, class, period)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
