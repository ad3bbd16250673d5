-- Records that are in both dumps count once and are reported.
SELECT
    record_type, sum(duplicate_records) AS duplicates,
    (
        SELECT count(*) FROM marts.fct_data_issue
        WHERE kind = 'duplicate_records' AND subject LIKE '%overlapping-dumps%'
    ) AS issues
FROM marts.dim_load
WHERE path LIKE '%overlapping-dumps%' AND record_type IN (30, 70, 72, 115, 116)
GROUP BY ALL ORDER BY ALL
