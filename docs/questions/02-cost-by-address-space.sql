-- What does each address space cost, with and without what zIIPs could take?
SELECT origin, coalesce(campaign, 'document ' || document_id || ', ' || section) AS of_what,
       git_revision, configuration, kind, address_space, runs,
       cost_per_gb, cost_per_gb_after_offload,
       cost_per_transaction_us, cost_per_transaction_after_offload_us
FROM marts.fct_cost_by_address_space
WHERE cpu_seconds > 0 OR origin = 'published'
ORDER BY origin, of_what, git_revision, configuration, cpu_seconds DESC NULLS LAST
