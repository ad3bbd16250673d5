-- Two files of queue manager QM1 on SYS1, six hours behind UTC: three one-minute intervals in the
-- first (subtypes 1, 2 and 215) and one interval in the second, which follows without a gap.
INSERT INTO raw.smf_record
SELECT if(i < 3, 'aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'), 1 + 3 * (i % 3) + place, 0, 1000, 115,
    [1, 2, 215][place], 'SYS1', 'QM1', TIMESTAMP '2016-02-27 04:01:00.01' + to_minutes(i)
FROM range(4) AS t(i), range(1, 4) AS p(place);

INSERT INTO raw.smf115_qwhs
SELECT source_id, record_no, 1, smf_time + INTERVAL 6 HOUR, 100 + i, 1000 + 3 * i + place,
    smf_time - INTERVAL 1 MINUTE, INTERVAL 1 MINUTE
FROM (
    SELECT *, date_diff('minute', TIMESTAMP '2016-02-27 04:01:00', smf_time) AS i,
        list_position([1, 2, 215], record_subtype) AS place
    FROM raw.smf_record
);

INSERT INTO raw.smf115_qmst
SELECT source_id, record_no, 1, 'QMST' FROM raw.smf_record WHERE record_subtype = 2;

INSERT INTO raw.smf_record VALUES
    ('aaaaaaaaaaaaaaaa', 11, 9000, 500, 116, 1, 'SYS1', 'QM1', TIMESTAMP '2016-02-27 04:02:30'),
    ('aaaaaaaaaaaaaaaa', 1, 0, 14, 2, NULL, 'SYS1', '', TIMESTAMP '2016-02-27 04:00:00');
INSERT INTO raw.smf116_qwhs VALUES
    ('aaaaaaaaaaaaaaaa', 11, 1, TIMESTAMP '2016-02-27 10:02:30', 7, 2000);

INSERT INTO raw.ledger_count
SELECT source_id, record_type, record_subtype, count(*), 0
FROM raw.smf_record GROUP BY ALL;
INSERT INTO raw.ledger_day
SELECT source_id, min(smf_time)::DATE, max(smf_time)::DATE, min(record_no), max(record_no)
FROM raw.smf_record GROUP BY source_id;
INSERT INTO raw.ledger
SELECT source_id, left(source_id, 1) || '.dat', 'measured', 'smf', sum(length), 'loaded',
    TIMESTAMP '2026-01-01', count(*), count(*), 0
FROM raw.smf_record GROUP BY source_id;
