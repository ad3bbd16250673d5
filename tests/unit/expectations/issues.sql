-- mart
CREATE SCHEMA marts;
CREATE TABLE marts.fct_data_issue (
    severity VARCHAR, kind VARCHAR, sysplex VARCHAR, system_id VARCHAR, subject VARCHAR,
    run_id VARCHAR, start_utc TIMESTAMP, found VARCHAR, done VARCHAR
);

-- findings
INSERT INTO marts.fct_data_issue VALUES
    ('note', 'duplicate_records', NULL, NULL, 'a.smf', NULL, NULL, '3 records are twice',
        'counted once'),
    ('warning', 'boost', 'PLEX1', 'SY1', NULL, 'r1', '2026-03-01 10:00', 'zIIP boost', 'flagged'),
    ('error', 'overlapping_intervals', 'PLEX1', 'SY2', NULL, NULL, '2026-03-01 11:00',
        '1 and 15 minutes', 'the shorter are used'),
    ('error', 'overlapping_intervals', 'PLEX1', 'SY1', NULL, NULL, '2026-03-01 10:00',
        '1 and 15 minutes', 'the shorter are used');
