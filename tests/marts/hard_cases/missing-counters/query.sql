-- Counters of a system are unknown, in intervals and in runs, where the record of a processor is lost:
-- in the middle, and in the last interval, of which only type 70 tells that the processor worked.
SELECT
    run.run_id, hardware.processors, hardware.instructions, hardware.mips, run.mips AS mips_of_run,
    run.cpi AS cpi_of_run,
    (
        SELECT string_agg(found) FROM marts.fct_data_issue AS issue
        WHERE issue.kind = 'counters_missing' AND issue.system_id = run.system_id
            AND issue.start_utc = hardware.interval_start_utc
    ) AS issues
FROM marts.fct_run_hardware AS run
JOIN marts.fct_hardware_interval AS hardware
    ON run.system_id = hardware.system_id
    AND abs(epoch(run.start_utc - hardware.interval_start_utc)) < 61
WHERE run.campaign = 'missing-counters' ORDER BY ALL
