-- bundled
-- The marts of runs return the figures that went into simulated campaigns: those of whole runs
-- within a thousandth, CPU time of address spaces in hundredths of a second of three kinds. They
-- have no number of files of runs that move none. Of three runs of zcx, time on zIIPs that no class is
-- charged with counts as eligible, which it was not in what went in.
WITH shown AS (
    SELECT run_id, campaign, metric, NULL AS address_space, NULL AS system_id, value AS shown,
        is_compared
    FROM marts.fct_measurement
    UNION ALL
    SELECT run_id, campaign, metric, NULL, system_id, value, is_compared
    FROM marts.fct_system_measurement
    UNION ALL
    SELECT run_id, campaign, metric, address_space, system_id, shown, is_compared
    FROM (
        SELECT run_id, campaign, address_space, system_id, is_compared, cpu_seconds,
            general_purpose_seconds, eligible_seconds AS ziip_eligible_seconds,
            cost_per_GB
        FROM marts.fct_run_address_space
    ) UNPIVOT (shown FOR metric IN (
        cpu_seconds, general_purpose_seconds, ziip_eligible_seconds, "cost_per_GB"
    ))
),
checked AS (
    SELECT made.campaign, made.address_space IS NULL AS whole, made.metric, made.run_id, (
        abs(shown - value)
        <= if(made.address_space IS NULL, 1e-3 * abs(value), 0.03)
        AND (is_compared OR made.address_space IS NOT NULL)
    ) IS NOT true AS is_wrong
    FROM done_run AS made LEFT JOIN shown ON made.run_id = shown.run_id
        AND made.metric = shown.metric
        AND made.address_space IS NOT DISTINCT FROM shown.address_space
        AND made.system_id IS NOT DISTINCT FROM shown.system_id
        AND made.campaign = shown.campaign
    WHERE NOT (made.metric = 'files' AND value = 0)
        AND (made.address_space IS NULL OR made.metric LIKE '%_seconds')
)
SELECT campaign, whole, metric, count(*) AS figures, count_if(is_wrong) AS wrong,
    min(run_id) FILTER (is_wrong) AS example
FROM checked GROUP BY ALL ORDER BY ALL
