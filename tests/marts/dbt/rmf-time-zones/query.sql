-- bundled
-- The time zone of a report comes from the records.
SELECT DISTINCT epoch(interval_start_local - interval_start_utc) / 60 AS of_reports, (
    SELECT list(DISTINCT utc_offset_minutes) FROM marts.fct_volume_interval
    SEMI JOIN marts.fct_rmf_report_figure USING (system_id)
) AS of_records
FROM marts.fct_rmf_report_figure WHERE interval_start_utc IS NOT NULL
