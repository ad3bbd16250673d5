-- Each system of a run has its own figures.
WITH exact AS (
    SELECT run_id, list(figure) AS figures FROM truth_figures WHERE is_exact GROUP BY ALL
)
SELECT case_name, count(*) AS systems, string_agg(run_id || ' ' || truth.system_id, ', ') FILTER (
    (
        abs(shown.ziip_factor / truth.ziip_factor - 1) <= 1e-4
        AND ('cpu_seconds' NOT IN figures
            OR abs(shown.cpu_seconds / truth.cpu_seconds - 1) <= 1e-4)
        AND ('eligible_seconds' NOT IN figures
            OR abs(shown.eligible_seconds / truth.eligible_seconds - 1) <= 1e-4)
        AND ('ziips_needed' NOT IN figures
            OR abs(shown.ziips_needed / truth.ziips_needed - 1) <= 1e-4)
    ) IS NOT true
) AS wrong
FROM truth_systems AS truth
JOIN truth_runs AS run USING (run_id)
JOIN exact USING (run_id)
LEFT JOIN marts.fct_run_system AS shown USING (run_id, sysplex, system_id)
WHERE run.is_compared AND list_has_any(figures, ['cpu_seconds', 'eligible_seconds', 'ziips_needed'])
GROUP BY ALL ORDER BY ALL
