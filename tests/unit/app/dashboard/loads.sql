-- Overlaps on both systems during r1, negative time before all runs, a short run, a note on a file.
INSERT INTO marts.fct_data_issue VALUES
    ('measured', 'a1', 4, 'short_run', 'warning', NULL, NULL, NULL, NULL, NULL, 'r2',
        '2 minutes', 'flagged', ['cpu']),
    ('measured', 'a1', 9, 'duplicate_records', 'note', NULL, NULL, NULL, NULL, 'dump.smf', NULL,
        '3 records are twice', 'counted once', []),
    ('measured', 'a1', 2, 'overlapping_intervals', 'error', 'PLEX1', 'SY2', '2026-03-01 11:00',
        '2026-03-01 11:15', NULL, NULL, 'two', 'one is used', ['cpu', 'ziip']),
    ('measured', 'a1', 1, 'overlapping_intervals', 'error', 'PLEX1', 'SY1', '2026-03-01 11:00',
        '2026-03-01 11:15', NULL, NULL, 'two', 'one is used', ['cpu', 'work']),
    ('measured', 'a1', 3, 'negative_cpu_time', 'error', '', 'SY1', '2026-03-01 09:00',
        '2026-03-01 09:15', 'BATCH', NULL, '-1 s', 'null', ['classes']);
INSERT INTO marts.fct_completeness VALUES
    ('PLEX1', 'SY1', 'cpu', '2026-03-01 10:00', '2026-03-01 11:00', true, []),
    ('PLEX1', 'SY1', 'cpu', '2026-03-01 11:00', '2026-03-01 11:15', false, ['overlapping_intervals']),
    (NULL, 'SY3', 'mq', '2026-03-01 11:00', '2026-03-01 12:00', false, []);
CREATE OR REPLACE TABLE marts.dim_load AS
    SELECT *, 'measured' AS origin, 30::smallint AS record_type, 2::smallint AS record_subtype, 7 AS type_records,
        7 AS records_loaded, 9 AS type_sections, TIMESTAMP '2026-03-01' AS first_record_at_utc,
        first_record_at_utc AS last_record_at_utc
    FROM marts.dim_load;
CREATE TABLE marts.fct_arrival (
    kind VARCHAR, name VARCHAR, origin VARCHAR, last_utc TIMESTAMP, expected_utc TIMESTAMP,
    missing_from_utc TIMESTAMP, last_record_utc TIMESTAMP, usual_seconds DOUBLE, arrivals BIGINT
);
CREATE TABLE marts.fct_run_refused AS
    SELECT 'measured' AS origin, 'a1' AS source_id, 'r9' AS run_id, 'may' AS campaign,
        TIMESTAMP '2026-03-01' AS start_utc, start_utc AS stop_utc, 'it has no end' AS refused;
