-- How do rate and cost change with the size of the files?
SELECT origin, coalesce(campaign, 'document ' || document_id || ', ' || section) AS of_what,
       git_revision, configuration, metric, unit, size_1_mb, size_10_mb, size_100_mb, size_1024_mb
FROM marts.fct_by_file_size
WHERE metric IN ('rate', 'cost_per_GB')
ORDER BY origin, of_what, git_revision, configuration, metric DESC
