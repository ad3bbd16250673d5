-- mart
CREATE SCHEMA marts;
CREATE TABLE marts.fct_queue_manager_interval (
    origin VARCHAR, source_id VARCHAR, queue_manager VARCHAR, interval_start_utc TIMESTAMP,
    put_requests_per_second DOUBLE
);
