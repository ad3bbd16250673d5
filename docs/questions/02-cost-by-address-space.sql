-- What does each address space cost, with and without what zIIPs could take?
SELECT cost.origin, cost.campaign, cost.git_revision, configuration, address_space, cost.runs,
       cost_per_gb, cost_per_gb_after_offload,
       cost_per_transaction_us, cost_per_transaction_after_offload_us
FROM marts.fct_cost_by_address_space AS cost
JOIN marts.dim_configuration USING (configuration_id)
WHERE cpu_seconds > 0
ORDER BY cost.origin, cost.campaign, cost.git_revision, configuration, cpu_seconds DESC
