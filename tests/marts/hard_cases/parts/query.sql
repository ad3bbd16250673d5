-- Parts of runs add up to their totals.
WITH part AS (
    SELECT 'system' AS kind, origin, run_id, cpu_seconds, eligible_seconds, ziips_needed,
        cost_per_GB
    FROM marts.fct_run_system
    UNION ALL
    SELECT 'class', origin, run_id, cpu_seconds, eligible_seconds, ziips_needed, cost_per_GB
    FROM marts.fct_run_class
),
summed AS (
    SELECT kind, run_id, total, struct_pack(
            cpu_seconds := sum(part.cpu_seconds), eligible_seconds := sum(part.eligible_seconds),
            ziips_needed := sum(part.ziips_needed), cost_per_GB := sum(part.cost_per_GB)
        ) AS sums
    FROM part JOIN marts.fct_run_total AS total USING (origin, run_id)
    WHERE is_compared GROUP BY ALL
)
SELECT kind, count(*) > 20 AS many, string_agg(run_id, ' ') FILTER (
    (
        abs(sums.cpu_seconds / total.cpu_seconds - 1) < 1e-9
        AND abs(sums.eligible_seconds / total.eligible_seconds - 1) < 1e-9
        AND abs(sums.ziips_needed / total.ziips_needed - 1) < 1e-9
        AND coalesce(abs(sums.cost_per_GB / total.cost_per_GB - 1) < 1e-9,
            sums.cost_per_GB IS NULL AND total.cost_per_GB IS NULL)
    ) IS NOT true
) AS wrong
FROM summed GROUP BY ALL ORDER BY ALL
