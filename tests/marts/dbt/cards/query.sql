-- bundled
-- Crypto cards execute as simulated.
WITH made AS (
    SELECT interval, card, sum(operations) AS operations, sum(execution_us) / 1e6 AS seconds
    FROM done_crypto WHERE kind <> 'cca' OR operation = 'all' GROUP BY ALL
),
found AS (
    SELECT interval, card_number AS card, operations, execution_seconds AS seconds
    FROM marts.fct_crypto_card_interval
    JOIN done_interval AS place ON place.system = system_id AND place.start = interval_start_utc
    WHERE origin = 'simulated' AND scope = 'the machine' AND system_id = 'SY1'
),
checked AS (
    SELECT concat_ws(' ', interval, card) AS key, (
        abs(made.operations - found.operations) <= 0.001
        AND abs(made.seconds - found.seconds) <= 0.001
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (interval, card)
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
