-- Nothing else is reported of the time of a case than its findings, and what they entail.
-- Duplicates have no time.
SELECT case_name, string_agg(DISTINCT kind, ' ' ORDER BY kind) AS kinds
FROM (
    SELECT case_name, min(start_utc) AS first_utc, max(stop_utc) AS last_utc
    FROM truth_runs GROUP BY ALL
)
LEFT JOIN marts.fct_data_issue AS issue
    ON run_id IS NULL AND issue.start_utc < last_utc AND issue.end_utc > first_utc
GROUP BY ALL ORDER BY ALL
