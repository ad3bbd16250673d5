"""A small working database with the columns that the audit reads, and nothing wrong in it."""

from __future__ import annotations

from pathlib import Path

import duckdb

RAW = """
CREATE SCHEMA raw;
CREATE TABLE raw.ledger (
    source_id VARCHAR, path VARCHAR, origin VARCHAR, kind VARCHAR, bytes BIGINT, status VARCHAR,
    loaded_at TIMESTAMP, records BIGINT, records_loaded BIGINT, records_quarantined BIGINT
);
CREATE TABLE raw.ledger_count (
    source_id VARCHAR, record_type INTEGER, record_subtype INTEGER, records BIGINT, sections BIGINT
);
CREATE TABLE raw.quarantine (
    source_id VARCHAR, path VARCHAR, record_no BIGINT, file_offset BIGINT, reason VARCHAR
);
CREATE TABLE raw.smf_record (
    source_id VARCHAR, record_no BIGINT, file_offset BIGINT, length BIGINT, record_type INTEGER,
    record_subtype INTEGER, system_id VARCHAR, subsystem_id VARCHAR, smf_time TIMESTAMP
);
CREATE TABLE raw.smf115_qwhs (
    source_id VARCHAR, record_no BIGINT, section_no INTEGER, qwhsstck TIMESTAMP, qwhsiseq BIGINT,
    qwhswseq BIGINT, qwhstime TIMESTAMP, qwhsdurn INTERVAL
);
CREATE TABLE raw.smf116_qwhs (
    source_id VARCHAR, record_no BIGINT, section_no INTEGER, qwhsstck TIMESTAMP, qwhsiseq BIGINT,
    qwhswseq BIGINT
);
CREATE TABLE raw.smf115_qmst (
    source_id VARCHAR, record_no BIGINT, section_no INTEGER, qmsteyec VARCHAR
);
"""

# Two files of queue manager QM1 on SYS1, six hours behind UTC: three intervals of a minute in
# the first (subtypes 1, 2 and 215), one interval in the second, which follows on without a gap.
FILL = """
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
SELECT source_id, record_type, record_subtype, count(*), count(*) FROM raw.smf_record GROUP BY ALL;
INSERT INTO raw.ledger
SELECT source_id, left(source_id, 1) || '.dat', 'measured', 'smf', sum(length), 'loaded',
    TIMESTAMP '2026-01-01', count(*), count(*), 0
FROM raw.smf_record GROUP BY source_id;
"""


def make_raw(file: Path, *statements: str, fill: bool = True) -> Path:
    """A database with raw tables, changed by `statements`."""
    with duckdb.connect(str(file)) as connection:
        connection.execute(RAW)
        if fill:
            connection.execute(FILL)
        for statement in statements:
            connection.execute(statement)
    return file
