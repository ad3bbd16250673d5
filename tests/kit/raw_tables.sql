CREATE SCHEMA raw;
CREATE SCHEMA meta;
CREATE TABLE meta.lineage (name VARCHAR, audit STRUCT(
    key VARCHAR[], signed VARCHAR[], printed BOOLEAN, compared VARCHAR[]
));
CREATE TABLE raw.ledger (
    source_id VARCHAR, path VARCHAR, origin VARCHAR, kind VARCHAR, bytes BIGINT, status VARCHAR,
    loaded_at TIMESTAMP, records BIGINT, records_loaded BIGINT, records_quarantined BIGINT
);
CREATE TABLE raw.ledger_count (
    source_id VARCHAR, record_type INTEGER, record_subtype INTEGER, records BIGINT, sections BIGINT
);
CREATE TABLE raw.ledger_day (
    source_id VARCHAR, first_day DATE, last_day DATE, first_record_no BIGINT, last_record_no BIGINT
);
CREATE TABLE raw.ledger_rolled (
    source_id VARCHAR, loaded_at TIMESTAMP, rolled_until TIMESTAMP, removed_at TIMESTAMP
);
CREATE TABLE raw.quarantine (
    source_id VARCHAR, path VARCHAR, record_no BIGINT, file_offset BIGINT, record_type INTEGER,
    reason VARCHAR
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
