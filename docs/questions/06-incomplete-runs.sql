-- Which runs are incomplete or refused, and why?
SELECT origin, campaign, run_id, start_utc, unnest(issues) AS issue, coverage
FROM marts.fct_run
WHERE NOT is_complete
UNION ALL
SELECT origin, campaign, run_id, start_utc, refused, NULL
FROM marts.fct_run_refused
ORDER BY origin, campaign, start_utc
