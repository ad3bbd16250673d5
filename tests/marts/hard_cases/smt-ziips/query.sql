-- zIIP time of two threads is that of cores with one thread.
SELECT run_id, effective_seconds, capacity_factor, used_seconds, round(class_seconds, 1) AS charged,
    missing
FROM truth_runs
JOIN marts.fct_processor_interval AS processor ON interval_start_utc = start_utc
JOIN marts.fct_cpu_reconciliation
    USING (sysplex, system_id, interval_start_utc, processor_type)
WHERE case_name = 'smt-ziips' AND processor_type = 'zIIP' AND system_id = 'SMT1' ORDER BY ALL
