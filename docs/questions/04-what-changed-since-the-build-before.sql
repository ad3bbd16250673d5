-- What changed since the build before, and in which parts?
SELECT change.origin, configuration, before_git_revision, change.git_revision, metric, unit,
       whole_before, whole_after, split, part, difference, difference_percent_of_whole
FROM marts.fct_run_explanation AS change
JOIN marts.dim_configuration USING (configuration_id)
WHERE abs(difference_percent_of_whole) >= 1
ORDER BY first_start_utc DESC, configuration, metric, split, abs(difference) DESC
