-- Bounds contain the truth, and are equal where a run has all of its intervals.
WITH total AS (
    SELECT *, NULL::DOUBLE AS rate_low, NULL::DOUBLE AS rate_high FROM marts.fct_run_total
),
shown AS (
    FROM total UNPIVOT INCLUDE NULLS (
        (found, low, high) FOR figure IN (
        (rate_mb_per_second, rate_low, rate_high) AS rate,
        (cpu_seconds, cpu_seconds_low, cpu_seconds_high) AS cpu_seconds,
        (general_purpose_seconds, general_purpose_seconds_low,
            general_purpose_seconds_high) AS general_purpose_seconds,
        (ziip_seconds, ziip_seconds_low, ziip_seconds_high) AS ziip_seconds,
        (eligible_seconds, eligible_seconds_low, eligible_seconds_high) AS eligible_seconds,
        (cost_per_GB, cost_per_GB_low, cost_per_GB_high) AS cost_per_GB,
        (cost_per_GB_after_offload, cost_per_GB_after_offload_low,
            cost_per_GB_after_offload_high) AS cost_per_GB_after_offload,
        (cost_per_transaction_us, cost_per_transaction_low_us,
            cost_per_transaction_high_us) AS cost_per_transaction_us,
        (ziips_needed, ziips_needed_low, ziips_needed_high) AS ziips_needed,
        (ziip_share_percent, ziip_share_percent_low, ziip_share_percent_high) AS ziip_share_percent
        )
    )
),
share AS (
    SELECT run_id, 'ziip_share_percent' AS figure,
        100 * any_value(value) FILTER (figure = 'eligible_seconds')
        / any_value(value) FILTER (figure = 'cpu_seconds') AS value
    FROM truth_figures GROUP BY run_id
)
SELECT
    figure, count(*) AS checked, count_if(high > low * (1 + 1e-9)) AS apportioned,
    string_agg(concat_ws(' ', run_id, low, found, high, 'not', value), ', ') FILTER (
        (
            low <= found * (1 + 1e-9) AND found <= high * (1 + 1e-9)
            AND value BETWEEN low * (1 - 1e-4) AND high * (1 + 1e-4)
        ) IS NOT true
    ) AS wrong
FROM (SELECT run_id, figure, value FROM truth_figures UNION ALL FROM share)
JOIN truth_runs AS run USING (run_id)
LEFT JOIN shown USING (run_id, figure)
WHERE figure <> 'rate' AND NOT is_refused
    AND coalesce(run.issue_kinds, '') IN ('', 'bounds_too_wide')
GROUP BY ALL ORDER BY ALL
