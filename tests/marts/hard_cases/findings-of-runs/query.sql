-- Issues of runs are among the findings.
SELECT case_name, kind, run_id, EXISTS (
    FROM marts.fct_data_issue AS issue
    WHERE issue.kind = finding.kind AND issue.run_id = finding.run_id
) AS found
FROM truth_findings AS finding WHERE of_runs
UNION ALL
SELECT DISTINCT 'two-campaigns', kind, run_id, true FROM marts.fct_data_issue
WHERE kind = 'overlapping_runs'
ORDER BY ALL
