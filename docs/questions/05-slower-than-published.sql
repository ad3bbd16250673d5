-- Which runs are slower or dearer than the published figure of their configuration?
SELECT run.origin, run.campaign, run_id, configuration, metric, value, published_value, unit,
       difference_percent_of_published, document_id, table_id, cell_id
FROM marts.fct_run_against_published AS run
JOIN marts.dim_configuration USING (configuration_id)
WHERE is_worse AND is_complete AND metric IN ('rate', 'cost_per_GB', 'transfer_time')
ORDER BY abs(difference_percent_of_published) DESC
