-- What does the same work cost on the newer machine, and what was expected of it?
SELECT compared.origin, configuration, metric, unit, machine_before, machine_after, runs_before,
       runs_after, value_before, value_after, improvement_percent_of_before,
       expected_improvement_percent_of_before
FROM marts.fct_machine_comparison AS compared
JOIN marts.dim_configuration ON configuration_id = configuration_id_after
WHERE metric IN ('rate', 'cost_per_GB', 'cost_per_transaction', 'transactions_per_second')
ORDER BY compared.origin, configuration, metric
