-- What cannot be is null where it stands: one fault in each run but the first.
SELECT
    run_id, processor_type, processor_seconds, missing, address_spaces_unknown,
    concat_ws(' ',
        if(class_seconds IS NULL, 'class', NULL),
        if(unexplained_seconds IS NULL, 'unexplained', NULL),
        if(processor.busy_seconds IS NULL, 'busy', NULL),
        if(processor.wait_seconds IS NULL, 'wait', NULL),
        if(uncaptured_seconds IS NULL, 'uncaptured', NULL),
        if(capture_percent IS NULL, 'capture', NULL)
    ) AS unknown,
    (
        SELECT count(*) FROM marts.fct_address_space_interval
        WHERE system_id = 'IMP1' AND job_name = 'AGENT1' AND interval_start_utc IS NULL
    ) AS without_start
FROM truth_runs
JOIN marts.fct_cpu_reconciliation AS cpu ON cpu.interval_start_utc = start_utc
JOIN marts.fct_processor_interval AS processor
    USING (sysplex, system_id, interval_start_utc, processor_type)
WHERE case_name = 'impossible' AND system_id = 'IMP1' ORDER BY ALL
