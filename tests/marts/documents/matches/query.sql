-- Which printed figures a run meets, and what it is taken to have; or what keeps it from the nearest.
WITH by_hand AS (
    SELECT run_id, origin, campaign, configuration_id FROM marts.fct_run WHERE campaign = 'by hand'
)
SELECT run_id, document_id || ' ' || table_id AS "table", metric, round(published_value, 3) AS published,
    runs, verdict, array_to_string(assumed, ' ') AS why
FROM by_hand JOIN marts.fct_print_on_runs USING (origin, campaign, configuration_id)
UNION ALL
(
    SELECT run_id, document_id || ' ' || table_id, NULL, NULL, NULL, NULL,
        array_to_string(obstacles, '; ')
    FROM by_hand JOIN marts.fct_published_match USING (configuration_id)
    WHERE configuration_id NOT IN (FROM by_hand JOIN marts.fct_print_on_runs USING (origin, campaign, configuration_id) SELECT configuration_id)
    QUALIFY row_number() OVER (
        PARTITION BY run_id ORDER BY len(obstacles), factors_agreeing DESC, table_id
    ) = 1
)
ORDER BY ALL
