-- How much of the work could zIIPs take, and how many would be busy with it at this rate?
SELECT cpu.origin, campaign, run_id, configuration, is_complete, ziip_share_percent, ziips_needed,
       cost_per_gb, cost_per_gb_after_offload
FROM marts.fct_run_cpu AS cpu
JOIN marts.dim_configuration USING (configuration_id)
WHERE part_kind = 'system' AND system_id IS NULL
ORDER BY cpu.origin, campaign, start_utc
