-- bundled
-- Address spaces of runs are matched with the printed ones, and cost as much. TCP/IP also works for
-- the rest of the system.
SELECT 'both' AS what, kind AS name, NULL AS is_near FROM marts.fct_cost_by_address_space
WHERE kind <> 'other' AND (campaign = 'zcx' OR document_id = '001')
GROUP BY kind HAVING count(DISTINCT origin) = 2
UNION ALL
SELECT 'difference', address_space,
    avg(abs(difference_percent_of_published)) < if(address_space = 'TCPIP', 10, 3)
FROM marts.fct_run_against_published
WHERE campaign = 'zcx' AND metric = 'cost_per_transaction' AND address_space IS NOT NULL
GROUP BY address_space ORDER BY ALL
