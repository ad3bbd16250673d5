-- Where a class lacks data, or a dump ends among the records of classes, what depends on all classes
-- is unknown with a reason, and so is a report class that lacks data.
SELECT
    run_id, total.cpu_seconds, total.general_purpose_seconds, total.eligible_seconds,
    total.captured_seconds, total.cost_per_GB, total.cost_per_GB_after_offload, total.is_compared,
    class.general_purpose_seconds AS of_report_class,
    array_to_string(total.issues, '; ') AS issues
FROM marts.fct_run_total AS total
LEFT JOIN (FROM marts.fct_run_report_class WHERE report_class = 'RMFT') AS class USING (run_id)
WHERE total.campaign = 'class-data' ORDER BY run_id
