-- Two systems with one SMF ID are kept apart. Type 30 has hundredths of seconds.
SELECT
    cpu.sysplex, cpu.system_id, cpu.interval_start_utc, processor_seconds,
    round(sum(general_purpose_seconds) / 0.1) * 0.1 AS agent_seconds
FROM marts.fct_cpu_reconciliation AS cpu
LEFT JOIN marts.fct_address_space_interval AS agent
    ON cpu.sysplex = agent.sysplex AND cpu.system_id = agent.system_id
    AND cpu.interval_start_utc = rmf_interval_start_utc AND job_name = 'AGENT1'
WHERE cpu.system_id = 'TWIN' AND processor_type = 'CP' GROUP BY ALL ORDER BY ALL
