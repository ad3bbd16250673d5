-- Figures of runs are the true ones, or null, flagged or known within bounds if that may be.
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
)
SELECT
    case_name, count(*) AS figures, count_if(is_exact) AS exact,
    string_agg(concat_ws(' ', run_id, figure, found, 'not', value), ', ') FILTER (
        (
            coalesce(abs(found - value) <= 1e-4 * abs(value), false) OR NOT is_exact AND (
                shown.run_id IS NOT NULL AND (found IS NULL OR len(issues) > 0)
                OR low < value AND value < high
            )
        ) IS NOT true
    ) AS wrong
FROM truth_figures
JOIN truth_runs AS run USING (run_id)
LEFT JOIN shown USING (run_id, figure)
GROUP BY ALL ORDER BY ALL
