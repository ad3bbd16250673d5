-- An address space whose records stop is unknown, and those before are right.
SELECT run_id, cpu_seconds IS NULL AS unknown FROM marts.fct_run_address_space
WHERE system_id = 'SUS1' AND address_space = 'AGENT1' ORDER BY ALL
