CREATE SCHEMA marts;
CREATE TABLE marts.dim_configuration (
    configuration_id VARCHAR, configuration VARCHAR, machine VARCHAR, file_size_mb INTEGER
);
INSERT INTO marts.dim_configuration VALUES
    ('c1', 'A > B, 1 MB, z15', 'z15', 1), ('c2', 'A > B, 10 MB, z15', 'z15', 10),
    ('c3', 'A > B, 1 MB, z16', 'z16', 1), ('c4', 'A > B, 10 MB, z16', 'z16', 1000);
CREATE TABLE marts.fct_run (
    origin VARCHAR, run_id VARCHAR, campaign VARCHAR, configuration_id VARCHAR,
    start_utc TIMESTAMP, git_revision VARCHAR, is_compared BOOLEAN, issues VARCHAR[]
);
CREATE TABLE marts.fct_address_space_measurement (
    origin VARCHAR, run_id VARCHAR, campaign VARCHAR, configuration_id VARCHAR, metric VARCHAR,
    address_space VARCHAR, value DOUBLE, value_low DOUBLE, value_high DOUBLE, unit VARCHAR,
    more_is_better BOOLEAN,
    start_utc TIMESTAMP, git_revision VARCHAR, is_compared BOOLEAN
);
CREATE TABLE marts.fct_measurement AS
SELECT * EXCLUDE (address_space) FROM marts.fct_address_space_measurement;
CREATE TABLE marts.fct_system_measurement AS
SELECT *, '' AS system FROM marts.fct_measurement;
ALTER TABLE marts.fct_measurement ADD COLUMN value_source VARCHAR DEFAULT 'derived';
CREATE TABLE marts.fct_run_part (
    origin VARCHAR, configuration_id VARCHAR, run_id VARCHAR, metric VARCHAR, split VARCHAR,
    part VARCHAR, unit VARCHAR, value DOUBLE, is_compared BOOLEAN
);
CREATE TABLE marts.fct_run_against_model (
    configuration_id VARCHAR, metric VARCHAR, unit VARCHAR, predicted DOUBLE, low DOUBLE,
    high DOUBLE
);
