-- CPU time by system is right unless a finding makes it unknown. Of runs that begin and end with
-- intervals: what the intervals of their systems show.
WITH shown AS (
    SELECT case_name, run_id, truth.system_id, any_value(general_purpose_seconds) AS seconds,
        sum(processor_seconds) AS used
    FROM truth_systems AS truth
    JOIN truth_runs AS run USING (run_id)
    JOIN truth_figures AS figure USING (run_id)
    JOIN marts.fct_cpu_reconciliation AS cpu
        ON cpu.sysplex = truth.sysplex AND cpu.system_id = truth.system_id
        AND cpu.interval_start_utc >= run.start_utc AND cpu.interval_end_utc <= run.stop_utc
    WHERE figure = 'general_purpose_seconds' AND is_exact AND processor_type = 'CP'
    GROUP BY case_name, run_id, truth.sysplex, truth.system_id, run.start_utc, run.stop_utc
    HAVING sum(interval_seconds) = epoch(run.stop_utc - run.start_utc)
)
SELECT case_name, count(*) AS checked,
    string_agg(run_id || ' ' || system_id, ', ') FILTER (
        (abs(used / seconds - 1) <= 1e-5) IS NOT true
    ) AS wrong
FROM shown GROUP BY ALL ORDER BY ALL
