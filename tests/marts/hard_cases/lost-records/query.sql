-- What is missing makes its own figures unknown, and sums with them.
SELECT run_id, 'class' AS kind, service_class AS part, cpu_seconds IS NOT NULL AS known
FROM marts.fct_run_class WHERE run_id LIKE 'lst-_'
UNION ALL
SELECT run_id, 'address space', address_space, cpu_seconds IS NOT NULL
FROM marts.fct_run_address_space WHERE run_id LIKE 'lst-_'
UNION ALL
SELECT DISTINCT run_id, 'rest', part, NULL FROM marts.fct_run_part
WHERE run_id LIKE 'lst-_' AND part LIKE '%not charged to address spaces'
ORDER BY ALL
