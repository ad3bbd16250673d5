-- A figure whose own bounds are wider than 12 % is not compared; nothing of a rate is apportioned.
WITH total AS (FROM marts.fct_run_total WHERE run_id = 'prt-2'),
width AS (
    SELECT 'cost_per_GB' AS metric, (cost_per_GB_high - cost_per_GB_low) / cost_per_GB AS width
    FROM total
    UNION ALL
    SELECT 'cost_per_GB_after_offload', (cost_per_GB_after_offload_high
        - cost_per_GB_after_offload_low) / cost_per_GB_after_offload FROM total
    UNION ALL
    SELECT 'ziip_eligible_seconds',
        (eligible_seconds_high - eligible_seconds_low) / eligible_seconds FROM total
    UNION ALL
    SELECT 'general_purpose_seconds', (general_purpose_seconds_high - general_purpose_seconds_low)
        / general_purpose_seconds FROM total
)
SELECT metric, width <= 0.12 AS is_narrow, is_compared, (
    SELECT value_low < truth.value AND truth.value < value_high FROM truth_figures AS truth
    WHERE truth.run_id = 'prt-2' AND figure = metric AND metric = 'cost_per_GB'
) AS holds_the_truth
FROM marts.fct_measurement LEFT JOIN width USING (metric)
WHERE run_id = 'prt-2' AND (width IS NOT NULL OR metric = 'rate') ORDER BY ALL
