-- All or none of a part of an MQ interval may be of a run: a sixth of what was written.
WITH written AS (
    SELECT sum(bytes_written) AS bytes
    FROM marts.fct_log_write_interval JOIN marts.fct_run AS run USING (origin)
    WHERE run_id = 'hlf-1' AND system_id = 'HLF1'
        AND interval_start_utc < stop_utc AND interval_end_utc > run.start_utc
)
SELECT metric, nullif(value_low, value) AS low,
    if(metric = 'log_physical_bytes', value / bytes, NULL) AS share,
    if(metric = 'log_physical_bytes', value_high / bytes, NULL) AS high,
    value > 0 AND value_high > value AS is_between, is_compared
FROM marts.fct_measurement, written
WHERE run_id = 'hlf-1' AND metric IN ('log_physical_bytes', 'cpu_per_put', 'cpu_seconds')
ORDER BY ALL
