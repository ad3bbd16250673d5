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
